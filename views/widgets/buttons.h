#pragma once

#include <QPushButton>
#include <QToolButton>

namespace pt2::views {

/// Accent-filled button: one on a page, made by the frame.
QPushButton* primaryButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
QPushButton* plainButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
/// Icon only; the tooltip is the command and also the accessible name.
QToolButton* iconButton(const QString& iconName, const QString& tooltip, QWidget* parent = nullptr);

}  // namespace pt2::views

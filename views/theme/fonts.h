#pragma once

#include <QFont>

namespace pt2::views {

/// The six sizes of look.md 4, relative to the application's font.
enum class TextSize { Caption, Body, Strong, Section, Title, Big };

/// Sets the application's font: the platform's, or Inter where no desktop gives one (offscreen) and it is installed.
void installApplicationFont();
QFont uiFont(TextSize size = TextSize::Body);
/// Fixed font for code, paths and numbers that are compared; ligatures off.
QFont codeFont(TextSize size = TextSize::Body);
/// Scale of the interface, 0.8 to 2.0 (Ctrl +/-).
void setFontScale(double scale);
double fontScale();

}  // namespace pt2::views

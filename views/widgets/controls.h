#pragma once

#include <QAbstractButton>
#include <QIcon>
#include <QPushButton>
#include <QStringList>
#include <QToolButton>

#include "views/theme/theme.h"

class QHBoxLayout;

namespace pt2::views {

/// Text that looks and behaves like a link: goes to a page ("Signature ›") or opens a dialog ("Copy as…").
class LinkLabel : public QAbstractButton {
    Q_OBJECT
public:
    explicit LinkLabel(const QString& text, QWidget* parent = nullptr);
    void setCaption(bool caption);  ///< the small size
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont font_() const;
    bool caption_ = false;
};

/// A short fact on a ground: icon and text, height 20. Clickable when connected; then it is in the tab order.
class Chip : public QAbstractButton {
    Q_OBJECT
public:
    explicit Chip(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
    void setState(State state);       ///< ground and colour of a state instead of neutral
    void setOutlined(bool outlined);  ///< hairline on base instead of a ground: Min, Example, Max
    void setCode(bool code);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString icon_;
    State state_ = State::Neutral;
    bool outlined_ = false, code_ = false;
};

/// One of a few: "Off | On | Both". Left and Right move the choice.
class SegmentedSwitch : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedSwitch(const QStringList& labels, QWidget* parent = nullptr);
    int current() const { return current_; }
    void setCurrent(int index);
    QStringList labels() const { return labels_; }
    void setLabels(const QStringList& labels);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRect segment(int index) const;
    int segmentAt(const QPoint& position) const;
    QStringList labels_;
    int current_ = 0, hovered_ = -1;
};

/// Accent-filled button: one on a page, made by the frame.
QPushButton* primaryButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
QPushButton* plainButton(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
/// Icon only; the tooltip is the command and also the accessible name.
QToolButton* iconButton(const QString& iconName, const QString& tooltip, QWidget* parent = nullptr);

/// 1 px in the border colour, horizontal or vertical.
class Hairline : public QWidget {
    Q_OBJECT
public:
    explicit Hairline(Qt::Orientation orientation = Qt::Horizontal, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A widget filled with one role's colour.
class Ground : public QWidget {
    Q_OBJECT
public:
    explicit Ground(Role role, QWidget* parent = nullptr);
    void setRole(Role role);
    /// A hairline along these edges.
    void setEdges(Qt::Edges edges);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Role role_;
    Qt::Edges edges_;
};

/// Row of controls at a page's top: 40 high, window ground, hairline below. Add widgets to its layout.
class PageToolbar : public Ground {
    Q_OBJECT
public:
    explicit PageToolbar(QWidget* parent = nullptr);
    QHBoxLayout* row() const { return row_; }

private:
    QHBoxLayout* row_;
};

/// Icon of a fixed size in a role's colour.
class IconLabel : public QWidget {
    Q_OBJECT
public:
    IconLabel(const QString& name, int size = 16, Role role = Role::Text, QWidget* parent = nullptr);
    void setIcon(const QString& name, Role role);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString name_;
    Role role_;
};

}  // namespace pt2::views

#include "views/widgets/controls.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/look_style.h"
#include "views/theme/spacing.h"

namespace pt2::views {

LinkLabel::LinkLabel(const QString& text, QWidget* parent) : QAbstractButton(parent) {
    setText(text);
    setAccessibleName(text);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void LinkLabel::setCaption(bool caption) {
    caption_ = caption;
    updateGeometry();
}

QFont LinkLabel::font_() const { return uiFont(caption_ ? TextSize::Caption : TextSize::Body); }

QSize LinkLabel::sizeHint() const {
    const QFontMetrics metrics(font_());
    return {metrics.horizontalAdvance(text()) + 2, std::max(metrics.height() + 2, caption_ ? 16 : 24)};
}

void LinkLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QFont font = font_();
    font.setUnderline(isEnabled() && underMouse());
    painter.setFont(font);
    painter.setPen(color(isEnabled() ? Role::Link : Role::Disabled));
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text());
    if (hasFocus()) drawPanel(painter, QRectF(rect()), 3, QColor(), color(Role::Focus), 1.5);
}

Chip::Chip(const QString& text, const QString& iconName, QWidget* parent) : QAbstractButton(parent), icon_(iconName) {
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::NoFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Chip::setState(State state) {
    state_ = state;
    update();
}

void Chip::setOutlined(bool outlined) {
    outlined_ = outlined;
    setFocusPolicy(outlined ? Qt::TabFocus : Qt::NoFocus);
    update();
}

void Chip::setCode(bool code) {
    code_ = code;
    updateGeometry();
}

QSize Chip::sizeHint() const {
    const QFontMetrics metrics(code_ ? codeFont(TextSize::Caption) : uiFont(TextSize::Caption));
    const int icon = icon_.isEmpty() ? 0 : 14 + Spacing::xs;
    return {metrics.horizontalAdvance(text()) + icon + 2 * 6 + 2, std::max(20, metrics.height() + 6)};
}

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool hovered = isEnabled() && underMouse() && cursor().shape() == Qt::PointingHandCursor;
    const Role ground = state_ == State::Neutral ? (hovered ? Role::Selection : Role::GroupRow) : stateGround(state_);
    if (outlined_) {
        drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(Role::Card),
                  color(isEnabled() && underMouse() ? Role::Strong : Role::Border));
    } else {
        drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(ground), QColor(), 0);
    }
    const QColor textColour = color(!isEnabled() ? Role::Disabled : state_ == State::Neutral ? Role::Text : stateRole(state_));
    QRect text_ = rect().adjusted(6, 0, -6, 0);
    if (!icon_.isEmpty()) {
        paintIcon(painter, QRectF(text_.left(), (height() - 14) / 2.0, 14, 14), icon_, state_ == State::Neutral ? color(Role::Muted) : textColour);
        text_.adjust(14 + Spacing::xs, 0, 0, 0);
    }
    painter.setPen(textColour);
    painter.setFont(code_ ? codeFont(TextSize::Caption) : uiFont(TextSize::Caption));
    painter.drawText(text_, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text());
    if (hasFocus()) drawPanel(painter, QRectF(rect()), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
}

SegmentedSwitch::SegmentedSwitch(const QStringList& labels, QWidget* parent) : QWidget(parent), labels_(labels) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(labels.join(QStringLiteral(", ")));
}

void SegmentedSwitch::setCurrent(int index) {
    index = std::clamp(index, 0, static_cast<int>(labels_.size()) - 1);
    if (index == current_) return;
    current_ = index;
    update();
    emit currentChanged(index);
}

void SegmentedSwitch::setLabels(const QStringList& labels) {
    if (labels == labels_) return;
    labels_ = labels;
    setAccessibleName(labels.join(QStringLiteral(", ")));
    if (current_ >= labels_.size()) setCurrent(0);
    updateGeometry();
    update();
}

QSize SegmentedSwitch::sizeHint() const {
    const QFontMetrics metrics(uiFont(TextSize::Strong));
    int widest = 0;
    for (const QString& label : labels_) widest = std::max(widest, metrics.horizontalAdvance(label));
    return {(widest + 2 * Spacing::m + 2) * static_cast<int>(labels_.size()), std::max(Metrics::control, metrics.height() + Spacing::s)};
}

QRect SegmentedSwitch::segment(int index) const {
    const int count = static_cast<int>(labels_.size());
    const int from = width() * index / count, to = width() * (index + 1) / count;
    return {from, 0, to - from, height()};
}

int SegmentedSwitch::segmentAt(const QPoint& position) const {
    for (int i = 0; i < labels_.size(); ++i) {
        if (segment(i).contains(position)) return i;
    }
    return -1;
}

void SegmentedSwitch::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(Role::Alt), color(Role::Border));
    for (int i = 0; i < labels_.size(); ++i) {
        const QRect part = segment(i);
        const bool on = i == current_;
        if (on) {
            drawPanel(painter, QRectF(part), Metrics::controlRadius, color(Role::Selection), color(isEnabled() ? Role::Accent : Role::Border),
                      hasFocus() ? 2 : 1.5);
        } else if (i > 0 && i != current_ + 1) {
            painter.fillRect(QRect(part.left(), 6, 1, height() - 12), color(Role::Border));
        }
        painter.setFont(uiFont(on ? TextSize::Strong : TextSize::Body));
        painter.setPen(color(!isEnabled() ? Role::Disabled : on ? Role::SelectionText : i == hovered_ ? Role::Text : Role::Muted));
        painter.drawText(part, Qt::AlignCenter, labels_[i]);
    }
}

void SegmentedSwitch::mousePressEvent(QMouseEvent* event) {
    const int index = segmentAt(event->position().toPoint());
    if (index >= 0) setCurrent(index);
}

void SegmentedSwitch::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = segmentAt(event->position().toPoint());
    update();
}

void SegmentedSwitch::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void SegmentedSwitch::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left) return setCurrent(current_ - 1);
    if (event->key() == Qt::Key_Right) return setCurrent(current_ + 1);
    QWidget::keyPressEvent(event);
}

QPushButton* primaryButton(const QString& text, const QString& iconName, QWidget* parent) {
    QPushButton* button = plainButton(text, iconName, parent);
    button->setProperty("primary", true);
    return button;
}

QPushButton* plainButton(const QString& text, const QString& iconName, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setProperty("iconName", iconName);
    QFont font = uiFont();
    font.setWeight(QFont::DemiBold);
    button->setFont(font);
    if (!iconName.isEmpty()) button->setIcon(icon(iconName));
    button->setAutoDefault(false);
    return button;
}

QToolButton* iconButton(const QString& iconName, const QString& tooltip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(icon(iconName, Role::Muted));
    button->setIconSize(QSize(16, 16));
    button->setToolTip(tooltip);
    button->setAccessibleName(tooltip);
    button->setAutoRaise(true);
    button->setFixedSize(Metrics::control, Metrics::control);
    return button;
}

Hairline::Hairline(Qt::Orientation orientation, QWidget* parent) : QWidget(parent) {
    if (orientation == Qt::Horizontal) {
        setFixedHeight(1);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    } else {
        setFixedWidth(1);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    }
}

void Hairline::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), color(Role::Border)); }

Ground::Ground(Role role, QWidget* parent) : QWidget(parent), role_(role) {}

void Ground::setRole(Role role) {
    role_ = role;
    update();
}

void Ground::setEdges(Qt::Edges edges) {
    edges_ = edges;
    update();
}

void Ground::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(role_));
    const QColor line = color(Role::Border);
    if (edges_ & Qt::TopEdge) painter.fillRect(QRect(0, 0, width(), 1), line);
    if (edges_ & Qt::BottomEdge) painter.fillRect(QRect(0, height() - 1, width(), 1), line);
    if (edges_ & Qt::LeftEdge) painter.fillRect(QRect(0, 0, 1, height()), line);
    if (edges_ & Qt::RightEdge) painter.fillRect(QRect(width() - 1, 0, 1, height()), line);
}

PageToolbar::PageToolbar(QWidget* parent) : Ground(Role::Window, parent), row_(new QHBoxLayout(this)) {
    setEdges(Qt::BottomEdge);
    setFixedHeight(Metrics::toolbar);
    setMargins(row_, Spacing::l, 0, Spacing::s);
}

IconLabel::IconLabel(const QString& name, int size, Role role, QWidget* parent) : QWidget(parent), name_(name), role_(role) {
    setFixedSize(size, size);
}

void IconLabel::setIcon(const QString& name, Role role) {
    name_ = name;
    role_ = role;
    update();
}

void IconLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintIcon(painter, QRectF(rect()), name_, isEnabled() ? role_ : Role::Disabled);
}

}  // namespace pt2::views

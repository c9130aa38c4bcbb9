#include "views/graph/graph_furniture.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "core/base/text.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_scene.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr int kTitle = 32, kRow = 24, kLegendWidth = 176, kMapWidth = 176, kMapHeight = 120, kSwatch = 10, kWords = 52;

QString familyWords(int family) { return QString::fromUtf8(operatorFamilyName(static_cast<OperatorFamily>(family))); }

}  // namespace

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Operator families"));
    setCursor(Qt::ArrowCursor);
}

void GraphLegend::setScene(const GraphScene* scene) {
    entries_.clear();
    for (int f = 0; scene != nullptr && f < kOperatorFamilyCount; ++f) {
        const int count = scene->familyCounts()[static_cast<std::size_t>(f)];
        if (count > 0) entries_.push_back({f, count});
    }
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.count > b.count; });
    resize(sizeHint());
    update();
}

void GraphLegend::setFolded(bool folded) {
    folded_ = folded;
    resize(sizeHint());
    update();
}

void GraphLegend::setCurrent(int family) {
    current_ = family;
    update();
}

QSize GraphLegend::sizeHint() const {
    const int rows = folded_ ? 0 : static_cast<int>(entries_.size());
    const QFontMetrics body(uiFont()), code(codeFont(TextSize::Caption));
    int widest = 0;
    for (const Entry& e : entries_)
        widest = std::max(
            widest, body.horizontalAdvance(familyWords(e.family)) + code.horizontalAdvance(toQt(formatCount(static_cast<std::uint64_t>(e.count)))));
    return {std::max(kLegendWidth, kWords + widest + 2 * Spacing::m), kTitle + rows * kRow + (rows > 0 ? 8 : 0)};
}

void GraphLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawPanel(painter, QRectF(rect()), Metrics::cardRadius, color(Role::Raised), hasFocus() ? color(Role::Focus) : color(Role::Border));
    painter.setFont(uiFont(TextSize::Strong));
    painter.setPen(color(Role::Muted));
    painter.drawText(QRect(Spacing::m, 0, width() - 40, kTitle), Qt::AlignVCenter, tr("Families"));
    const QPointF c(width() - 18, kTitle / 2.0);
    painter.setPen(QPen(color(Role::Text), 1.4));
    const QPointF down[] = {c + QPointF(-4, -2), c + QPointF(0, 2), c + QPointF(4, -2)};
    const QPointF right[] = {c + QPointF(-2, -4), c + QPointF(2, 0), c + QPointF(-2, 4)};
    painter.drawPolyline(folded_ ? right : down, 3);
    if (folded_) return;
    const QFont code = codeFont(TextSize::Caption);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& e = entries_[i];
        const QRect row(0, kTitle + static_cast<int>(i) * kRow, width(), kRow);
        if (hovered_ == static_cast<int>(i) || e.family == current_) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color(e.family == current_ ? Role::Selection : Role::Alt));
            painter.drawRoundedRect(QRectF(row).adjusted(4, 0, -4, 0), 4, 4);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(familyColor(static_cast<OperatorFamily>(e.family)));
        painter.drawRoundedRect(QRectF(Spacing::m, row.center().y() - kSwatch / 2.0 + 1, kSwatch, kSwatch), 2, 2);
        painter.setFont(code);
        painter.setPen(color(Role::Muted));
        painter.drawText(QRect(30, row.top(), 24, kRow), Qt::AlignVCenter,
                         QString::fromLatin1(operatorFamilyTag(static_cast<OperatorFamily>(e.family))));
        const QString count = toQt(formatCount(static_cast<std::uint64_t>(e.count)));
        painter.drawText(QRect(0, row.top(), width() - Spacing::m, kRow), Qt::AlignVCenter | Qt::AlignRight, count);
        const int countWidth = QFontMetrics(code).horizontalAdvance(count);
        painter.setFont(uiFont());
        painter.setPen(color(e.family == current_ ? Role::SelectionText : Role::Text));
        painter.drawText(QRect(kWords, row.top(), width() - kWords - Spacing::m - Spacing::xs - countWidth, kRow), Qt::AlignVCenter,
                         familyWords(e.family));
    }
}

SpokenPart GraphLegend::spokenPart(int index) const {
    SpokenPart part;
    if (index < 0 || index >= spokenCount()) return part;
    const Entry& entry = entries_[static_cast<std::size_t>(index)];
    part.name = QStringLiteral("%1, %2").arg(familyWords(entry.family), toQt(formatCount(static_cast<std::uint64_t>(entry.count))));
    part.description = tr("Keeps the operators of this family at full strength");
    part.place = QRect(0, kTitle + index * kRow, width(), kRow);
    part.role = QAccessible::ListItem;
    part.pressable = part.selectable = true;
    part.selected = entry.family == current_;
    return part;
}

void GraphLegend::pressSpokenPart(int index) {
    if (index >= 0 && index < spokenCount()) emit familyClicked(entries_[static_cast<std::size_t>(index)].family);
}

void GraphLegend::mousePressEvent(QMouseEvent* event) {
    const int y = static_cast<int>(event->position().y());
    if (y < kTitle) {
        folded_ = !folded_;
        emit resized();
        return;
    }
    const auto row = static_cast<std::size_t>((y - kTitle) / kRow);
    if (row < entries_.size()) emit familyClicked(entries_[row].family);
}

void GraphLegend::mouseMoveEvent(QMouseEvent* event) {
    const int y = static_cast<int>(event->position().y());
    hovered_ = y < kTitle ? -1 : (y - kTitle) / kRow;
    update();
}

void GraphLegend::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void GraphLegend::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(entries_.size());
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        hovered_ = std::clamp(hovered_ + (event->key() == Qt::Key_Down ? 1 : -1), 0, std::max(0, count - 1));
        announceSpokenPart(this, hovered_);
        update();
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Space) && hovered_ >= 0 && hovered_ < count) {
        emit familyClicked(entries_[static_cast<std::size_t>(hovered_)].family);
    } else {
        QWidget::keyPressEvent(event);
    }
}

GraphMinimap::GraphMinimap(GraphCanvas& canvas) : QWidget(&canvas), canvas_(canvas) {
    resize(kMapWidth, kMapHeight);
    setCursor(Qt::ArrowCursor);
    setAccessibleName(tr("Overview of the drawing"));
}

void GraphMinimap::setScene(const GraphScene* scene) {
    scene_ = scene;
    generation_ = -1;
    update();
}

/// Where the drawing stands in the widget, its proportions kept.
QRectF GraphMinimap::drawn() const {
    const QRectF room = QRectF(rect()).adjusted(6, 6, -6, -6);
    if (scene_ == nullptr) return room;
    const QRectF bounds = scene_->bounds();
    const double scale = std::min(room.width() / std::max(1.0, bounds.width()), room.height() / std::max(1.0, bounds.height()));
    QRectF area(0, 0, std::max(2.0, bounds.width() * scale), std::max(2.0, bounds.height() * scale));
    area.moveCenter(room.center());
    return area;
}

void GraphMinimap::render() {
    const QRectF area = drawn();
    const double ratio = devicePixelRatioF();
    picture_ = QPixmap((area.size() * ratio).toSize().expandedTo(QSize(1, 1)));
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(Qt::transparent);
    QPainter painter(&picture_);
    GraphPainter graph;
    GraphPaintState state;
    const double scale = std::min(area.width() / std::max(1.0, scene_->bounds().width()), area.height() / std::max(1.0, scene_->bounds().height()));
    // Never more detail than filled boxes, whatever the size.
    graph.paint(painter, *scene_, state, scene_->bounds(), QPointF(0, 0), std::min(scale, 0.4));
    generation_ = Theme::instance().generation();
}

void GraphMinimap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawPanel(painter, QRectF(rect()), Metrics::cardRadius, color(Role::Raised), color(Role::Border));
    if (scene_ == nullptr) return;
    if (generation_ != Theme::instance().generation() || picture_.devicePixelRatio() != devicePixelRatioF()) render();
    const QRectF area = drawn();
    painter.drawPixmap(area.topLeft(), picture_);
    const QRectF view = canvas_.visibleRegion();
    const QRectF bounds = scene_->bounds();
    const double sx = area.width() / std::max(1.0, bounds.width()), sy = area.height() / std::max(1.0, bounds.height());
    QRectF frame(area.left() + view.left() * sx, area.top() + view.top() * sy, view.width() * sx, view.height() * sy);
    frame = frame.intersected(QRectF(rect()).adjusted(3, 3, -3, -3));
    if (frame.height() < 4) frame.setHeight(4);
    if (frame.width() < 4) frame.setWidth(4);
    QColor fill = color(Role::Accent);
    fill.setAlphaF(0.08F);
    painter.setBrush(fill);
    painter.setPen(QPen(color(Role::Accent), 1.5));
    painter.drawRoundedRect(frame, 2, 2);
}

void GraphMinimap::jump(QPointF position) {
    if (scene_ == nullptr) return;
    const QRectF area = drawn();
    canvas_.centerOn(QPointF((position.x() - area.left()) / area.width() * scene_->bounds().width(),
                             (position.y() - area.top()) / area.height() * scene_->bounds().height()));
}

void GraphMinimap::mousePressEvent(QMouseEvent* event) { jump(event->position()); }
void GraphMinimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) jump(event->position());
}

}  // namespace pt2::views

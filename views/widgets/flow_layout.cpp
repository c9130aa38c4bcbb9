#include "views/widgets/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace pt2::views {

FlowLayout::FlowLayout(QWidget* parent, int horizontalGap, int verticalGap) : QLayout(parent), horizontal_(horizontalGap), vertical_(verticalGap) {}

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : items_) delete item;
}

void FlowLayout::addItem(QLayoutItem* item) { items_.push_back(item); }
int FlowLayout::count() const { return static_cast<int>(items_.size()); }

QLayoutItem* FlowLayout::itemAt(int index) const { return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr; }

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= count()) return nullptr;
    QLayoutItem* item = items_[static_cast<std::size_t>(index)];
    items_.erase(items_.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const { return arrange(QRect(0, 0, width, 0), false); }

QSize FlowLayout::sizeHint() const {
    const QMargins margins = contentsMargins();
    int width = margins.left() + margins.right(), height = 0;
    for (const QLayoutItem* item : items_) {
        width += item->sizeHint().width() + horizontal_;
        height = std::max(height, item->sizeHint().height());
    }
    return {width, height + margins.top() + margins.bottom()};
}

QSize FlowLayout::minimumSize() const {
    const QMargins margins = contentsMargins();
    QSize size(0, 0);
    for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool place) const {
    const QMargins margins = contentsMargins();
    const QRect inner = rect.marginsRemoved(margins);
    int x = inner.left(), y = inner.top(), line = 0;
    for (QLayoutItem* item : items_) {
        if (item->isEmpty()) continue;
        const QSize size = item->sizeHint();
        if (x > inner.left() && x + size.width() > inner.right() + 1) {
            x = inner.left();
            y += line + vertical_;
            line = 0;
        }
        if (place) item->setGeometry(QRect(QPoint(x, y), QSize(std::min(size.width(), inner.width()), size.height())));
        x += size.width() + horizontal_;
        line = std::max(line, size.height());
    }
    return y + line - rect.top() + margins.bottom();
}

}  // namespace pt2::views

#include "views/widgets/vertical_scroll.h"

#include <QScrollArea>

namespace pt2::views {

QScrollArea* verticalScroll(QWidget* content) {
    auto* area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

}  // namespace pt2::views

#include "views/widgets/vertical_scroll.h"

#include <QScrollArea>

namespace pt2::views {

QScrollArea* verticalScroll(QWidget* content, const QString& name) {
    auto* area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setAccessibleName(name);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

}  // namespace pt2::views

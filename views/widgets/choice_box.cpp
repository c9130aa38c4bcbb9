#include "views/widgets/choice_box.h"

#include <QComboBox>

namespace pt2::views {

QComboBox* makeChoiceBox(const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    // Qt's accessibility for X11 and Wayland gives the chosen text as the name of a combo box, so the name is told here as well.
    box->setAccessibleDescription(name);
    return box;
}

}  // namespace pt2::views

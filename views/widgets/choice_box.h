#pragma once

#include <QString>

class QComboBox;

namespace pt2::views {

/// A list to choose one of. `name` is what assistive technology says it is for.
QComboBox* makeChoiceBox(const QString& name);

}  // namespace pt2::views

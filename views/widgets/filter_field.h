#pragma once

#include <QString>

class QLineEdit;

namespace pt2::views {

/// The field above a table that filters it: an icon before the text and a button that clears it. `name` is what assistive technology reads.
QLineEdit* makeFilterField(const QString& placeholder, const QString& name);

}  // namespace pt2::views

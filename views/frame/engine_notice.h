#pragma once

#include <QString>

class QWidget;

namespace pt2::views {

/// What a page that runs models shows while there is no usable run engine, with a way to look again; null while there is one or it is not known.
/// `icon` is the page's. The caller owns the widget.
QWidget* makeEngineNotice(const QString& icon);

}  // namespace pt2::views

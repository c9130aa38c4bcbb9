#pragma once

class QWidget;

namespace pt2::views {

/// What a page that runs models shows while there is no usable run engine: why, with a way to set one up; while that is being done, how far it is.
/// Null while there is one or it is not known. The caller owns the widget, and makes it anew when the EngineService says `changed`.
QWidget* makeEngineNotice();

}  // namespace pt2::views

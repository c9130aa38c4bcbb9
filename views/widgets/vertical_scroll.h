#pragma once

class QScrollArea;
class QString;
class QWidget;

namespace pt2::views {

/// A frameless area as wide as there is room, in which `content` scrolls up and down only. It owns the content.
/// `name` is what a screen reader calls it.
QScrollArea* verticalScroll(QWidget* content, const QString& name);

}  // namespace pt2::views

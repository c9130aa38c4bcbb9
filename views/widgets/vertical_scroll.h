#pragma once

class QScrollArea;
class QWidget;

namespace pt2::views {

/// A frameless area as wide as there is room, in which `content` scrolls up and down only. It owns the content.
QScrollArea* verticalScroll(QWidget* content);

}  // namespace pt2::views

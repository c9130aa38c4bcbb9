#pragma once

#include <QString>
#include <functional>

namespace pt2::views {

/// A button or link of a panel.
struct PanelAction {
    QString text;
    std::function<void()> run;
};

}  // namespace pt2::views

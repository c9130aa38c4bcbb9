#pragma once

#include <QLayout>

namespace pt2::views {

/// Distances of look.md 5 in logical pixels; no view writes a distance as a number.
struct Spacing {
    static constexpr int xs = 4;    ///< icon to text, chip padding, between chips
    static constexpr int s = 8;     ///< between related controls, cell padding
    static constexpr int m = 12;    ///< inside docks
    static constexpr int l = 16;    ///< inside cards, between groups
    static constexpr int xl = 24;   ///< page margins, between sections
    static constexpr int xxl = 40;  ///< around empty states
};

/// Fixed heights and widths of look.md 1 and 5.
struct Metrics {
    static constexpr int row = 28;
    static constexpr int rowTwoLines = 56;
    static constexpr int control = 28;
    static constexpr int controlMinWidth = 72;
    static constexpr int menuRow = 36;
    static constexpr int tabBar = 36;
    static constexpr int addressBar = 40;
    static constexpr int toolbar = 40;
    static constexpr int statusBar = 24;
    static constexpr int navigationWidth = 168;
    static constexpr int navigationNarrow = 48;
    static constexpr int navigationEntry = 36;
    static constexpr int cardTitle = 40;
    static constexpr int inspector = 320;
    static constexpr int inspectorMin = 240;
    static constexpr int inspectorMax = 560;
    static constexpr int controlRadius = 4;
    static constexpr int cardRadius = 6;
    static constexpr int jumpField = 440;
    static constexpr int emptyWidth = 420;
    static constexpr int accentBar = 3;
};

/// Sets all four margins and the gap of a layout.
inline void setMargins(QLayout* layout, int margin, int gap) {
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(gap);
}
inline void setMargins(QLayout* layout, int horizontal, int vertical, int gap) {
    layout->setContentsMargins(horizontal, vertical, horizontal, vertical);
    layout->setSpacing(gap);
}

}  // namespace pt2::views

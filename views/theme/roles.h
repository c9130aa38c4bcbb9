#pragma once

#include <QColor>
#include <array>

#include "core/program/operator_family.h"

namespace pt2::views {

/// What a colour is for (look.md 2). Views name a role, never a value.
enum class Role : int {
    Window,
    Base,
    Alt,
    Raised,
    Canvas,
    Group1,
    Group2,
    Group3,
    Border,
    Strong,
    Text,
    Muted,
    Disabled,
    Accent,
    OnAccent,
    AccentHover,
    AccentPressed,
    Selection,
    SelectionText,
    Focus,
    Link,
    Ok,
    OkGround,
    Info,
    InfoGround,
    Warning,
    WarningGround,
    Error,
    ErrorGround,
    Added,
    AddedGround,
    Removed,
    RemovedGround,
    Changed,
    ChangedGround,
    Edge,
    DimEdge,
    DimEdgeInGroup,
    CurrentLine,
    CodeKeyword,
    CodeType,
    CodeString,
    CodeNumber,
    CodeFunction,
    CodeComment,
    Tooltip,
    TooltipText,
    TabBar,    ///< ground behind the document tabs
    GroupRow,  ///< ground of a group's row in a table on a card
    Card,      ///< ground of a card
    Count,
};
inline constexpr int kRoleCount = static_cast<int>(Role::Count);
const char* roleName(Role role);

inline constexpr int kSeriesCount = 5;
inline constexpr int kRampCount = 5;

/// One theme's colours: roles, operator families, series of plots, and the two ramps.
struct ThemeTable {
    std::array<QColor, kRoleCount> roles;
    std::array<QColor, kOperatorFamilyCount> families;  ///< in the order of OperatorFamily
    std::array<QColor, kSeriesCount> series;
    std::array<QColor, kRampCount> ramp;
    std::array<QColor, kRampCount> diverging;
    QColor role(Role r) const { return roles[static_cast<std::size_t>(r)]; }
};
const ThemeTable& lightTable();
const ThemeTable& darkTable();

/// Contrast ratio of WCAG 2.x, 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

}  // namespace pt2::views

#include "views/theme/roles.h"

#include <algorithm>
#include <cmath>

namespace pt2::views {

namespace {

struct RoleRow {
    Role role;
    const char* name;
    QRgb light, dark;
};

// look.md 2. The last three are grounds that the pictures have and the table does not name.
constexpr RoleRow kRows[] = {
    {Role::Window, "window", 0xF5F6F8, 0x1E2126},
    {Role::Base, "base", 0xFFFFFF, 0x16181C},
    {Role::Alt, "alt", 0xF0F2F5, 0x1B1E23},
    {Role::Raised, "raised", 0xFFFFFF, 0x262A30},
    {Role::Canvas, "canvas", 0xFAFBFC, 0x131519},
    {Role::Group1, "group 1", 0xEEF1F5, 0x1D2026},
    {Role::Group2, "group 2", 0xE6EAF0, 0x23272E},
    {Role::Group3, "group 3", 0xDDE3EB, 0x2A2F37},
    {Role::Border, "border", 0xD5DAE1, 0x363C45},
    {Role::Strong, "strong", 0x818995, 0x757F8C},
    {Role::Text, "text", 0x1B1F24, 0xE6E9ED},
    {Role::Muted, "muted", 0x56606C, 0xA3ADB9},
    {Role::Disabled, "disabled", 0x7C8590, 0x6F7985},
    {Role::Accent, "accent", 0x1F5FBF, 0x6AA6FF},
    {Role::OnAccent, "on accent", 0xFFFFFF, 0x0B1B33},
    {Role::AccentHover, "accent hover", 0x194E9E, 0x8ABAFF},
    {Role::AccentPressed, "accent pressed", 0x143F80, 0xA6CBFF},
    {Role::Selection, "selection", 0xD6E4FA, 0x24406B},
    {Role::SelectionText, "selection text", 0x10264A, 0xF2F6FC},
    {Role::Focus, "focus ring", 0x1F5FBF, 0x7FB2FF},
    {Role::Link, "link", 0x1A57B0, 0x86B6FF},
    {Role::Ok, "ok", 0x177245, 0x5CC98B},
    {Role::OkGround, "ok ground", 0xE4F4EB, 0x17301F},
    {Role::Info, "info", 0x0F6A8B, 0x66C2E0},
    {Role::InfoGround, "info ground", 0xE5F3F8, 0x12303B},
    {Role::Warning, "warning", 0x8A5A00, 0xE8B24A},
    {Role::WarningGround, "warning ground", 0xFFF4DB, 0x33280F},
    {Role::Error, "error", 0xB3261E, 0xFF8A80},
    {Role::ErrorGround, "error ground", 0xFDECEA, 0x3A1A18},
    {Role::Added, "added", 0x1A6B3C, 0x6FD69A},
    {Role::AddedGround, "added ground", 0xDFF3E6, 0x16321F},
    {Role::Removed, "removed", 0xA3281F, 0xFF9A91},
    {Role::RemovedGround, "removed ground", 0xFBE3E1, 0x3B1B19},
    {Role::Changed, "changed", 0x7A5200, 0xEBBE63},
    {Role::ChangedGround, "changed ground", 0xFFF0CC, 0x352A10},
    {Role::Edge, "edge", 0x667080, 0x8A94A1},
    {Role::DimEdge, "dim edge", 0xC3CAD3, 0x3D444E},
    {Role::DimEdgeInGroup, "dim edge in group", 0x99A1AD, 0x5F6873},
    {Role::CurrentLine, "current line", 0xFFF6E0, 0x352A10},
    {Role::CodeKeyword, "code keyword", 0x8E3C8A, 0xDB9AD8},
    {Role::CodeType, "code type", 0x0F6A8B, 0x66C2E0},
    {Role::CodeString, "code string", 0x177245, 0x5CC98B},
    {Role::CodeNumber, "code number", 0xB4530A, 0xF2A65A},
    {Role::CodeFunction, "code function", 0x1A57B0, 0x86B6FF},
    {Role::CodeComment, "code comment", 0x56606C, 0xA3ADB9},
    {Role::Tooltip, "tooltip", 0x2B3038, 0x2B3038},
    {Role::TooltipText, "tooltip text", 0xF5F7FA, 0xF5F7FA},
    {Role::TabBar, "tab bar", 0xE7EAEE, 0x262A30},
    {Role::GroupRow, "group row", 0xF0F2F5, 0x262A30},
    {Role::Card, "card", 0xFFFFFF, 0x1E2126},
};
static_assert(std::size(kRows) == kRoleCount);

// look.md 3, in the order of OperatorFamily.
constexpr QRgb kFamilies[kOperatorFamilyCount][2] = {
    {0x3F56D1, 0x5278E5}, {0x006155, 0x78EBFE}, {0x472F98, 0xB1A3FD}, {0xCC60C5, 0xE9A8BB}, {0x409B6C, 0x14C274},
    {0x5E4205, 0xDADA76}, {0x8E5A03, 0xFD8908}, {0xED5A31, 0xBC6558}, {0x6B7582, 0x8A94A1},
};
// look.md 14.
constexpr QRgb kSeries[kSeriesCount][2] = {
    {0x1F5FBF, 0x6AA6FF}, {0xB4530A, 0xF2A65A}, {0x12705F, 0x4FC9A8}, {0x8E3C8A, 0xDB9AD8}, {0x6B7582, 0x8A94A1}};
// look.md 3: numbers from small to large, and signed numbers.
constexpr QRgb kRamp[kRampCount][2] = {{0xDCE8FA, 0x1B2A44}, {0xA9C6F2, 0x274A80}, {0x6F9CE0, 0x2F5EA8}, {0x3A6FC4, 0x79A8EE}, {0x173F86, 0xC9DEFF}};
constexpr QRgb kDiverging[kRampCount][2] = {
    {0x1F5FBF, 0x6AA6FF}, {0xA9C6F2, 0x2F5EA8}, {0xE6EAF0, 0x23272E}, {0xF3BE91, 0x8A5527}, {0xB4530A, 0xF2A65A}};

ThemeTable build(bool dark) {
    ThemeTable table;
    for (const RoleRow& row : kRows) table.roles[static_cast<std::size_t>(row.role)] = QColor(dark ? row.dark : row.light);
    const std::size_t column = dark ? 1 : 0;
    for (std::size_t i = 0; i < table.families.size(); ++i) table.families[i] = QColor(kFamilies[i][column]);
    for (std::size_t i = 0; i < table.series.size(); ++i) table.series[i] = QColor(kSeries[i][column]);
    for (std::size_t i = 0; i < table.ramp.size(); ++i) table.ramp[i] = QColor(kRamp[i][column]);
    for (std::size_t i = 0; i < table.diverging.size(); ++i) table.diverging[i] = QColor(kDiverging[i][column]);
    return table;
}

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }

double luminance(const QColor& c) { return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF()); }

}  // namespace

const char* roleName(Role role) { return kRows[static_cast<std::size_t>(role)].name; }

const ThemeTable& lightTable() {
    static const ThemeTable table = build(false);
    return table;
}

const ThemeTable& darkTable() {
    static const ThemeTable table = build(true);
    return table;
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

}  // namespace pt2::views

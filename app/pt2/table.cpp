#include "app/pt2/table.h"

#include <algorithm>

#include "core/base/text.h"

namespace pt2 {
namespace {

bool isWide(std::uint32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
           (c >= 0x20000 && c <= 0x3FFFD);
}

bool isCombining(std::uint32_t c) { return (c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F); }

}  // namespace

std::size_t displayWidth(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        std::uint32_t code = lead;
        if (length > 1) code = lead & (0xFFu >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k) code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
        width += isCombining(code) ? 0 : isWide(code) ? 2 : 1;
        i += length;
    }
    return width;
}

void Table::print(Output& out, std::string_view indent) const {
    std::vector<std::vector<std::string>> shown(rows_.size());
    std::vector<std::size_t> widths(columns_.size(), 0);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            shown[r].push_back(c < rows_[r].size() ? escapeForDisplay(rows_[r][c].text) : std::string());
            widths[c] = std::max(widths[c], displayWidth(shown[r][c]));
        }
    }
    bool head = false;
    std::vector<bool> visible(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        visible[c] = widths[c] > 0;
        if (!visible[c] || columns_[c].title.empty()) continue;
        head = true;
        widths[c] = std::max(widths[c], displayWidth(columns_[c].title));
    }
    const auto printLine = [&](const std::function<std::string(std::size_t)>& textOf, const std::function<Style(std::size_t)>& styleOf) {
        std::string line(indent);
        std::size_t spaces = 0;  // held back, so that no line ends in spaces
        bool first = true;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (!visible[c]) continue;
            if (!first) spaces += 2;
            first = false;
            const std::string text = textOf(c);
            const std::size_t room = widths[c] - std::min(widths[c], displayWidth(text));
            if (columns_[c].align == Align::Right) spaces += room;
            if (!text.empty()) {
                line.append(spaces, ' ');
                spaces = 0;
                line += out.paint(styleOf(c), text);
            }
            if (columns_[c].align == Align::Left) spaces += room;
        }
        out.line(line);
    };
    if (rows_.empty()) return;
    if (head) printLine([&](std::size_t c) { return columns_[c].title; }, [](std::size_t) { return Style::Muted; });
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        printLine([&](std::size_t c) { return shown[r][c]; }, [&](std::size_t c) { return c < rows_[r].size() ? rows_[r][c].style : Style::Plain; });
    }
}

}  // namespace pt2

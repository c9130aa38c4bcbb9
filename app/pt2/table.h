#pragma once

#include <string>
#include <vector>

#include "app/pt2/output.h"

namespace pt2 {

/// Aligned columns with two spaces between them. Texts are shown whole, never clipped; what a file controls is made visible.
class Table {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };
    struct Cell {
        std::string text;
        Style style = Style::Plain;
        Cell(std::string t, Style s = Style::Plain) : text(std::move(t)), style(s) {}  // NOLINT: cells are written as plain texts
        Cell(const char* t) : text(t) {}                                               // NOLINT
    };

    /// Without any title no head is printed.
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    /// Columns in which every cell is empty are left out.
    void print(Output& out, std::string_view indent = {}) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

/// Columns a terminal needs for the text (UTF-8; wide East Asian characters count two).
std::size_t displayWidth(std::string_view text);

}  // namespace pt2

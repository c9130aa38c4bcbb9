#include "views/files/library_rows.h"

#include <QObject>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::size_t kMostNames = 5'000;  // of one list; a library of AOTInductor has some hundreds

Row fact(const QString& name, const Cell& value) {
    Row row;
    row.cells = {Cell(name), value};
    return row;
}

Row group(const QString& title, std::vector<Row> children, bool open) {
    Row row;
    row.cells = {Cell(title)};
    row.group = true;
    row.open = open;
    row.children = std::move(children);
    return row;
}

Cell foundWords(const std::optional<bool>& found) {
    if (!found) return Cell::missing(QObject::tr("not known"));
    if (*found) return Cell::muted(QObject::tr("found"));
    Cell missing(QObject::tr("not found here"));
    missing.colour = Role::Error;
    missing.tooltip = QObject::tr("Neither the folders of the system's libraries nor LibTorch have it.");
    return missing;
}

Row nameList(const QString& title, const std::vector<std::string>& names, const LibraryLookup& found = {}) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
        Row row;
        row.cells = {found ? foundWords(found(names[i])) : Cell(), Cell::fixed(shown(names[i]))};
        row.cells.back().tooltip = shown(names[i]);
        rows.push_back(std::move(row));
    }
    if (names.size() > kMostNames) {
        Row rest;
        rest.cells = {Cell(), Cell::missing(QObject::tr("%1 more").arg(toQt(formatCount(names.size() - kMostNames))))};
        rows.push_back(std::move(rest));
    }
    return group(QStringLiteral("%1 · %2").arg(title, toQt(formatCount(names.size()))), std::move(rows), names.size() <= 12);
}

}  // namespace

std::vector<Column> libraryColumns() { return {{QObject::tr("Fact"), 200, false, false, {}}, {QObject::tr("Value"), 360, false, true, {}}}; }

std::vector<Row> libraryRows(const MachOFacts& facts) {
    std::vector<Row> header{
        fact(QObject::tr("Kind"), Cell(QObject::tr("Mach-O, 64-bit (macOS)"))), fact(QObject::tr("Machine"), Cell::fixed(shown(facts.machine))),
        fact(QObject::tr("Own name"), facts.installName.empty() ? Cell::missing(QObject::tr("none")) : Cell::fixed(shown(facts.installName))),
        fact(QObject::tr("Here"), Cell::muted(QObject::tr("It does not load on Linux.")))};
    return {group(QObject::tr("Header"), std::move(header), true), nameList(QObject::tr("Needs these libraries"), facts.needed)};
}

std::vector<Row> libraryRows(const ElfReading& reading, const LibraryLookup& found) {
    if (!reading.facts.isElf) {
        const QString what = reading.notElf.empty() ? QObject::tr("no ELF file") : shown(reading.notElf);
        return {fact(QObject::tr("Kind"), Cell(what)),
                fact(QObject::tr("Here"), Cell::muted(QObject::tr("Only libraries for Linux (ELF) and macOS (Mach-O) are taken apart.")))};
    }
    const ElfFacts& facts = reading.facts;
    const auto version = [](const std::string& number) {
        return number.empty() ? Cell::missing(QObject::tr("none named")) : Cell::fixed(QObject::tr("%1 or later").arg(shown(number)));
    };
    std::vector<Row> header{fact(QObject::tr("Kind"), Cell(QObject::tr("ELF, 64-bit"))),
                            fact(QObject::tr("Machine"), Cell::fixed(shown(facts.machine)))};
    if (!reading.headerProblem.empty()) {
        Cell problem(shown(reading.headerProblem));
        problem.colour = Role::Error;
        header.push_back(fact(QObject::tr("Problem"), problem));
    }
    std::uint64_t code = 0;
    for (const CodeRange& range : reading.code) code += range.size;
    header.push_back(fact(QObject::tr("Machine code"), Cell::number(toQt(formatBytes(code)), static_cast<double>(code))));
    Cell stack(facts.executableStack ? QObject::tr("asks for an executable stack") : QObject::tr("not executable"));
    if (facts.executableStack) {
        stack.colour = Role::Warning;
        stack.tooltip =
            QObject::tr("Debian 13 and other new systems refuse to load such a library; pt2scope clears the mark in the copy that it runs.");
    }
    header.push_back(fact(QObject::tr("Stack"), stack));
    header.push_back(fact(QObject::tr("Container interface"),
                          Cell(facts.exportsContainer ? QObject::tr("exported: AOTInductor can load it") : QObject::tr("not exported"))));
    if (reading.constantsSize) {
        QString words = toQt(formatBytes(*reading.constantsSize));
        if (reading.constantsFileOffset) words += QObject::tr(" at %1").arg(toQt(formatOffset(*reading.constantsFileOffset)));
        header.push_back(fact(QObject::tr("Constants"), Cell::fixed(words)));
    } else {
        header.push_back(fact(QObject::tr("Constants"), Cell::missing(QObject::tr("not marked in its symbols"))));
    }
    header.push_back(fact(QObject::tr("C library"), version(facts.glibc)));
    header.push_back(fact(QObject::tr("C++ library"), version(facts.glibcxx)));
    std::vector<Row> rows{group(QObject::tr("Header"), std::move(header), true), nameList(QObject::tr("Needs these libraries"), facts.needed, found)};
    rows.push_back(nameList(QObject::tr("Takes from LibTorch, or whoever has it"), reading.unversionedImports));
    rows.push_back(nameList(QObject::tr("Needs these versions"), reading.neededVersions));
    rows.push_back(nameList(QObject::tr("Exports"), reading.exports));
    return rows;
}

}  // namespace pt2::views

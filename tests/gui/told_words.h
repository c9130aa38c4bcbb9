#pragma once

#include <QStringList>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/text.h"
#include "tests/gui/accessible_reader.h"
#include "tests/gui/spoken_document.h"
#include "views/widgets/text.h"

/// Values of the command line's JSON as the window words them, and looks into what was read of a page.
namespace pt2::tests {

inline QString text(const Json& value) { return value.is_string() ? views::shown(value.get<std::string>()) : QString::fromStdString(value.dump()); }
inline QString dash() { return QStringLiteral("—"); }
inline QString orDash(const Json& value) { return value.is_null() || (value.is_string() && value.empty()) ? dash() : text(value); }

/// "[s77, 16]" of ["s77", "16"], [512, 16] or [{"symbol": "s77", …}, 16].
inline QString shape(const Json& dims) {
    if (!dims.is_array()) return QStringLiteral("unknown");
    QStringList parts;
    for (const Json& dim : dims) parts << (dim.is_object() ? text(dim.value("symbol", Json("?"))) : text(dim));
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

inline QString bytesText(const Json& bytes) { return views::toQt(formatBytes(bytes.get<std::uint64_t>())); }
inline QString countText(const Json& count) { return views::toQt(formatCount(count.get<std::uint64_t>())); }
inline QString numberText(double value) { return views::toQt(formatFloat(value)).replace(u'-', QChar(0x2212)); }

inline QStringList modelsOf(const Json& facts, const std::vector<const char*>& parts) {
    QStringList names;
    for (const char* part : parts) {
        for (const auto& [name, value] : facts[part].items()) {
            if (const QString model = QString::fromStdString(name); !names.contains(model)) names << model;
        }
    }
    return names;
}

/// Pieces behind the one called `from`, up to the first that is called as one of `ends`.
inline std::vector<Piece> between(const std::vector<Piece>& all, const QString& from, const QStringList& ends) {
    const auto begin = std::find_if(all.begin(), all.end(), [&](const Piece& piece) { return piece.name == from; });
    if (begin == all.end()) return {};
    return {begin + 1, std::find_if(begin + 1, all.end(), [&](const Piece& piece) { return ends.contains(piece.name); })};
}

inline bool anyNamed(const std::vector<Piece>& all, const QString& name) {
    return std::any_of(all.begin(), all.end(), [&](const Piece& piece) { return piece.name == name; });
}

inline QStringList namesOf(const std::vector<Piece>& all) {
    QStringList names;
    for (const Piece& piece : all) names << piece.name;
    return names;
}

}  // namespace pt2::tests

#include "views/inspector/value_words.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "views/widgets/text.h"

namespace pt2::views {

QString typeWords(const Program& program, const Value& value) {
    switch (value.kind) {
        case ValueKind::Tensor: {
            QString text = QString::fromLatin1(dtypeName(value.dtype)) + ' ' + toQt(formatShape(program.sizesText(value)));
            if (!value.device.type.empty() && value.device.type != "cpu") {
                text += QStringLiteral(" · ") + shown(value.device.type);
                if (value.device.index) text += ':' + QString::number(*value.device.index);
            }
            return text;
        }
        case ValueKind::SymInt: return QStringLiteral("int ") + toQt(program.dimText(value.symbolic));
        case ValueKind::SymBool: return QStringLiteral("bool ") + toQt(program.dimText(value.symbolic));
        case ValueKind::SymFloat:
            return QStringLiteral("float ") + (value.symbolic.isSymbolic() ? toQt(program.dimText(value.symbolic)) : toQt(formatFloat(value.real)));
        case ValueKind::CustomObj: return shown(value.classFqn);
        case ValueKind::Untyped: break;
    }
    return QObject::tr("unknown");
}

namespace {

/// A number for a dimension with every symbol set to a prime that depends on its name and the round, to compare strides without algebra.
std::optional<std::int64_t> sample(const Program& program, const SymInt& dim, std::size_t round) {
    if (!dim.isSymbolic()) return dim.integer;
    static constexpr std::int64_t kPrimes[] = {101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163};
    const auto& expression = program.expression(dim.expr);
    if (!expression) return std::nullopt;
    const auto value = expression->evaluate([&](std::string_view symbol) -> std::optional<SymExpr::Value> {
        return SymExpr::Value(kPrimes[(std::hash<std::string_view>{}(symbol) + 5 * round) % std::size(kPrimes)] +
                              static_cast<std::int64_t>(round) * 60);
    });
    if (!value || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
    return std::get<std::int64_t>(*value);
}

/// Whether strides are those of dense data with the dimensions in `order`, fastest last.
bool denseIn(const Program& program, const Value& value, const std::vector<std::size_t>& order) {
    const auto sizes = program.sizes(value), strides = program.strides(value);
    for (std::size_t round = 0; round < 2; ++round) {
        std::int64_t expected = 1;
        for (std::size_t i = order.size(); i-- > 0;) {
            const auto size = sample(program, sizes[order[i]], round), stride = sample(program, strides[order[i]], round);
            if (!size || !stride) return false;
            if (*size != 1 && *stride != expected) return false;
            std::int64_t next = 0;
            if (__builtin_mul_overflow(expected, std::max<std::int64_t>(1, *size), &next)) return false;
            expected = next;
        }
    }
    return true;
}

}  // namespace

QString stridesWords(const Program& program, const Value& value) {
    if (value.kind != ValueKind::Tensor || value.sizes.size() == 0 || value.sizes.size() != value.strides.size()) return {};
    std::vector<std::size_t> order(value.sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (denseIn(program, value, order)) return QObject::tr("contiguous");
    if (order.size() == 4 && denseIn(program, value, {0, 2, 3, 1})) return QObject::tr("channels last");
    if (order.size() == 5 && denseIn(program, value, {0, 2, 3, 4, 1})) return QObject::tr("channels last");
    return QObject::tr("strides (%1)").arg(toQt(join(program.stridesText(value), ", ")));
}

QString bytesWords(const Program& program, const Value& value) {
    if (value.kind != ValueKind::Tensor || dtypeSize(value.dtype) == 0) return {};
    std::uint64_t bytes = dtypeSize(value.dtype);
    QString symbols;
    for (const SymInt& dim : program.sizes(value)) {
        if (dim.isSymbolic()) {
            QString text = toQt(program.dimText(dim));
            if (text.contains(' ')) text = '(' + text + ')';
            symbols += QStringLiteral(" × ") + text;
        } else if (dim.integer < 0 || !multiplySafe(bytes, static_cast<std::uint64_t>(dim.integer), bytes)) {
            return {};
        }
    }
    return toQt(formatBytes(bytes)) + symbols;
}

}  // namespace pt2::views

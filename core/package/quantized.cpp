#include "core/package/quantized.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "core/program/operator_family.h"

namespace pt2 {

namespace {

constexpr std::size_t kMostSteps = 64;  // from a weight on, before a path is given up

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Operators that pass every value on, cast or laid out anew.
bool passesOn(std::string_view name) {
    return isOneOf(name, {"t",
                          "transpose",
                          "permute",
                          "view",
                          "_unsafe_view",
                          "reshape",
                          "flatten",
                          "unflatten",
                          "unsqueeze",
                          "squeeze",
                          "to",
                          "_to_copy",
                          "contiguous",
                          "clone",
                          "expand",
                          "detach",
                          "alias",
                          "slice",
                          "convert_element_type",
                          "lift_fresh_copy"});
}

bool isProduct(std::string_view name) {
    return isOneOf(name, {"mm", "bmm", "matmul", "linear", "addmm", "convolution", "conv1d", "conv2d", "conv3d"});
}

bool mayBeQuantized(DType dtype) {
    switch (dtype) {
        case DType::Int8:
        case DType::UInt8:
        case DType::Int16:
        case DType::Float8E4M3FN:
        case DType::Float8E5M2: return true;
        default: return false;
    }
}

class Finder {
public:
    Finder(const WeightTable& table, const Program& program) : table_(table), program_(program) {
        std::map<std::string_view, std::size_t> rows;
        for (std::size_t i = 0; i < table.rows().size(); ++i) rows.emplace(table.rows()[i].name, i);
        for (const InputSpec& spec : program.inputSpecs()) {
            const auto row = rows.find(spec.target);
            if (spec.target.empty() || row == rows.end() || spec.argument >= program.arguments().size()) continue;
            const ValueId value = program.argument(spec.argument).value;
            if (value != kNone) rows_.emplace(value, row->second);
        }
    }

    std::vector<QuantizedWeight> run() const {
        std::vector<QuantizedWeight> found;
        for (const auto& [value, row] : rows_) {
            if (!mayBeQuantized(table_.rows()[row].layout.dtype)) continue;
            if (auto one = follow(value, row)) found.push_back(std::move(*one));
        }
        std::sort(found.begin(), found.end(), [](const QuantizedWeight& a, const QuantizedWeight& b) { return a.weight < b.weight; });
        return found;
    }

private:
    std::optional<ValueId> firstOutput(const Node& node) const {
        std::optional<ValueId> first;
        program_.forEachOutputValue(node, [&](ValueId value) {
            if (!first) first = value;
        });
        return first;
    }

    /// The row of the weight that a value is nothing but a form of.
    std::optional<std::size_t> rowBehind(ValueId value) const {
        for (std::size_t step = 0; step < kMostSteps; ++step) {
            if (const auto row = rows_.find(value); row != rows_.end()) return row->second;
            const NodeId producer = program_.value(value).producer;
            if (producer == kNone || !passesOn(splitOperatorName(program_.node(producer).target).name)) return std::nullopt;
            std::optional<ValueId> input;
            program_.forEachInputValue(program_.node(producer), [&](ValueId v) {
                if (!input) input = v;
            });
            if (!input) return std::nullopt;
            value = *input;
        }
        return std::nullopt;
    }

    /// The weight among a node's inputs that is not the value that came along.
    std::optional<std::size_t> otherRow(const Node& node, ValueId value) const {
        std::optional<std::size_t> row;
        program_.forEachInputValue(node, [&](ValueId other) {
            if (other != value && !row) row = rowBehind(other);
        });
        return row;
    }

    QuantizedWeight ofDequantize(const Node& node, NodeId id, std::size_t row) const {
        QuantizedWeight one;
        one.weight = row;
        one.why = "The node \"" + std::string(program_.displayName(id)) + "\" (" + std::string(node.target) + ") reads it.";
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            const NamedArgument& named = program_.namedArguments()[i];
            const Argument& argument = program_.argument(named.argument);
            const auto take = [&](std::optional<std::size_t>& place, std::optional<double>& number) {
                if (argument.value != kNone) place = rowBehind(argument.value);
                if (argument.kind == ArgumentKind::Float) number = argument.real;
                if (argument.kind == ArgumentKind::Int) number = static_cast<double>(argument.integer);
            };
            if (named.name == "scale" || named.name == "scales") take(one.scale, one.scaleValue);
            if (named.name == "zero_point" || named.name == "zero_points") take(one.zeroPoint, one.zeroPointValue);
            if ((named.name == "axis" || named.name == "ch_axis") && argument.kind == ArgumentKind::Int) one.axis = argument.integer;
        }
        return one;
    }

    std::optional<QuantizedWeight> follow(ValueId start, std::size_t row) const {
        QuantizedWeight one;
        one.weight = row;
        one.inferred = true;
        std::vector<std::pair<ValueId, bool>> open{{start, false}};  // value, and whether it went through a product
        for (std::size_t step = 0; !open.empty() && step < kMostSteps; ++step) {
            const auto [value, multiplied] = open.back();
            open.pop_back();
            for (const NodeId id : program_.users(program_.value(value))) {
                const Node& node = program_.node(id);
                const std::string_view name = splitOperatorName(node.target).name;
                if (name.find("dequantize") != std::string_view::npos) return ofDequantize(node, id, row);
                const auto output = firstOutput(node);
                if (!output) continue;
                if (passesOn(name) || (!multiplied && isProduct(name))) {
                    open.emplace_back(*output, multiplied || isProduct(name));
                } else if (!multiplied && name == "sub") {
                    const auto other = otherRow(node, value);
                    if (!other) continue;
                    one.zeroPoint = other;
                    open.emplace_back(*output, false);
                } else if (name == "mul") {
                    const auto other = otherRow(node, value);
                    if (!other || *other == row || !isFloating(table_.rows()[*other].layout.dtype)) continue;
                    one.scale = other;
                    one.why = std::string("It is cast and ") + (multiplied ? "its product" : "it") + " is multiplied by \"" +
                              table_.rows()[*other].name + "\" in the node \"" + std::string(program_.displayName(id)) + "\".";
                    if (!one.zeroPoint) one.zeroPoint = siblingZeroPoint(row, *other);
                    return one;
                }
            }
        }
        return std::nullopt;
    }

    /// A weight beside the two, of the scale's shape, integers, that nothing reads: the zero point of a symmetric scheme ("original2" beside
    /// "original0" and "original1").
    std::optional<std::size_t> siblingZeroPoint(std::size_t weight, std::size_t scale) const {
        const auto stem = [](std::string_view name) {
            while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
            return name;
        };
        const std::string_view own = stem(table_.rows()[weight].name);
        if (own != stem(table_.rows()[scale].name) || own.size() == table_.rows()[weight].name.size()) return std::nullopt;
        for (std::size_t i = 0; i < table_.rows().size(); ++i) {
            const WeightRow& row = table_.rows()[i];
            if (i == weight || i == scale || row.used || !isInteger(row.layout.dtype)) continue;
            if (stem(row.name) == own && row.layout.sizes == table_.rows()[scale].layout.sizes) return i;
        }
        return std::nullopt;
    }

    const WeightTable& table_;
    const Program& program_;
    std::map<ValueId, std::size_t> rows_;
};

}  // namespace

std::vector<QuantizedWeight> quantizedWeights(const WeightTable& table, const Program& program) { return Finder(table, program).run(); }

}  // namespace pt2

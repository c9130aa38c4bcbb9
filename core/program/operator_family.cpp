#include "core/program/operator_family.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace pt2 {

namespace {

using Family = OperatorFamily;

struct Named {
    std::string_view name;
    Family family;
};

// ATen's operators by name without overload, sorted. What is not here is judged by the rules of familyOfUnknown().
constexpr Named kOperators[] = {
// NOLINT: std::array's deduction is too deep for Clang 14
#include "core/program/operator_family_table.inc"
};

constexpr bool isSorted() {
    for (std::size_t i = 1; i < std::size(kOperators); ++i)
        if (!(kOperators[i - 1].name < kOperators[i].name)) return false;
    return true;
}
static_assert(isSorted());

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

const Named* findOperator(std::string_view name) {
    const auto found =
        std::lower_bound(std::begin(kOperators), std::end(kOperators), name, [](const Named& n, std::string_view wanted) { return n.name < wanted; });
    return found != std::end(kOperators) && found->name == name ? found : nullptr;
}

/// For names of ATen that are not in the table: newer operators follow the naming of the older ones.
Family familyOfUnknown(std::string_view name) {
    if (contains(name, "attention")) return Family::Attention;
    if (contains(name, "conv") || contains(name, "pool") || contains(name, "upsample")) return Family::Convolution;
    if (contains(name, "norm") && !name.starts_with("linalg")) return Family::Normalisation;
    if (name.ends_with("mm") || contains(name, "matmul") || contains(name, "linear")) return Family::MatrixProduct;
    if (contains(name, "embedding") || contains(name, "index") || contains(name, "gather") || contains(name, "scatter")) return Family::Index;
    if (name.starts_with("_assert") || contains(name, "constrain")) return Family::Control;
    if (contains(name, "sum") || contains(name, "mean") || contains(name, "softmax") || contains(name, "sort")) return Family::Reduction;
    if (contains(name, "copy") || contains(name, "view") || contains(name, "_like") || name.starts_with("new_") || name.starts_with("sym_"))
        return Family::Shape;
    return Family::Pointwise;
}

}  // namespace

bool isOperatorName(std::string_view name) { return findOperator(name) != nullptr; }

OperatorName splitOperatorName(std::string_view target) {
    OperatorName result;
    constexpr std::string_view ops = "torch.ops.";
    constexpr std::string_view edge = "executorch.exir.dialects.edge.";
    if (target.starts_with(edge)) {
        target.remove_prefix(edge.size());
        const std::size_t dot = target.find('.');  // "_ops" or "ops"
        if (dot != std::string_view::npos) target.remove_prefix(dot + 1);
    } else if (target.starts_with(ops)) {
        target.remove_prefix(ops.size());
    } else if (!target.empty() && target.front() == '#') {  // "#namespace:op"
        const std::size_t colon = target.find(':');
        if (colon == std::string_view::npos) return {target.substr(1), {}, {}};
        return {target.substr(1, colon - 1), target.substr(colon + 1), {}};
    } else {
        const std::size_t dot = target.rfind('.');
        if (dot == std::string_view::npos) return {{}, target, {}};
        return {target.substr(0, dot), target.substr(dot + 1), {}};
    }
    const std::size_t first = target.find('.');
    if (first == std::string_view::npos) return {{}, target, {}};
    result.ns = target.substr(0, first);
    target.remove_prefix(first + 1);
    const std::size_t second = target.rfind('.');
    result.name = target.substr(0, second);
    if (second != std::string_view::npos) result.overload = target.substr(second + 1);
    return result;
}

OperatorFamily operatorFamily(std::string_view target) {
    const OperatorName name = splitOperatorName(target);
    if (name.ns == "_operator" || name.ns == "math") return Family::Pointwise;
    if (name.ns == "torch") return name.name.starts_with("sym_") || name.name.starts_with("_sym_") ? Family::Pointwise : Family::Control;
    if (name.ns == "prims") {
        if (name.name == "convert_element_type" || name.name == "broadcast_in_dim" || name.name == "iota") return Family::Shape;
        return name.name.starts_with("fft") ? Family::MatrixProduct : Family::Pointwise;
    }
    if (name.ns == "dim_order_ops") return Family::Shape;
    if (name.ns != "aten") return Family::Control;
    std::string_view plain = name.name;
    if (const Named* found = findOperator(plain)) return found->family;
    // In-place, backward and copying forms belong with the operator they come from.
    if (plain.size() > 1 && plain.back() == '_' && plain[plain.size() - 2] != '_') {
        plain.remove_suffix(1);
        if (const Named* found = findOperator(plain)) return found->family;
    }
    for (std::string_view suffix : {"_backward", "_copy", "_scatter"}) {
        if (!plain.ends_with(suffix)) continue;
        const std::string_view stem = plain.substr(0, plain.size() - suffix.size());
        if (const Named* found = findOperator(stem)) return found->family;
    }
    for (std::string_view prefix : {"_unsafe_", "_foreach_", "native_", "_native_", "_"}) {
        if (!plain.starts_with(prefix)) continue;
        if (const Named* found = findOperator(plain.substr(prefix.size()))) return found->family;
    }
    return familyOfUnknown(plain);
}

const char* operatorFamilyTag(OperatorFamily family) {
    constexpr std::array<const char*, kOperatorFamilyCount> tags = {"MM", "CV", "AT", "NM", "PW", "RD", "IX", "CT", "SH"};
    return tags[static_cast<std::size_t>(family)];
}

const char* operatorFamilyName(OperatorFamily family) {
    constexpr std::array<const char*, kOperatorFamilyCount> names = {
        "matrix product",   "convolution, pooling",      "attention",
        "normalisation",    "pointwise, activation",     "reduction",
        "index, embedding", "control, custom, delegate", "shape, copy, constant",
    };
    return names[static_cast<std::size_t>(family)];
}

}  // namespace pt2

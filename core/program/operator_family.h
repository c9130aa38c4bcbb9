#pragma once

#include <cstdint>
#include <string_view>

namespace pt2 {

/// Nine families of operators (look.md 3); table, graph, legend and command line use this one table.
enum class OperatorFamily : std::uint8_t { MatrixProduct, Convolution, Attention, Normalisation, Pointwise, Reduction, Index, Control, Shape };
inline constexpr int kOperatorFamilyCount = 9;
OperatorFamily operatorFamily(std::string_view target);
const char* operatorFamilyTag(OperatorFamily family);   ///< "MM"
const char* operatorFamilyName(OperatorFamily family);  ///< "matrix product"
/// Whether ATen has an operator of this name ("native_layer_norm"; without namespace and overload).
bool isOperatorName(std::string_view name);
/// "aten.linear" from "torch.ops.aten.linear.default"; the namespace and overload apart, for display.
struct OperatorName {
    std::string_view ns, name, overload;
};
OperatorName splitOperatorName(std::string_view target);

}  // namespace pt2

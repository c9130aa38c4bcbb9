#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pt2 {

/// One test of the generated code on an input (format.md 4.3), switched on by AOTI_RUNTIME_CHECK_INPUTS from torch 2.7 on.
struct RuntimeCheck {
    enum class What : std::uint8_t { DType, Size, Minimum, Maximum, Stride, Device, Layout };  ///< Layout: rank, sizes, strides at first use (2.13)
    What what = What::DType;
    std::size_t input = 0;                 ///< among the tensors the library takes
    std::optional<std::size_t> dimension;  ///< of a size, a bound or a stride
    std::string expected;                  ///< "float32", "16", "cpu", "[s77, 16] strides [16, 1]"
    std::uint32_t line = 0;                ///< of the wrapper source, from 1
};
const char* runtimeCheckName(RuntimeCheck::What what);  ///< "dtype", "size", "minimum", ...

/// A condition of the program that the generated code tests while it runs, whatever the environment says: if (!(u0 >= 2L)) { throw ... }.
struct CompiledAssert {
    std::string condition;  ///< "u0 >= 2", numbers without their suffixes
    std::string message;    ///< the first text of what it throws
    std::uint32_t line = 0;
};

}  // namespace pt2

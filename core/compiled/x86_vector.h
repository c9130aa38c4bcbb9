#pragma once

#include <cstddef>
#include <optional>

#include "core/base/bytes.h"
#include "core/compiled/cpu_features.h"

namespace pt2 {

/// An instruction with a VEX or EVEX prefix, measured and classified by its encoding (Intel SDM volume 2, "Instruction Format"). Capstone 4 knows
/// only part of AVX-512 and nothing later, and Capstone 5 does not say of many older ones (FMA among them) what they belong to; yet each such
/// instruction says by its prefix how long it is, and by its opcode what it needs.
struct VectorInstruction {
    std::size_t length = 0;
    CpuFeatureSet features;  ///< for EVEX always complete; an opcode that is in no table is CpuFeature::X86Unknown
    bool classified = true;  ///< false: a VEX encoding that Capstone has to tell about
};
/// The instruction at the start of `code` in 64-bit mode; nothing when it has neither prefix or is cut off.
std::optional<VectorInstruction> vectorInstruction(Bytes code);
/// An instruction of the two maps 0F 38 and 0F 3A without such a prefix (SSSE3 to SHA, GFNI, MOVDIRI and kin); nothing for any other.
std::optional<VectorInstruction> mapInstruction(Bytes code);

}  // namespace pt2

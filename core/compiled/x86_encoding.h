#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "core/base/bytes.h"
#include "core/compiled/cpu_features.h"

// Encodings of x86-64 as the tables of this folder's x86_*.cpp need them (Intel SDM volume 2, "Instruction Format"); for those files only.

namespace pt2::x86 {

inline bool oneOf(unsigned op, std::initializer_list<unsigned> list) { return std::find(list.begin(), list.end(), op) != list.end(); }
inline bool within(unsigned op, unsigned first, unsigned last) { return op >= first && op <= last; }
/// The fused multiplications of map 2: 96 to 9f, a6 to af, b6 to bf.
inline bool isFusedMultiply(unsigned op) { return op >> 4U >= 9 && op >> 4U <= 0xb && (op & 0xfU) >= 6; }
/// Those of them without a vector length.
inline bool isScalarMultiply(unsigned op) { return (op & 0xfU) >= 9 && (op & 1U) != 0; }
inline unsigned byteAt(Bytes code, std::size_t at) { return std::to_integer<unsigned>(code[at]); }

enum Prefix : unsigned { None = 0, P66 = 1, PF3 = 2, PF2 = 3 };

/// What a prefix says, and the operation.
struct Encoding {
    unsigned map = 0, prefix = 0, length = 0;  // length: 0 is 128 bits, 1 is 256, 2 is 512
    unsigned op = 0;
    bool wide = false;       // W
    bool registers = false;  // both operands are registers
    bool rounding = false;   // EVEX.b with registers: the length bits are a rounding mode, the vectors have 512 bits
    unsigned reg = 0;        // the reg field of ModRM
};

/// Length of ModRM, SIB and displacement; nothing when cut off.
inline std::optional<std::size_t> operandLength(Bytes code, std::size_t at) {
    if (at >= code.size()) return std::nullopt;
    const unsigned modrm = byteAt(code, at);
    const unsigned mod = modrm >> 6U, rm = modrm & 7U;
    std::size_t length = 1;
    if (mod == 3) return length;
    bool baseless = mod == 0 && rm == 5;
    if (rm == 4) {
        if (at + 1 >= code.size()) return std::nullopt;
        baseless = mod == 0 && (byteAt(code, at + 1) & 7U) == 5;
        ++length;
    }
    if (mod == 1) return length + 1;
    return mod == 2 || baseless ? length + 4 : length;
}

/// What an operation with EVEX needs; an opcode that is in no table is CpuFeature::X86Unknown.
CpuFeatureSet evexFeatures(const Encoding& e);
/// What an operation with VEX needs; nothing for those that are in no table.
std::optional<CpuFeatureSet> vexFeatures(const Encoding& e);

}  // namespace pt2::x86

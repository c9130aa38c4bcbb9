#include "core/compiled/x86_vector.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace pt2 {
namespace {

using F = CpuFeature;

bool oneOf(unsigned op, std::initializer_list<unsigned> list) { return std::find(list.begin(), list.end(), op) != list.end(); }

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
std::optional<std::size_t> operandLength(Bytes code, std::size_t at) {
    if (at >= code.size()) return std::nullopt;
    const auto modrm = std::to_integer<unsigned>(code[at]);
    const unsigned mod = modrm >> 6U, rm = modrm & 7U;
    std::size_t length = 1;
    if (mod == 3) return length;
    bool baseless = mod == 0 && rm == 5;
    if (rm == 4) {
        if (at + 1 >= code.size()) return std::nullopt;
        baseless = mod == 0 && (std::to_integer<unsigned>(code[at + 1]) & 7U) == 5;
        ++length;
    }
    if (mod == 1) return length + 1;
    return mod == 2 || baseless ? length + 4 : length;
}

bool hasImmediate(unsigned map, unsigned op) {
    return map == 3 || (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6)));
}

// The tables below name, for an operation with EVEX, what it needs beside AVX512F; `scalar` are those without a vector length.

CpuFeatureSet unknown() { return featureSet({F::X86Unknown}); }
CpuFeatureSet base() { return {}; }
CpuFeatureSet dqIf(bool dq) { return dq ? featureSet({F::Avx512dq}) : CpuFeatureSet(); }

CpuFeatureSet evexMap1(const Encoding& e, bool& scalar) {
    const bool isScalar = e.prefix == PF3 || e.prefix == PF2;
    if (oneOf(e.op, {0x10, 0x11, 0x51, 0x58, 0x59, 0x5a, 0x5c, 0x5d, 0x5e, 0x5f, 0xc2})) {
        scalar = isScalar;
        return base();
    }
    // movlps and movhps; with F2 or F3 they duplicate whole vectors
    if (oneOf(e.op, {0x12, 0x16})) {
        scalar = !isScalar;
        return base();
    }
    if (oneOf(e.op, {0x13, 0x17, 0x2a, 0x2c, 0x2d, 0x2e, 0x2f, 0x6e, 0x7e, 0xd6})) {
        scalar = true;
        return base();
    }
    if (oneOf(e.op, {0x14, 0x15, 0x28, 0x29, 0x2b, 0x62, 0x66, 0x6a, 0x6c, 0x6d, 0x72, 0x76, 0xc6, 0xd2,
                     0xd3, 0xd4, 0xdb, 0xdf, 0xe2, 0xe7, 0xeb, 0xef, 0xf2, 0xf3, 0xf4, 0xfa, 0xfb, 0xfe}))
        return base();
    if (oneOf(e.op, {0x54, 0x55, 0x56, 0x57})) return featureSet({F::Avx512dq});
    if (e.op == 0x5b) return dqIf(e.prefix == None && e.wide);
    if (oneOf(e.op, {0x60, 0x61, 0x63, 0x64, 0x65, 0x67, 0x68, 0x69, 0x6b, 0x71, 0x74, 0x75, 0xd1, 0xd5, 0xd8, 0xd9, 0xda, 0xdc, 0xdd,
                     0xde, 0xe0, 0xe1, 0xe3, 0xe4, 0xe5, 0xe8, 0xe9, 0xea, 0xec, 0xed, 0xee, 0xf1, 0xf5, 0xf6, 0xf8, 0xf9, 0xfc, 0xfd}))
        return featureSet({F::Avx512bw});
    if (oneOf(e.op, {0x6f, 0x7f})) return e.prefix == PF2 ? featureSet({F::Avx512bw}) : base();
    if (e.op == 0x70) return e.prefix == P66 ? base() : featureSet({F::Avx512bw});
    // whole-register shifts by bytes
    if (e.op == 0x73) return e.reg == 3 || e.reg == 7 ? featureSet({F::Avx512bw}) : base();
    if (oneOf(e.op, {0x78, 0x79})) {
        scalar = isScalar;
        return dqIf(e.prefix == P66);
    }
    if (e.op == 0x7a) return dqIf(e.prefix == P66 || e.wide);
    if (e.op == 0x7b) {
        scalar = isScalar;
        return dqIf(e.prefix == P66);
    }
    if (oneOf(e.op, {0xc4, 0xc5})) {
        scalar = true;
        return featureSet({F::Avx512bw});
    }
    if (e.op == 0xe6) return dqIf(e.prefix == PF3 && e.wide);
    return unknown();
}

CpuFeatureSet evexMap2WithF3(const Encoding& e) {
    if (oneOf(e.op, {0x10, 0x20, 0x30, 0x26, 0x28, 0x29})) return featureSet({F::Avx512bw});
    if (oneOf(e.op, {0x11, 0x12, 0x13, 0x14, 0x15, 0x21, 0x22, 0x23, 0x24, 0x25, 0x31, 0x32, 0x33, 0x34, 0x35, 0x27})) return base();
    if (oneOf(e.op, {0x38, 0x39})) return featureSet({F::Avx512dq});
    if (oneOf(e.op, {0x2a, 0x3a})) return featureSet({F::Avx512cd});
    if (oneOf(e.op, {0x52, 0x72})) return featureSet({F::Avx512Bf16});
    return unknown();
}

CpuFeatureSet evexMap2WithF2(const Encoding& e, bool& scalar) {
    if (oneOf(e.op, {0x52, 0x53})) return featureSet({F::Avx5124vnniw});
    if (e.op == 0x68) return featureSet({F::Avx512Vp2intersect});
    if (e.op == 0x72) return featureSet({F::Avx512Bf16});
    if (oneOf(e.op, {0x9b, 0xab})) {
        scalar = true;
        return featureSet({F::Avx5124fmaps});
    }
    if (oneOf(e.op, {0x9a, 0xaa})) return featureSet({F::Avx5124fmaps});
    return unknown();
}

CpuFeatureSet evexMap2(const Encoding& e, bool& scalar) {
    if (e.prefix == PF3) return evexMap2WithF3(e);
    if (e.prefix == PF2) return evexMap2WithF2(e, scalar);
    if (e.prefix != P66) return unknown();
    if (oneOf(e.op, {0x00, 0x04, 0x0b, 0x10, 0x11, 0x12, 0x1c, 0x1d, 0x20, 0x26, 0x2b, 0x30, 0x38, 0x3a, 0x3c, 0x3e, 0x66, 0x78, 0x79, 0x7a, 0x7b}))
        return featureSet({F::Avx512bw});
    if (oneOf(e.op, {0x0c, 0x0d, 0x13, 0x14, 0x15, 0x16, 0x18, 0x1e, 0x1f, 0x21, 0x22, 0x23, 0x24, 0x25, 0x27, 0x28, 0x29, 0x2a, 0x2c,
                     0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x39, 0x3b, 0x3d, 0x3f, 0x42, 0x45, 0x46, 0x47, 0x4c, 0x4e, 0x58, 0x64,
                     0x65, 0x76, 0x77, 0x7c, 0x7e, 0x7f, 0x88, 0x89, 0x8a, 0x8b, 0x90, 0x91, 0x92, 0x93, 0xa0, 0xa1, 0xa2, 0xa3}))
        return base();
    if (oneOf(e.op, {0x2d, 0x43, 0x4d, 0x4f})) {
        scalar = true;
        return base();
    }
    if (e.op == 0x19) return dqIf(!e.wide);
    if (e.op == 0x1a) return dqIf(e.wide);
    if (e.op == 0x1b) return dqIf(!e.wide);
    if (e.op == 0x40) return dqIf(e.wide);
    if (oneOf(e.op, {0x44, 0xc4})) return featureSet({F::Avx512cd});
    if (oneOf(e.op, {0x50, 0x51, 0x52, 0x53})) return featureSet({F::Avx512Vnni});
    if (oneOf(e.op, {0x54, 0x8f})) return featureSet({F::Avx512Bitalg});
    if (e.op == 0x55) return featureSet({F::Avx512Vpopcntdq});
    if (e.op == 0x59) return dqIf(!e.wide);
    if (e.op == 0x5a) return dqIf(e.wide);
    if (e.op == 0x5b) return dqIf(!e.wide);
    if (oneOf(e.op, {0x62, 0x63, 0x70, 0x71, 0x72, 0x73})) return featureSet({F::Avx512Vbmi2});
    if (oneOf(e.op, {0x75, 0x7d, 0x8d})) return featureSet({e.wide ? F::Avx512bw : F::Avx512Vbmi});
    if (e.op == 0x83) return featureSet({F::Avx512Vbmi});
    if (oneOf(e.op, {0xb4, 0xb5})) return featureSet({F::Avx512Ifma});
    if (oneOf(e.op, {0xc6, 0xc7})) return featureSet({F::Avx512pf});
    if (oneOf(e.op, {0xc8, 0xca, 0xcc})) return featureSet({F::Avx512er});
    if (oneOf(e.op, {0xcb, 0xcd})) {
        scalar = true;
        return featureSet({F::Avx512er});
    }
    if (e.op == 0xcf) return featureSet({F::Gfni});
    if (oneOf(e.op, {0xdc, 0xdd, 0xde, 0xdf})) return featureSet({F::Vaes});
    const unsigned low = e.op & 0xfU, high = e.op >> 4U;  // the fused multiplications: 96 to 9f, a6 to af, b6 to bf
    if ((high == 9 || high == 0xa || high == 0xb) && low >= 6) {
        scalar = low >= 9 && (low & 1U) != 0;
        return base();
    }
    return unknown();
}

CpuFeatureSet evexMap3(const Encoding& e, bool& scalar) {
    if (e.prefix == None || e.prefix == PF3) {
        if (oneOf(e.op, {0x08, 0x26, 0x56, 0x66})) return e.prefix == None ? featureSet({F::Avx512Fp16}) : unknown();
        if (oneOf(e.op, {0x0a, 0x27, 0x57, 0x67})) {
            scalar = true;
            return e.prefix == None ? featureSet({F::Avx512Fp16}) : unknown();
        }
        if (e.op == 0xc2) {
            scalar = e.prefix == PF3;
            return featureSet({F::Avx512Fp16});
        }
        return unknown();
    }
    if (e.prefix != P66) return unknown();
    if (oneOf(e.op, {0x00, 0x01, 0x03, 0x04, 0x05, 0x08, 0x09, 0x1d, 0x1e, 0x1f, 0x23, 0x25, 0x26, 0x43, 0x54})) return base();
    if (oneOf(e.op, {0x0a, 0x0b, 0x27, 0x55, 0x17, 0x21})) {
        scalar = true;
        return base();
    }
    if (oneOf(e.op, {0x0f, 0x3e, 0x3f, 0x42})) return featureSet({F::Avx512bw});
    if (oneOf(e.op, {0x14, 0x15, 0x20})) {
        scalar = true;
        return featureSet({F::Avx512bw});
    }
    if (oneOf(e.op, {0x16, 0x22})) {
        scalar = true;
        return featureSet({F::Avx512dq});
    }
    if (oneOf(e.op, {0x18, 0x19, 0x38, 0x39})) return dqIf(e.wide);
    if (oneOf(e.op, {0x1a, 0x1b, 0x3a, 0x3b})) return dqIf(!e.wide);
    if (e.op == 0x44) return featureSet({F::Vpclmul});
    if (oneOf(e.op, {0x50, 0x56, 0x66})) return featureSet({F::Avx512dq});
    if (oneOf(e.op, {0x51, 0x57, 0x67})) {
        scalar = true;
        return featureSet({F::Avx512dq});
    }
    if (oneOf(e.op, {0x70, 0x71, 0x72, 0x73})) return featureSet({F::Avx512Vbmi2});
    if (oneOf(e.op, {0xce, 0xcf})) return featureSet({F::Gfni});
    return unknown();
}

/// Half precision of AVX512-FP16; what AVX10.2 put beside it (BF16 arithmetic) is unknown.
CpuFeatureSet evexHalf(const Encoding& e, bool& scalar) {
    const CpuFeatureSet half = featureSet({F::Avx512Fp16});
    if (e.map == 5) {
        scalar = e.prefix == PF3 || e.prefix == PF2;
        if (oneOf(e.op, {0x10, 0x11})) return e.prefix == PF3 ? half : unknown();
        if (oneOf(e.op, {0x2a, 0x2c, 0x2d})) return e.prefix == PF3 ? half : unknown();
        if (oneOf(e.op, {0x2e, 0x2f})) {
            scalar = true;
            return e.prefix == None ? half : unknown();
        }
        if (oneOf(e.op, {0x51, 0x58, 0x59, 0x5c, 0x5d, 0x5e, 0x5f})) return e.prefix == None || e.prefix == PF3 ? half : unknown();
        if (e.op == 0x1d) {
            scalar = e.prefix == None;
            return e.prefix == None || e.prefix == P66 ? half : unknown();
        }
        if (e.op == 0x5a) return half;
        if (e.op == 0x5b) {
            scalar = false;
            return e.prefix != PF2 ? half : unknown();
        }
        if (oneOf(e.op, {0x6e, 0x7e})) {
            scalar = true;
            return e.prefix == P66 ? half : unknown();
        }
        if (oneOf(e.op, {0x78, 0x79, 0x7b})) return half;
        if (e.op == 0x7a) {
            scalar = false;
            return e.prefix == P66 || e.prefix == PF2 ? half : unknown();
        }
        if (oneOf(e.op, {0x7c, 0x7d})) {
            scalar = false;
            return half;
        }
        return unknown();
    }
    const unsigned low = e.op & 0xfU, high = e.op >> 4U;
    if (e.op == 0x13) {
        scalar = e.prefix == None;
        return e.prefix == None || e.prefix == P66 ? half : unknown();
    }
    if (e.op == 0x56 || e.op == 0x57 || e.op == 0xd6 || e.op == 0xd7) {
        scalar = (e.op & 1U) != 0;
        return e.prefix == PF3 || e.prefix == PF2 ? half : unknown();
    }
    if (e.prefix != P66) return unknown();
    if ((high == 9 || high == 0xa || high == 0xb) && low >= 6) {
        scalar = low >= 9 && (low & 1U) != 0;
        return half;
    }
    if (oneOf(e.op, {0x2c, 0x42, 0x4c, 0x4e})) return half;
    if (oneOf(e.op, {0x2d, 0x43, 0x4d, 0x4f})) {
        scalar = true;
        return half;
    }
    return unknown();
}

CpuFeatureSet evexFeatures(const Encoding& e) {
    bool scalar = false;
    CpuFeatureSet features;
    switch (e.map) {
        case 1: features = evexMap1(e, scalar); break;
        case 2: features = evexMap2(e, scalar); break;
        case 3: features = evexMap3(e, scalar); break;
        case 5:
        case 6: features = evexHalf(e, scalar); break;
        default: features = unknown(); break;
    }
    features |= featureSet({F::Avx512f});
    if (!scalar && !e.rounding && e.length < 2) features |= featureSet({F::Avx512vl});
    return features;
}

/// Operations on mask registers (VEX): by size, words belong to F, bytes to DQ, double and quad words to BW.
std::optional<CpuFeatureSet> maskFeatures(const Encoding& e) {
    const CpuFeatureSet f = featureSet({F::Avx512f}), dq = f | featureSet({F::Avx512dq}), bw = f | featureSet({F::Avx512bw});
    if (e.map == 1) {
        const bool word = e.prefix == None && !e.wide, byte = e.prefix == P66 && !e.wide;
        if (oneOf(e.op, {0x41, 0x42, 0x44, 0x45, 0x46, 0x47, 0x90, 0x91, 0x98})) return word ? f : byte ? dq : bw;
        if (oneOf(e.op, {0x4a, 0x99})) return word || byte ? dq : bw;
        if (e.op == 0x4b) return byte ? f : bw;
        if (oneOf(e.op, {0x92, 0x93})) return e.prefix == None ? f : e.prefix == P66 ? dq : bw;
        return std::nullopt;
    }
    if (e.map == 3 && e.prefix == P66 && e.op >= 0x30 && e.op <= 0x33) return (e.op & 1U) != 0 ? bw : e.wide ? f : dq;
    return std::nullopt;
}

/// VEX encodings that Capstone 4 lacks.
std::optional<CpuFeatureSet> vexFeatures(const Encoding& e) {
    if (const auto mask = maskFeatures(e)) return mask;
    if (e.map == 3) {
        if (e.op == 0x44 && e.length == 1) return featureSet({F::Avx, F::Vpclmul});
        if (e.op == 0xce || e.op == 0xcf) return featureSet({F::Avx, F::Gfni});
        return std::nullopt;
    }
    if (e.map != 2) return std::nullopt;
    if (oneOf(e.op, {0x49, 0x4b})) return featureSet({F::AmxTile});
    if (oneOf(e.op, {0x50, 0x51})) return featureSet({e.prefix == P66 ? F::AvxVnni : F::AvxVnniInt8});
    if (oneOf(e.op, {0x52, 0x53})) return e.prefix == P66 ? std::optional(featureSet({F::AvxVnni})) : std::nullopt;
    if (e.op == 0x5c)
        return e.prefix == PF3   ? std::optional(featureSet({F::AmxTile, F::AmxBf16}))
               : e.prefix == PF2 ? std::optional(featureSet({F::AmxTile, F::AmxFp16}))
                                 : std::nullopt;
    if (e.op == 0x5e) return featureSet({F::AmxTile, F::AmxInt8});
    if (e.op == 0x6c) return featureSet({F::AmxTile, F::AmxComplex});
    if (oneOf(e.op, {0x72, 0xb0, 0xb1})) return featureSet({F::AvxNeConvert});
    if (oneOf(e.op, {0xb4, 0xb5})) return featureSet({F::AvxIfma});
    if (e.op == 0xcf) return featureSet({F::Avx, F::Gfni});
    if (oneOf(e.op, {0xd2, 0xd3})) return featureSet({F::AvxVnniInt16});
    if (oneOf(e.op, {0xdc, 0xdd, 0xde, 0xdf})) return e.length == 1 ? std::optional(featureSet({F::Avx, F::Vaes})) : std::nullopt;
    if (e.op >= 0xe0 && e.op <= 0xef && e.prefix == P66) return featureSet({F::Cmpccxadd});
    return std::nullopt;
}

unsigned byteAt(Bytes code, std::size_t at) { return std::to_integer<unsigned>(code[at]); }

/// Segment and address-size prefixes may precede a VEX or EVEX prefix.
std::size_t leadingPrefixes(Bytes code) {
    std::size_t at = 0;
    while (at < code.size() && at < 4) {
        const unsigned byte = byteAt(code, at);
        if (byte != 0x26 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x64 && byte != 0x65 && byte != 0x67) break;
        ++at;
    }
    return at;
}

}  // namespace

std::optional<VectorInstruction> vectorInstruction(Bytes code) {
    std::size_t at = leadingPrefixes(code);
    if (at >= code.size()) return std::nullopt;
    const unsigned first = byteAt(code, at);
    const bool evex = first == 0x62;
    if (!evex && first != 0xc4 && first != 0xc5) return std::nullopt;
    const std::size_t prefixBytes = evex ? 4 : first == 0xc4 ? 3 : 2;
    if (at + prefixBytes + 1 >= code.size()) return std::nullopt;
    Encoding e;
    bool later = false;  // bits that only later extensions (APX, AVX10.2) set
    bool broadcast = false;
    if (evex) {
        const unsigned p0 = byteAt(code, at + 1), p1 = byteAt(code, at + 2), p2 = byteAt(code, at + 3);
        e.map = p0 & 7U;
        later = (p0 & 8U) != 0 || (p1 & 4U) == 0 || e.map == 4 || e.map == 0 || e.map == 7;
        e.wide = (p1 & 0x80U) != 0;
        e.prefix = p1 & 3U;
        e.length = (p2 >> 5U) & 3U;
        broadcast = (p2 & 0x10U) != 0;
        if (e.map == 4 || e.map == 0 || e.map == 7) return std::nullopt;  // operands of other shapes
    } else {
        const unsigned last = byteAt(code, at + prefixBytes - 1);
        e.map = first == 0xc5 ? 1U : byteAt(code, at + 1) & 0x1fU;
        e.wide = first == 0xc4 && (last & 0x80U) != 0;
        e.prefix = last & 3U;
        e.length = (last >> 2U) & 1U;
        if (e.map < 1 || e.map > 3) return std::nullopt;
    }
    at += prefixBytes;
    e.op = byteAt(code, at++);
    VectorInstruction out;
    if (!evex && e.map == 1 && e.op == 0x77) {  // vzeroupper and vzeroall have no operands
        out.length = at;
        out.features = featureSet({F::Avx});
        return out;
    }
    const std::optional<std::size_t> operands = operandLength(code, at);
    if (!operands) return std::nullopt;
    const unsigned modrm = byteAt(code, at);
    e.registers = (modrm >> 6U) == 3;
    e.reg = (modrm >> 3U) & 7U;
    e.rounding = evex && broadcast && e.registers;
    out.length = at + *operands + (hasImmediate(e.map, e.op) ? 1 : 0);
    if (out.length > code.size() || out.length > 15) return std::nullopt;
    if (evex) {
        out.features = later ? featureSet({F::Avx512f, F::X86Unknown}) : evexFeatures(e);
        return out;
    }
    const std::optional<CpuFeatureSet> features = vexFeatures(e);
    out.classified = features.has_value();
    if (features) out.features = *features;
    return out;
}

std::optional<VectorInstruction> laterMapInstruction(Bytes code) {
    std::size_t at = 0;
    bool p66 = false, pf3 = false, pf2 = false;
    for (; at < code.size() && at < 4; ++at) {
        const unsigned byte = byteAt(code, at);
        if (byte == 0x66)
            p66 = true;
        else if (byte == 0xf3)
            pf3 = true;
        else if (byte == 0xf2)
            pf2 = true;
        else if (byte < 0x40 || byte > 0x4f)
            break;  // REX
    }
    if (at + 3 >= code.size() || byteAt(code, at) != 0x0f) return std::nullopt;
    const unsigned map = byteAt(code, at + 1), op = byteAt(code, at + 2);
    VectorInstruction out;
    std::size_t immediate = 0;
    if (map == 0x38 && op == 0xcf && p66)
        out.features = featureSet({F::Gfni});
    else if (map == 0x3a && (op == 0xce || op == 0xcf) && p66) {
        out.features = featureSet({F::Gfni});
        immediate = 1;
    } else if (map == 0x38 && op == 0xf9)
        out.features = featureSet({F::Movdiri});
    else if (map == 0x38 && op == 0xf8)
        out.features = featureSet({pf2 || pf3 ? F::Enqcmd : F::Movdir64b});
    else
        return std::nullopt;
    const std::optional<std::size_t> operands = operandLength(code, at + 3);
    if (!operands) return std::nullopt;
    out.length = at + 3 + *operands + immediate;
    if (out.length > code.size() || out.length > 15) return std::nullopt;
    return out;
}

}  // namespace pt2

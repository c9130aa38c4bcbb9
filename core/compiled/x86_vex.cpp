#include <initializer_list>

#include "core/compiled/x86_encoding.h"

namespace pt2::x86 {
namespace {

using F = CpuFeature;

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

std::optional<CpuFeatureSet> needs(std::initializer_list<F> features) { return featureSet(features); }
/// Integer vectors came to 256 bits with AVX2.
std::optional<CpuFeatureSet> integer(const Encoding& e) { return needs({e.length == 1 ? F::Avx2 : F::Avx}); }

std::optional<CpuFeatureSet> map1Features(const Encoding& e) {
    if (e.op == 0xe6 || e.op == 0xe7) return needs({F::Avx});  // conversions, and stores past the caches
    const bool words = within(e.op, 0x60, 0x6d) || within(e.op, 0x74, 0x76) || within(e.op, 0xd1, 0xd5) || within(e.op, 0xd7, 0xe5) ||
                       within(e.op, 0xe8, 0xef) || within(e.op, 0xf1, 0xf6) || within(e.op, 0xf8, 0xfe);
    if (e.prefix == P66 && words) return integer(e);
    if (within(e.op, 0x70, 0x73) && (e.op == 0x70 || e.prefix == P66)) return integer(e);
    if (within(e.op, 0x10, 0x17) || within(e.op, 0x28, 0x2f) || within(e.op, 0x50, 0x5f) || oneOf(e.op, {0x6e, 0x6f, 0x7c, 0x7d, 0x7e, 0x7f, 0xae}) ||
        oneOf(e.op, {0xc2, 0xc4, 0xc5, 0xc6, 0xd0, 0xd6, 0xf0, 0xf7}))
        return needs({F::Avx});
    return std::nullopt;
}

/// Scalar operations of the general registers.
std::optional<CpuFeatureSet> generalFeatures(const Encoding& e) {
    if (e.op == 0xf2) return e.prefix == None ? needs({F::Bmi1}) : std::nullopt;
    if (e.op == 0xf3) return e.prefix == None && within(e.reg, 1, 3) ? needs({F::Bmi1}) : std::nullopt;
    if (e.op == 0xf5) return e.prefix != P66 ? needs({F::Bmi2}) : std::nullopt;
    if (e.op == 0xf6) return e.prefix == PF2 ? needs({F::Bmi2}) : std::nullopt;
    if (e.op == 0xf7) return needs({e.prefix == None ? F::Bmi1 : F::Bmi2});
    return std::nullopt;
}

std::optional<CpuFeatureSet> laterMap2Features(const Encoding& e) {
    if (oneOf(e.op, {0x49, 0x4b})) return needs({F::AmxTile});
    if (oneOf(e.op, {0x50, 0x51})) return needs({e.prefix == P66 ? F::AvxVnni : F::AvxVnniInt8});
    if (oneOf(e.op, {0x52, 0x53})) return e.prefix == P66 ? needs({F::AvxVnni}) : std::nullopt;
    if (e.op == 0x5c) {
        if (e.prefix == PF3) return needs({F::AmxTile, F::AmxBf16});
        return e.prefix == PF2 ? needs({F::AmxTile, F::AmxFp16}) : std::nullopt;
    }
    if (e.op == 0x5e) return needs({F::AmxTile, F::AmxInt8});
    if (e.op == 0x6c) return needs({F::AmxTile, F::AmxComplex});
    if (oneOf(e.op, {0x72, 0xb0, 0xb1})) return needs({F::AvxNeConvert});
    if (oneOf(e.op, {0xb4, 0xb5})) return needs({F::AvxIfma});
    if (e.op == 0xcf) return needs({F::Avx, F::Gfni});
    if (oneOf(e.op, {0xd2, 0xd3})) return needs({F::AvxVnniInt16});
    if (within(e.op, 0xdc, 0xdf)) return e.length == 1 ? needs({F::Avx, F::Vaes}) : needs({F::Avx, F::Aes});
    if (within(e.op, 0xe0, 0xef) && e.prefix == P66) return needs({F::Cmpccxadd});
    return std::nullopt;
}

std::optional<CpuFeatureSet> map2Features(const Encoding& e) {
    if (within(e.op, 0xf2, 0xf7)) return generalFeatures(e);
    if (const auto later = laterMap2Features(e)) return later;
    if (e.prefix != P66) return std::nullopt;
    if (isFusedMultiply(e.op)) return needs({F::Fma});
    if (within(e.op, 0x0c, 0x0f) || oneOf(e.op, {0x17, 0x1a, 0x41}) || within(e.op, 0x2c, 0x2f)) return needs({F::Avx});
    if (e.op == 0x13) return needs({F::F16c});
    if (oneOf(e.op, {0x18, 0x19})) return needs({e.registers ? F::Avx2 : F::Avx});  // a broadcast from a register came later
    if (oneOf(e.op, {0x16, 0x36, 0x45, 0x46, 0x47, 0x58, 0x59, 0x5a, 0x78, 0x79, 0x8c, 0x8e}) || within(e.op, 0x90, 0x93)) return needs({F::Avx2});
    if (e.op == 0xdb) return needs({F::Avx, F::Aes});
    if (within(e.op, 0x00, 0x0b) || within(e.op, 0x1c, 0x1e) || within(e.op, 0x20, 0x25) || within(e.op, 0x28, 0x2b) || within(e.op, 0x30, 0x35) ||
        within(e.op, 0x37, 0x40))
        return integer(e);
    return std::nullopt;
}

std::optional<CpuFeatureSet> map3Features(const Encoding& e) {
    if (e.op == 0xf0) return e.prefix == PF2 ? needs({F::Bmi2}) : std::nullopt;
    if (e.prefix != P66) return std::nullopt;
    if (oneOf(e.op, {0xce, 0xcf})) return needs({F::Avx, F::Gfni});
    if (e.op == 0x44) return needs({F::Avx, e.length == 1 ? F::Vpclmul : F::Pclmul});
    if (e.op == 0xdf) return needs({F::Avx, F::Aes});
    if (e.op == 0x1d) return needs({F::F16c});
    if (within(e.op, 0x48, 0x49)) return needs({F::Xop});
    if (within(e.op, 0x5c, 0x5f) || within(e.op, 0x68, 0x6f) || within(e.op, 0x78, 0x7f)) return needs({F::Fma4});
    if (within(e.op, 0x00, 0x02) || oneOf(e.op, {0x38, 0x39, 0x46})) return needs({F::Avx2});
    if (oneOf(e.op, {0x0e, 0x0f, 0x42, 0x4c})) return integer(e);
    if (within(e.op, 0x04, 0x06) || within(e.op, 0x08, 0x0d) || within(e.op, 0x14, 0x19) || within(e.op, 0x20, 0x22) ||
        oneOf(e.op, {0x40, 0x41, 0x4a, 0x4b}) || within(e.op, 0x60, 0x63))
        return needs({F::Avx});
    return std::nullopt;
}

}  // namespace

std::optional<CpuFeatureSet> vexFeatures(const Encoding& e) {
    if (const auto mask = maskFeatures(e)) return mask;
    switch (e.map) {
        case 1: return map1Features(e);
        case 2: return map2Features(e);
        case 3: return map3Features(e);
        default: return std::nullopt;
    }
}

}  // namespace pt2::x86

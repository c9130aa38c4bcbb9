#include "core/compiled/x86_vector.h"

#include "core/compiled/x86_encoding.h"

namespace pt2 {

namespace {

using F = CpuFeature;

bool hasImmediate(unsigned map, unsigned op) {
    return map == 3 || (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6)));
}

/// Segment and address-size prefixes may precede a VEX or EVEX prefix.
std::size_t leadingPrefixes(Bytes code) {
    std::size_t at = 0;
    while (at < code.size() && at < 4) {
        const unsigned byte = x86::byteAt(code, at);
        if (byte != 0x26 && byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x64 && byte != 0x65 && byte != 0x67) break;
        ++at;
    }
    return at;
}

}  // namespace

std::optional<VectorInstruction> vectorInstruction(Bytes code) {
    std::size_t at = leadingPrefixes(code);
    if (at >= code.size()) return std::nullopt;
    const unsigned first = x86::byteAt(code, at);
    const bool evex = first == 0x62;
    if (!evex && first != 0xc4 && first != 0xc5) return std::nullopt;
    const std::size_t prefixBytes = evex ? 4 : first == 0xc4 ? 3 : 2;
    if (at + prefixBytes + 1 >= code.size()) return std::nullopt;
    x86::Encoding e;
    bool later = false;  // bits that only later extensions (APX, AVX10.2) set
    bool broadcast = false;
    if (evex) {
        const unsigned p0 = x86::byteAt(code, at + 1), p1 = x86::byteAt(code, at + 2), p2 = x86::byteAt(code, at + 3);
        e.map = p0 & 7U;
        later = (p0 & 8U) != 0 || (p1 & 4U) == 0 || e.map == 4 || e.map == 0 || e.map == 7;
        e.wide = (p1 & 0x80U) != 0;
        e.prefix = p1 & 3U;
        e.length = (p2 >> 5U) & 3U;
        broadcast = (p2 & 0x10U) != 0;
        if (e.map == 4 || e.map == 0 || e.map == 7) return std::nullopt;  // operands of other shapes
    } else {
        const unsigned last = x86::byteAt(code, at + prefixBytes - 1);
        e.map = first == 0xc5 ? 1U : x86::byteAt(code, at + 1) & 0x1fU;
        e.wide = first == 0xc4 && (last & 0x80U) != 0;
        e.prefix = last & 3U;
        e.length = (last >> 2U) & 1U;
        if (e.map < 1 || e.map > 3) return std::nullopt;
    }
    at += prefixBytes;
    e.op = x86::byteAt(code, at++);
    VectorInstruction out;
    if (!evex && e.map == 1 && e.op == 0x77) {  // vzeroupper and vzeroall have no operands
        out.length = at;
        out.features = featureSet({F::Avx});
        return out;
    }
    const std::optional<std::size_t> operands = x86::operandLength(code, at);
    if (!operands) return std::nullopt;
    const unsigned modrm = x86::byteAt(code, at);
    e.registers = (modrm >> 6U) == 3;
    e.reg = (modrm >> 3U) & 7U;
    e.rounding = evex && broadcast && e.registers;
    out.length = at + *operands + (hasImmediate(e.map, e.op) ? 1 : 0);
    if (out.length > code.size() || out.length > 15) return std::nullopt;
    if (evex) {
        out.features = later ? featureSet({F::Avx512f, F::X86Unknown}) : x86::evexFeatures(e);
        return out;
    }
    const std::optional<CpuFeatureSet> features = x86::vexFeatures(e);
    out.classified = features.has_value();
    if (features) out.features = *features;
    return out;
}

namespace {

/// What the mandatory prefixes of the instruction say, F2 and F3 before 66.
struct Prefixes {
    bool p66 = false, pf3 = false, pf2 = false;
};

std::optional<CpuFeatureSet> map38Features(unsigned op, const Prefixes& p) {
    const bool plain = !p.pf3 && !p.pf2;
    if (plain && (x86::within(op, 0x00, 0x0b) || x86::within(op, 0x1c, 0x1e))) return featureSet({F::Ssse3});
    if (plain && p.p66) {
        if (op == 0x37) return featureSet({F::Sse42});
        if (x86::oneOf(op, {0x10, 0x14, 0x15, 0x17}) || x86::within(op, 0x20, 0x25) || x86::within(op, 0x28, 0x2b) || x86::within(op, 0x30, 0x41))
            return featureSet({F::Sse41});
        if (op == 0xcf) return featureSet({F::Gfni});
        if (x86::within(op, 0xdb, 0xdf)) return featureSet({F::Aes});
    }
    if (plain && !p.p66 && x86::within(op, 0xc8, 0xcd)) return featureSet({F::Sha});
    if (x86::oneOf(op, {0xf0, 0xf1})) return featureSet({p.pf2 ? F::Sse42 : F::Movbe});
    if (op == 0xf6 && (p.p66 || p.pf3)) return featureSet({F::Adx});
    if (op == 0xf8) return featureSet({p.pf2 || p.pf3 ? F::Enqcmd : F::Movdir64b});
    if (op == 0xf9) return featureSet({F::Movdiri});
    return std::nullopt;
}

std::optional<CpuFeatureSet> map3aFeatures(unsigned op, const Prefixes& p) {
    if (p.pf3 || p.pf2) return std::nullopt;
    if (op == 0x0f) return featureSet({F::Ssse3});
    if (op == 0xcc && !p.p66) return featureSet({F::Sha});
    if (!p.p66) return std::nullopt;
    if (x86::within(op, 0x08, 0x0e) || x86::within(op, 0x14, 0x17) || x86::within(op, 0x20, 0x22) || x86::within(op, 0x40, 0x42))
        return featureSet({F::Sse41});
    if (op == 0x44) return featureSet({F::Pclmul});
    if (x86::within(op, 0x60, 0x63)) return featureSet({F::Sse42});
    if (x86::oneOf(op, {0xce, 0xcf})) return featureSet({F::Gfni});
    if (op == 0xdf) return featureSet({F::Aes});
    return std::nullopt;
}

}  // namespace

std::optional<VectorInstruction> mapInstruction(Bytes code) {
    std::size_t at = 0;
    Prefixes prefixes;
    for (; at < code.size() && at < 4; ++at) {
        const unsigned byte = x86::byteAt(code, at);
        if (byte == 0x66)
            prefixes.p66 = true;
        else if (byte == 0xf3)
            prefixes.pf3 = true;
        else if (byte == 0xf2)
            prefixes.pf2 = true;
        else if (byte < 0x40 || byte > 0x4f)
            break;  // REX
    }
    if (at + 3 >= code.size() || x86::byteAt(code, at) != 0x0f) return std::nullopt;
    const unsigned map = x86::byteAt(code, at + 1), op = x86::byteAt(code, at + 2);
    if (map != 0x38 && map != 0x3a) return std::nullopt;
    const std::optional<CpuFeatureSet> features = map == 0x38 ? map38Features(op, prefixes) : map3aFeatures(op, prefixes);
    const std::optional<std::size_t> operands = features ? x86::operandLength(code, at + 3) : std::nullopt;
    if (!operands) return std::nullopt;
    VectorInstruction out;
    out.features = *features;
    out.length = at + 3 + *operands + (map == 0x3a ? 1 : 0);
    if (out.length > code.size() || out.length > 15) return std::nullopt;
    return out;
}

}  // namespace pt2

#include "core/compiled/arm_features.h"

namespace pt2 {
namespace {

using F = CpuFeature;

std::optional<CpuFeatureSet> one(F feature) { return featureSet({feature}); }

bool is(std::uint32_t word, std::uint32_t mask, std::uint32_t value) { return (word & mask) == value; }

std::optional<CpuFeatureSet> memory(std::uint32_t w) {
    if (is(w, 0x3ffffc00, 0x38bfc000)) return one(F::Lrcpc);                                     // LDAPR
    if (is(w, 0x3f200c00, 0x38200000)) return one(F::Atomics);                                   // LDADD, SWP and kin
    if (is(w, 0x3fa07c00, 0x08a07c00) || is(w, 0xbfa07c00, 0x08207c00)) return one(F::Atomics);  // CAS, CASP
    if (is(w, 0x3f200c00, 0x19000000)) return one(F::Ilrcpc);                                    // LDAPUR, STLUR
    if (is(w, 0xff200400, 0xf8200400)) return one(F::Paca);                                      // LDRAA
    if (is(w, 0xff000000, 0xd9000000)) return one(F::Mte);                                       // STG and kin
    return std::nullopt;
}

/// Dot products, matrix products, complex arithmetic and BF16: "three registers, extension" and their forms with an indexed element.
std::optional<CpuFeatureSet> threeRegisters(std::uint32_t w) {
    const std::uint32_t size = (w >> 22U) & 3U;
    const bool upper = (w >> 29U & 1U) != 0;
    if (is(w, 0x9f208400, 0x0e008400)) {
        const std::uint32_t op = (w >> 11U) & 0xfU;
        if (op <= 1) return one(F::AsimdRdm);
        if (op == 2) return one(F::AsimdDp);
        if (op >= 3 && op <= 5) return one(F::I8mm);
        if (op == 13 && size == 1) return one(F::Bf16);
        if (op == 15) return one(F::Bf16);
        return op >= 8 ? one(F::Fcma) : one(F::ArmUnknown);
    }
    if (is(w, 0x9f000400, 0x0f000000)) {
        const std::uint32_t op = (w >> 12U) & 0xfU;
        if (op == 14) return one(F::AsimdDp);
        if (op == 15 && !upper) return one(size == 1 || size == 3 ? F::Bf16 : F::I8mm);
        if (upper && (op == 13 || op == 15)) return one(F::AsimdRdm);
        if (size == 0 && (op == 1 || op == 5 || op == 9)) return one(F::AsimdHp);
        if (size == 2 && !upper && (op == 0 || op == 4)) return one(F::AsimdFhm);
        if (upper && (op & 9U) == 1 && size != 0) return one(F::Fcma);
    }
    return std::nullopt;
}

std::optional<CpuFeatureSet> halfPrecision(std::uint32_t w) {
    if (is(w, 0x9f60c400, 0x0e400400) || is(w, 0xdf60c400, 0x5e400400)) return one(F::AsimdHp);
    if (is(w, 0x9f7e0c00, 0x0e780800) || is(w, 0xdf7e0c00, 0x5e780800)) return one(F::AsimdHp);
    if (is(w, 0x9ff8fc00, 0x0f00fc00)) return one(F::AsimdHp);
    if (is(w, 0xbf20fc00, 0x0e20ec00) || is(w, 0xbf20fc00, 0x2e20cc00)) return one(F::AsimdFhm);
    const bool half = (w >> 22U & 3U) == 3;
    if (half && is(w, 0xff000000, 0x1f000000)) return one(F::Fphp);
    if (half && is(w, 0x7f000000, 0x1e000000)) {
        const bool convertsPrecision = is(w, 0xff3efc00, 0x1e224000) || is(w, 0xff3ffc00, 0x1e22c000);  // FCVT from half: in the base set
        return convertsPrecision ? std::optional(CpuFeatureSet()) : one(F::Fphp);
    }
    return std::nullopt;
}

std::optional<CpuFeatureSet> crypto(std::uint32_t w) {
    if (is(w, 0xff3e0c00, 0x4e280800)) return one(F::ArmAes);
    if (is(w, 0xbfe0fc00, 0x0ee0e000)) return one(F::ArmPmull);
    if (is(w, 0xff208c00, 0x5e000000)) return one((w >> 12U & 7U) <= 3 ? F::ArmSha1 : F::ArmSha2);
    if (is(w, 0xff3e0c00, 0x5e280800)) return one((w >> 12U & 0x1fU) <= 1 ? F::ArmSha1 : F::ArmSha2);
    if (is(w, 0xff000000, 0xce000000)) {
        const std::uint32_t group = (w >> 21U) & 7U;
        if (group == 0 || group == 1 || group == 4) return one(F::ArmSha3);  // EOR3, BCAX, XAR
        return one(F::ArmUnknown);
    }
    return std::nullopt;
}

}  // namespace

std::optional<CpuFeatureSet> laterArmFeatures(std::uint32_t w) {
    const std::uint32_t group = (w >> 25U) & 0xfU;
    if (group == 2) return one(F::Sve);
    if (group == 0 && (w >> 31U) != 0) return one(F::Sme);
    if (is(w, 0xfffffc00, 0x1e634000) || is(w, 0xbffffc00, 0x0ea16800)) return one(F::Bf16);  // BFCVT, BFCVTN
    if (is(w, 0xfffffc00, 0x1e7e0000)) return one(F::Jscvt);
    if (is(w, 0xff3e7c00, 0x1e284000)) return one(F::Frint);
    if (is(w, 0x7fe0e000, 0x1ac04000)) return one(F::ArmCrc32);
    if (is(w, 0xfffffbff, 0xd65f0bff)) return one(F::Paca);  // RETAA
    for (const auto& part : {memory(w), crypto(w), threeRegisters(w), halfPrecision(w)}) {
        if (part) return part;
    }
    return std::nullopt;
}

}  // namespace pt2

#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pt2 {

/// What a processor may or may not be able to do, beyond the base set that every x86-64 (SSE2) or AArch64 (FP) machine has.
/// Named as Linux writes them in /proc/cpuinfo; `cpuFeatureName` gives that name. What says "Unknown" stands for instructions of a later extension.
enum class CpuFeature : std::uint8_t {
    // x86-64
    Sse3,
    Ssse3,
    Sse41,
    Sse42,
    Popcnt,
    Cx16,
    LahfLm,
    Movbe,
    Lzcnt,
    Aes,
    Pclmul,
    Sha,
    Avx,
    F16c,
    Fma,
    Avx2,
    Bmi1,
    Bmi2,
    Adx,
    Sse4a,
    Fma4,
    Xop,
    Tbm,
    Amd3dNow,
    Rtm,
    FsGsBase,
    Rdrand,
    Rdseed,
    Rdtscp,
    Rdpid,
    Clflushopt,
    Clwb,
    Monitor,
    Xsave,
    Gfni,
    Vaes,
    Vpclmul,
    AvxVnni,
    AvxVnniInt8,
    AvxVnniInt16,
    AvxIfma,
    AvxNeConvert,
    Cmpccxadd,
    Movdiri,
    Movdir64b,
    Waitpkg,
    Serialize,
    Enqcmd,
    Avx512f,
    Avx512bw,
    Avx512cd,
    Avx512dq,
    Avx512vl,
    Avx512er,
    Avx512pf,
    Avx512Vnni,
    Avx512Bf16,
    Avx512Fp16,
    Avx512Ifma,
    Avx512Vbmi,
    Avx512Vbmi2,
    Avx512Bitalg,
    Avx512Vpopcntdq,
    Avx512Vp2intersect,
    Avx5124vnniw,
    Avx5124fmaps,
    AmxTile,
    AmxInt8,
    AmxBf16,
    AmxFp16,
    AmxComplex,
    X86Unknown,
    // AArch64
    Asimd,
    Fphp,
    AsimdHp,
    AsimdDp,
    AsimdRdm,
    AsimdFhm,
    Fcma,
    Jscvt,
    Atomics,
    Lrcpc,
    Ilrcpc,
    ArmCrc32,
    ArmAes,
    ArmPmull,
    ArmSha1,
    ArmSha2,
    ArmSha3,
    ArmSha512,
    ArmSm3,
    ArmSm4,
    Bf16,
    I8mm,
    Flagm,
    Frint,
    Sve,
    Sme,
    Paca,
    Mte,
    ArmUnknown,
    Count
};

constexpr std::size_t kCpuFeatureCount = static_cast<std::size_t>(CpuFeature::Count);
using CpuFeatureSet = std::bitset<kCpuFeatureCount>;

inline CpuFeatureSet featureSet(std::initializer_list<CpuFeature> features) {
    CpuFeatureSet set;
    for (const CpuFeature feature : features) set.set(static_cast<std::size_t>(feature));
    return set;
}

/// "avx512_vnni"; for the two Unknown ones a sentence's part ("a later x86 extension").
const char* cpuFeatureName(CpuFeature feature);
/// In the order of the enumeration.
std::vector<std::string> cpuFeatureNames(const CpuFeatureSet& features);
/// With what every processor that has one of them also has: "avx2" brings "avx", which brings "sse4_2".
std::set<std::string> withImpliedFeatures(std::set<std::string> features);
/// A name as Linux writes it for one as people and compilers do: "sse4.1" is "sse4_1", "SSE3" is "pni", "avx512vnni" is "avx512_vnni", "neon" is
/// "asimd".
std::string canonicalCpuFeature(std::string_view name);

}  // namespace pt2

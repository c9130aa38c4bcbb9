#include "core/compiled/cpu_features.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace pt2 {
namespace {

constexpr std::array<const char*, kCpuFeatureCount> kNames = {"pni",
                                                              "ssse3",
                                                              "sse4_1",
                                                              "sse4_2",
                                                              "popcnt",
                                                              "cx16",
                                                              "lahf_lm",
                                                              "movbe",
                                                              "abm",
                                                              "aes",
                                                              "pclmulqdq",
                                                              "sha_ni",
                                                              "avx",
                                                              "f16c",
                                                              "fma",
                                                              "avx2",
                                                              "bmi1",
                                                              "bmi2",
                                                              "adx",
                                                              "sse4a",
                                                              "fma4",
                                                              "xop",
                                                              "tbm",
                                                              "3dnow",
                                                              "rtm",
                                                              "fsgsbase",
                                                              "rdrand",
                                                              "rdseed",
                                                              "rdtscp",
                                                              "rdpid",
                                                              "clflushopt",
                                                              "clwb",
                                                              "monitor",
                                                              "xsave",
                                                              "gfni",
                                                              "vaes",
                                                              "vpclmulqdq",
                                                              "avx_vnni",
                                                              "avx_vnni_int8",
                                                              "avx_vnni_int16",
                                                              "avx_ifma",
                                                              "avx_ne_convert",
                                                              "cmpccxadd",
                                                              "movdiri",
                                                              "movdir64b",
                                                              "waitpkg",
                                                              "serialize",
                                                              "enqcmd",
                                                              "avx512f",
                                                              "avx512bw",
                                                              "avx512cd",
                                                              "avx512dq",
                                                              "avx512vl",
                                                              "avx512er",
                                                              "avx512pf",
                                                              "avx512_vnni",
                                                              "avx512_bf16",
                                                              "avx512_fp16",
                                                              "avx512ifma",
                                                              "avx512vbmi",
                                                              "avx512_vbmi2",
                                                              "avx512_bitalg",
                                                              "avx512_vpopcntdq",
                                                              "avx512_vp2intersect",
                                                              "avx512_4vnniw",
                                                              "avx512_4fmaps",
                                                              "amx_tile",
                                                              "amx_int8",
                                                              "amx_bf16",
                                                              "amx_fp16",
                                                              "amx_complex",
                                                              "a later x86 extension",
                                                              "asimd",
                                                              "fphp",
                                                              "asimdhp",
                                                              "asimddp",
                                                              "asimdrdm",
                                                              "asimdfhm",
                                                              "fcma",
                                                              "jscvt",
                                                              "atomics",
                                                              "lrcpc",
                                                              "ilrcpc",
                                                              "crc32",
                                                              "aes",
                                                              "pmull",
                                                              "sha1",
                                                              "sha2",
                                                              "sha3",
                                                              "sha512",
                                                              "sm3",
                                                              "sm4",
                                                              "bf16",
                                                              "i8mm",
                                                              "flagm",
                                                              "frint",
                                                              "sve",
                                                              "sme",
                                                              "paca",
                                                              "mte",
                                                              "a later AArch64 extension"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kAliases = {{{"sse3", "pni"},
                                                                                     {"lzcnt", "abm"},
                                                                                     {"bmi", "bmi1"},
                                                                                     {"sha", "sha_ni"},
                                                                                     {"pclmul", "pclmulqdq"},
                                                                                     {"neon", "asimd"},
                                                                                     {"fp16c", "f16c"},
                                                                                     {"avx512vnni", "avx512_vnni"},
                                                                                     {"avx512bf16", "avx512_bf16"},
                                                                                     {"avx512fp16", "avx512_fp16"},
                                                                                     {"avx512vbmi2", "avx512_vbmi2"},
                                                                                     {"avx512bitalg", "avx512_bitalg"},
                                                                                     {"avx512vpopcntdq", "avx512_vpopcntdq"},
                                                                                     {"avx512vp2intersect", "avx512_vp2intersect"},
                                                                                     {"avxvnni", "avx_vnni"},
                                                                                     {"lse", "atomics"}}};

}  // namespace

const char* cpuFeatureName(CpuFeature feature) { return kNames[static_cast<std::size_t>(feature)]; }

std::vector<std::string> cpuFeatureNames(const CpuFeatureSet& features) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kCpuFeatureCount; ++i) {
        if (features.test(i)) names.emplace_back(kNames[i]);
    }
    return names;
}

std::set<std::string> withImpliedFeatures(std::set<std::string> features) {
    const auto any = [&](std::string_view prefix) {
        const auto first = features.lower_bound(std::string(prefix));
        return first != features.end() && first->compare(0, prefix.size(), prefix) == 0;
    };
    if (any("avx512")) features.insert("avx512f");
    if (features.count("avx512f") > 0) features.insert({"avx2", "fma", "f16c"});
    for (const char* needsAvx : {"avx2", "fma", "f16c"}) {
        if (features.count(needsAvx) > 0) features.insert("avx");
    }
    const std::array<const char*, 5> chain = {"avx", "sse4_2", "sse4_1", "ssse3", "pni"};
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        if (features.count(chain[i]) > 0) features.insert(chain[i + 1]);
    }
    return features;
}

std::string canonicalCpuFeature(std::string_view name) {
    std::string text(name);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::replace(text.begin(), text.end(), '.', '_');
    std::replace(text.begin(), text.end(), '-', '_');
    for (const auto& [alias, own] : kAliases) {
        if (text == alias) return std::string(own);
    }
    return text;
}

}  // namespace pt2

#include "core/compiled/x86_encoding.h"

namespace pt2::x86 {
namespace {

using F = CpuFeature;

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
    if (isFusedMultiply(e.op)) {
        scalar = isScalarMultiply(e.op);
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
    if (e.op == 0x13) {
        scalar = e.prefix == None;
        return e.prefix == None || e.prefix == P66 ? half : unknown();
    }
    if (e.op == 0x56 || e.op == 0x57 || e.op == 0xd6 || e.op == 0xd7) {
        scalar = (e.op & 1U) != 0;
        return e.prefix == PF3 || e.prefix == PF2 ? half : unknown();
    }
    if (e.prefix != P66) return unknown();
    if (isFusedMultiply(e.op)) {
        scalar = isScalarMultiply(e.op);
        return half;
    }
    if (oneOf(e.op, {0x2c, 0x42, 0x4c, 0x4e})) return half;
    if (oneOf(e.op, {0x2d, 0x43, 0x4d, 0x4f})) {
        scalar = true;
        return half;
    }
    return unknown();
}

}  // namespace

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

}  // namespace pt2::x86

#include <QtTest>
#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/compiled/arm_features.h"
#include "core/compiled/compiled_needs.h"
#include "core/compiled/cpu_features.h"
#include "core/compiled/x86_vector.h"
#include "tests/core/compiled/built_library.h"
#include "tests/core/compiled/compiled_corpus.h"

using namespace pt2;

namespace {

std::string text(const CpuFeatureSet& features) {
    std::string out;
    for (const std::string& name : cpuFeatureNames(features)) out += (out.empty() ? "" : " ") + name;
    return out;
}

#if defined(__x86_64__)
constexpr bool kX86 = true;
#else
constexpr bool kX86 = false;
#endif

ByteSource sourceOver(const ByteBuffer& bytes) {
    return {bytes.size(), [&bytes](std::uint64_t offset, MutableBytes out) -> Status {
                if (offset > bytes.size() || out.size() > bytes.size() - offset) return fail({ErrorKind::Unreadable, "test.outside", "", {}, {}, {}});
                std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
                return {};
            }};
}

/// A reading of bytes that are nothing but code.
ElfReading bareCode(const ByteBuffer& bytes, const std::string& machine, std::vector<std::uint64_t> functions = {}) {
    ElfReading elf;
    elf.facts.isElf = true;
    elf.facts.machine = machine;
    elf.code.push_back({0, bytes.size(), 0});
    elf.functions = std::move(functions);
    return elf;
}

CodeScan scanBytes(const std::vector<unsigned>& values, const std::string& machine = "x86_64", std::vector<std::uint64_t> functions = {}) {
    ByteBuffer bytes;
    for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
    return scanCode(sourceOver(bytes), bareCode(bytes, machine, std::move(functions)));
}

}  // namespace

class CodeScanTest : public QObject {
    Q_OBJECT

private slots:
    /// Assembled by the system's assembler, so that encoding and table are not by the same hand.
    void eachExtensionIsKnownByItsInstructions_data() {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("features");
        const std::vector<std::pair<const char*, const char*>> rows = {
            {"addps %xmm0,%xmm1\n cmovne %eax,%ecx\n pause\n endbr64\n prefetchw (%rax)\n tzcnt %eax,%ecx\n nopw 0(%rax,%rax,1)\n ud2\n mfence\n "
             "clflush (%rax)\n lock cmpxchg8b (%rax)\n fxsave (%rax)",
             ""},
            {"addsubps %xmm0,%xmm1\n lddqu (%rax),%xmm0\n fisttpll (%rax)", "pni"},
            {"pshufb %xmm0,%xmm1\n palignr $1,%xmm0,%xmm1", "ssse3"},
            {"pshufb %mm0,%mm1\n palignr $1,%mm0,%mm1\n pabsw (%rax),%mm1", "ssse3"},
            {"vsqrtss %xmm0,%xmm1,%xmm2\n vcvtsd2ss (%rax),%xmm1,%xmm2\n vrcpps %xmm0,%xmm1", "avx"},
            {"vpermilps $1,%ymm0,%ymm1\n vtestps %ymm0,%ymm1\n vpshufb %xmm0,%xmm1,%xmm2\n vinsertf128 $1,%xmm0,%ymm1,%ymm2", "avx"},
            {"vpshufb %ymm0,%ymm1,%ymm2", "avx2"},
            {"vpalignr $1,%ymm0,%ymm1,%ymm2", "avx2"},
            {"vfmaddsub213pd (%rax),%ymm1,%ymm2", "fma"},
            {"vfmsub132ss %xmm0,%xmm1,%xmm2", "fma"},
            {"vaesdec %xmm0,%xmm1,%xmm2\n vaesimc %xmm0,%xmm1", "aes avx"},
            {"movbe %ecx,(%rax)\n crc32l (%rax),%ecx", "sse4_2 movbe"},
            {"pext %eax,%ecx,%edx\n rorx $1,%eax,%ecx\n bzhi %eax,%ecx,%edx", "bmi2"},
            {"pmulld %xmm0,%xmm1\n ptest %xmm0,%xmm1", "sse4_1"},
            {"pcmpgtq %xmm0,%xmm1\n crc32b %al,%ecx", "sse4_2"},
            {"popcnt %eax,%ecx\n lzcnt %eax,%ecx\n movbe (%rax),%ecx\n cmpxchg16b (%rax)\n lahf", "popcnt cx16 lahf_lm movbe abm"},
            {"aesenc %xmm0,%xmm1\n pclmulqdq $1,%xmm0,%xmm1\n sha1rnds4 $1,%xmm0,%xmm1", "aes pclmulqdq sha_ni"},
            {"vaddps %ymm0,%ymm1,%ymm2\n vpaddd %xmm0,%xmm1,%xmm2\n vzeroupper\n vbroadcastss (%rax),%ymm1", "avx"},
            {"vcvtph2ps %xmm0,%ymm1\n vcvtps2ph $1,%ymm0,%xmm1", "f16c"},
            {"vfmadd231ps %ymm0,%ymm1,%ymm2\n vfnmadd132sd (%rax),%xmm1,%xmm2", "fma"},
            {"vpaddd %ymm0,%ymm1,%ymm2\n vpermq $1,%ymm0,%ymm1\n vbroadcastss %xmm0,%ymm1\n vgatherdps %ymm0,(%rax,%ymm1,4),%ymm2", "avx2"},
            {"andn %eax,%ecx,%edx\n bextr %eax,%ecx,%edx\n mulx %rax,%rcx,%rdx\n shlx %eax,%ecx,%edx\n adcx %eax,%ecx", "bmi1 bmi2 adx"},
            {"rdrand %eax\n rdseed %eax\n rdtscp\n rdpid %rax\n clflushopt (%rax)\n clwb (%rax)\n tpause %eax\n movdiri %eax,(%rax)\n "
             "movdir64b (%rax),%rcx",
             "rdrand rdseed rdtscp rdpid clflushopt clwb movdiri movdir64b waitpkg"},
            {"vaddps %zmm0,%zmm1,%zmm2\n vaddss %xmm16,%xmm1,%xmm2\n vsqrtps {rn-sae},%zmm0,%zmm1\n vpternlogd $1,%zmm0,%zmm1,%zmm2\n vmovd "
             "%eax,%xmm16\n "
             "kmovw %k1,%k2\n vcvtph2ps %ymm0,%zmm1\n vfmadd231ps 64(%rax,%rcx,8){1to16},%zmm1,%zmm2\n vextractf64x4 $1,%zmm0,%ymm1\n vpmovdb "
             "%zmm0,%xmm1\n "
             "vaddps 0x12345(%rip),%zmm1,%zmm2\n vgatherdps (%rax,%zmm1,4),%zmm2{%k1}",
             "avx512f"},
            {"vpaddb %zmm0,%zmm1,%zmm2\n vpermw %zmm0,%zmm1,%zmm2\n vpmovwb %zmm0,%ymm1\n vpsadbw %zmm0,%zmm1,%zmm2\n vdbpsadbw "
             "$1,%zmm0,%zmm1,%zmm2\n "
             "kmovd %eax,%k2\n kmovq %k1,%k2\n vmovdqu8 (%rax),%zmm0\n vpinsrb $1,%eax,%xmm16,%xmm1\n vpslldq $1,%zmm0,%zmm1\n kunpckdq %k1,%k2,%k3",
             "avx512f avx512bw"},
            {"vandps %zmm0,%zmm1,%zmm2\n vpmullq %zmm0,%zmm1,%zmm2\n vcvtqq2pd %zmm0,%zmm1\n vextractf32x8 $1,%zmm0,%ymm1\n vrangeps "
             "$1,%zmm0,%zmm1,%zmm2\n vpmovm2d %k1,%zmm0\n kmovb %k1,%k2\n kaddw %k1,%k2,%k3\n vpextrd $1,%xmm16,%eax\n vfpclasssd $1,%xmm0,%k1\n "
             "vcvttps2qq %ymm0,%zmm1\n vcvtuqq2ps %zmm0,%ymm1\n vbroadcasti32x8 (%rax),%zmm1",
             "avx512f avx512dq"},
            {"vpconflictd %zmm0,%zmm1\n vplzcntq %zmm0,%zmm1\n vpbroadcastmb2q %k1,%zmm0", "avx512f avx512cd"},
            {"vaddps %ymm0,%ymm1,%ymm2{%k1}\n vmovdqu64 (%rax),%ymm16\n vpmaxsq %ymm16,%ymm1,%ymm2\n vpermps %ymm16,%ymm1,%ymm2", "avx512f avx512vl"},
            {"vpdpbusd %zmm0,%zmm1,%zmm2\n vpdpwssds %zmm0,%zmm1,%zmm2", "avx512f avx512_vnni"},
            {"vcvtne2ps2bf16 %zmm0,%zmm1,%zmm2\n vcvtneps2bf16 %zmm0,%ymm1\n vdpbf16ps %zmm0,%zmm1,%zmm2", "avx512f avx512_bf16"},
            {"vaddph %zmm0,%zmm1,%zmm2\n vaddsh %xmm0,%xmm1,%xmm2\n vfmadd231ph %zmm0,%zmm1,%zmm2\n vcvtsh2ss %xmm0,%xmm1,%xmm2\n vmovw %eax,%xmm1\n "
             "vcmpph "
             "$0,%zmm0,%zmm1,%k1\n vrndscaleph $1,%zmm0,%zmm1\n vfcmaddcsh %xmm0,%xmm1,%xmm2\n vcvtph2psx %ymm0,%zmm1\n vcvtsi2sh %eax,%xmm1,%xmm2",
             "avx512f avx512_fp16"},
            {"vpermb %zmm0,%zmm1,%zmm2\n vpmultishiftqb %zmm0,%zmm1,%zmm2\n vpmadd52luq %zmm0,%zmm1,%zmm2\n vpshldd $1,%zmm0,%zmm1,%zmm2\n "
             "vpcompressb "
             "%zmm0,%zmm1\n vpopcntb %zmm0,%zmm1\n vpshufbitqmb %zmm0,%zmm1,%k1\n vpopcntd %zmm0,%zmm1\n vp2intersectd %zmm0,%zmm1,%k2",
             "avx512f avx512ifma avx512vbmi avx512_vbmi2 avx512_bitalg avx512_vpopcntdq avx512_vp2intersect"},
            {"vgf2p8mulb %zmm0,%zmm1,%zmm2\n vaesenc %zmm0,%zmm1,%zmm2\n vpclmulqdq $1,%zmm0,%zmm1,%zmm2", "gfni vaes vpclmulqdq avx512f"},
            {"gf2p8mulb %xmm0,%xmm1\n gf2p8affineqb $1,(%rax),%xmm1", "gfni"},
            {"vaesenc %ymm0,%ymm1,%ymm2\n vpclmulqdq $1,%ymm0,%ymm1,%ymm2\n vgf2p8mulb %ymm0,%ymm1,%ymm2", "avx gfni vaes vpclmulqdq"},
            {"{vex} vpdpbusd %ymm0,%ymm1,%ymm2", "avx_vnni"},
            {"ldtilecfg (%rax)\n tileloadd (%rax,%rcx,1),%tmm1\n tdpbf16ps %tmm0,%tmm1,%tmm2\n tdpbssd %tmm0,%tmm1,%tmm2\n tilerelease",
             "amx_tile amx_int8 amx_bf16"}};
        int number = 0;
        for (const auto& [code, features] : rows) {
            QTest::addRow("%d %s", ++number, features) << QByteArray(code) << QByteArray(features);
        }
    }
    void eachExtensionIsKnownByItsInstructions() {
        if (!kX86 || tests::compiler().isEmpty()) QSKIP("There is no compiler for x86-64 here.");
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, features);
        const QTemporaryDir folder;
        const QString library = tests::buildLibrary(folder, "x.s", ".text\n.globl f\n.type f,@function\nf:\n " + code + "\n ret\n", {"-nostdlib"});
        if (library.isEmpty()) QSKIP("The assembler here does not know these instructions.");
        const CodeScan scan = tests::scanFile(library);
        QVERIFY(scan.read && scan.complete && !scan.choosesAtRunTime);
        QCOMPARE(scan.undecoded, std::uint64_t(0));
        QCOMPARE(QByteArray::fromStdString(text(scan.needed)), features);
        QVERIFY(scan.perhaps.none());
    }

    void compiledLoopsNeedWhatTheirFlagsSay_data() {
        QTest::addColumn<QStringList>("flags");
        QTest::addColumn<QStringList>("has");
        QTest::addColumn<QStringList>("lacks");
        const QStringList vectors{"-O3", "-ffast-math"};
        QTest::newRow("base") << vectors << QStringList{} << QStringList{"avx", "avx2", "fma", "avx512f"};
        QTest::newRow("avx2") << vectors + QStringList{"-mavx2", "-mfma"} << QStringList{"avx", "fma"} << QStringList{"avx512f", "avx512vl"};
        QTest::newRow("avx512f") << vectors + QStringList{"-mavx512f", "-mprefer-vector-width=512"} << QStringList{"avx512f"}
                                 << QStringList{"avx512vl"};
        QTest::newRow("avx512vl") << vectors + QStringList{"-march=skylake-avx512"} << QStringList{"avx512f", "avx512vl"}
                                  << QStringList{"avx512_vnni"};
        QTest::newRow("stripped") << vectors + QStringList{"-mavx512f", "-mprefer-vector-width=512", "-s"} << QStringList{"avx512f"} << QStringList{};
    }
    void compiledLoopsNeedWhatTheirFlagsSay() {
        if (!kX86 || tests::compiler().isEmpty()) QSKIP("There is no compiler for x86-64 here.");
        QFETCH(QStringList, flags);
        QFETCH(QStringList, has);
        QFETCH(QStringList, lacks);
        const QTemporaryDir folder;
        const QByteArray source =
            "void f(float* a, const float* b, const float* c, long n) { for (long i = 0; i < n; ++i) a[i] = a[i] * b[i] + (b[i] > c[i] ? c[i] : "
            "3.0f); }";
        const QString library = tests::buildLibrary(folder, "loop.c", source, flags);
        QVERIFY(!library.isEmpty());
        const CodeScan scan = tests::scanFile(library);
        QVERIFY(scan.complete && scan.undecoded == 0);
        const std::string all = " " + text(scan.needed) + " ";
        for (const QString& feature : has) QVERIFY2(all.find(" " + feature.toStdString() + " ") != std::string::npos, all.c_str());
        for (const QString& feature : lacks) QVERIFY2(all.find(" " + feature.toStdString() + " ") == std::string::npos, all.c_str());
    }

    void aLibraryThatChoosesAtRunTimeIsSaidTo() {
        if (!kX86 || tests::compiler().isEmpty()) QSKIP("There is no compiler for x86-64 here.");
        const QTemporaryDir folder;
        const QString asks = tests::buildLibrary(
            folder, "a.s", ".text\n.globl f\n.type f,@function\nf:\n cpuid\n test %ebx,%ebx\n je 1f\n vaddps %zmm0,%zmm1,%zmm2\n1: ret\n",
            {"-nostdlib"});
        QVERIFY(!asks.isEmpty());
        QVERIFY(tests::scanFile(asks).choosesAtRunTime);
        const QString indirect =
            tests::buildLibrary(folder, "i.s",
                                ".text\n.globl f\n.type f,@gnu_indirect_function\nf: ret\n.globl g\n.type g,@function\ng: vaddps "
                                "%zmm0,%zmm1,%zmm2\n ret\n",
                                {"-nostdlib"});
        QVERIFY(!indirect.isEmpty());
        const CodeScan scan = tests::scanFile(indirect);
        QVERIFY(scan.choosesAtRunTime && !scan.chooser.empty());
        QCOMPARE(text(scan.needed), std::string("avx512f"));
    }

    /// Bytes that are no instruction do not end the scan; what follows them counts as sure only from the next function on.
    void bytesThatAreNoCodeAreTolerated() {
        const std::vector<unsigned> bad = {0x06, 0x07}, zmm = {0x62, 0xf1, 0x74, 0x48, 0x58, 0xd0}, ymm = {0xc5, 0xf4, 0x58, 0xd0};
        std::vector<unsigned> code = bad;
        code.insert(code.end(), zmm.begin(), zmm.end());
        CodeScan scan = scanBytes(code);
        QVERIFY(scan.complete);
        QCOMPARE(scan.undecoded, std::uint64_t(2));
        QCOMPARE(text(scan.needed), std::string());
        QCOMPARE(text(scan.perhaps), std::string("avx512f"));
        code.insert(code.end(), ymm.begin(), ymm.end());
        scan = scanBytes(code, "x86_64", {8});
        QCOMPARE(text(scan.needed), std::string("avx"));
        QCOMPARE(text(scan.perhaps), std::string("avx512f"));
        // An instruction is not read across the start of a function.
        scan = scanBytes({0x06, 0x62, 0xf1, 0xc5, 0xf4, 0x58, 0xd0}, "x86_64", {3});
        QCOMPARE(text(scan.needed), std::string("avx"));
        QVERIFY(scan.perhaps.none());
        // Cut in the middle of an instruction.
        scan = scanBytes({0x62, 0xf1, 0x74, 0x48, 0x58});
        QVERIFY(scan.complete && scan.undecoded > 0 && scan.needed.none());
    }

    void whatTheBudgetLeavesOutIsSaid() {
        ByteBuffer bytes(std::size_t{3} << 20, std::byte{0x90});
        const ElfReading elf = bareCode(bytes, "x86_64");
        ScanBudget budget;
        budget.bytes = 1;
        CodeScan scan = scanCode(sourceOver(bytes), elf, budget);
        QVERIFY(scan.read && !scan.complete && !scan.stopped.empty());
        budget = {};
        budget.time = std::chrono::milliseconds(0);
        scan = scanCode(sourceOver(bytes), elf, budget);
        QVERIFY(scan.read && !scan.complete && !scan.stopped.empty());
        const CancelToken cancel;
        cancel.request();
        scan = scanCode(sourceOver(bytes), elf, {}, cancel);
        QVERIFY(!scan.complete);
        // An instruction over the border of two windows is one instruction.
        std::fill(bytes.begin(), bytes.end(), std::byte{0x90});
        const unsigned zmm[] = {0x62, 0xf1, 0x74, 0x48, 0x58, 0xd0};
        for (std::size_t i = 0; i < 6; ++i) bytes[(std::size_t{1} << 20) - 3 + i] = static_cast<std::byte>(zmm[i]);
        budget.time = std::chrono::minutes(5);  // the machine may be busy
        scan = scanCode(sourceOver(bytes), elf, budget);
        QVERIFY(scan.complete && scan.undecoded == 0);
        QCOMPARE(text(scan.needed), std::string("avx512f"));
        QVERIFY(!scanCode(sourceOver(bytes), bareCode(bytes, "riscv64")).read);
        QVERIFY(!scanCode(sourceOver(bytes), bareCode({}, "x86_64")).complete);
    }

    void armInstructionsAreToldApart() {
        const std::vector<std::pair<std::uint32_t, const char*>> words = {{0x38206820, nullptr},    // ldrb w0, [x1, x0]
                                                                          {0xb8200020, "atomics"},  // ldadd w0, w0, [x1]
                                                                          {0x88a07c41, "atomics"},  // cas w0, w1, [x2]
                                                                          {0xb8bfc020, "lrcpc"},    // ldapr w0, [x1]
                                                                          {0x1ac14000, "crc32"},    // crc32b w0, w0, w1
                                                                          {0x04a00000, "sve"},      // add z0.s, z0.s, z0.s
                                                                          {0x4e819400, "asimddp"},  // sdot v0.4s, v0.16b, v1.16b
                                                                          {0x6e41fc00, "bf16"},     // bfdot v0.4s, v0.8h, v1.8h
                                                                          {0x4e81a400, "i8mm"},     // smmla v0.4s, v0.16b, v1.16b
                                                                          {0x4e411400, "asimdhp"},  // fadd v0.8h, v0.8h, v1.8h
                                                                          {0x1ee12800, "fphp"},     // fadd h0, h0, h1
                                                                          {0x1ee24000, ""},         // fcvt s0, h0
                                                                          {0x1e634000, "bf16"},     // bfcvt h0, s0
                                                                          {0x4e284820, "aes"},      // aese v0.16b, v1.16b
                                                                          {0x4ee0e000, "pmull"},    // pmull2 v0.1q, v0.2d, v0.2d
                                                                          {0xd503233f, nullptr},    // paciasp is a hint
                                                                          {0xd65f0bff, "paca"}};    // retaa
        for (const auto& [word, expected] : words) {
            const auto features = laterArmFeatures(word);
            QVERIFY2(features.has_value() == (expected != nullptr), qPrintable(QString::number(word, 16)));
            if (features) QCOMPARE(text(*features), std::string(expected));
        }
        // fadd v0.4s, v0.4s, v1.4s; ret; padding
        const CodeScan scan = scanBytes({0x00, 0xd4, 0x21, 0x4e, 0xc0, 0x03, 0x5f, 0xd6, 0, 0, 0, 0}, "aarch64");
        QVERIFY(scan.complete && scan.undecoded == 0);
        QCOMPARE(text(scan.needed), std::string("asimd"));
    }

    void anyBytesEnd() {
        std::mt19937 random(7);
        for (int round = 0; round < 60; ++round) {
            ByteBuffer bytes(20000);
            for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
            for (const char* machine : {"x86_64", "aarch64"}) {
                QVERIFY(scanCode(sourceOver(bytes), bareCode(bytes, machine, {5, 77, 9000})).complete);
            }
        }
        for (int round = 0; round < 200000; ++round) {
            ByteBuffer bytes(random() % 16);
            for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
            if (!bytes.empty()) bytes[0] = std::array{std::byte{0x62}, std::byte{0xc4}, std::byte{0xc5}, std::byte{0x66}}[random() % 4];
            for (const auto& found : {vectorInstruction(bytes), mapInstruction(bytes)}) {
                QVERIFY(!found || (found->length > 0 && found->length <= bytes.size()));
            }
        }
    }

    /// What AOTInductor wrote on a machine with AVX2: read to the end, nothing chosen at run time, no AVX-512.
    void librariesOfTheCorpusAreReadToTheEnd() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        int libraries = 0;
        for (const QString& package : tests::compiledPackages()) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                if (!model.library || !model.elf.isElf) continue;
                const CodeScan code = readNeeds(*opened.archive, model).code;
                QVERIFY2(code.read && code.complete && code.undecoded == 0 && !code.choosesAtRunTime, qPrintable(package));
                const std::string all = text(code.needed);
                QVERIFY2(all.find("avx512") == std::string::npos && all.find("avx") != std::string::npos, all.c_str());
                ++libraries;
            }
        }
        QVERIFY(libraries >= 28);
    }
};

QTEST_GUILESS_MAIN(CodeScanTest)
#include "tst_code_scan.moc"

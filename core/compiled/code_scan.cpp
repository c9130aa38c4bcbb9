#include "core/compiled/code_scan.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/compiled/arm_features.h"
#include "core/compiled/x86_vector.h"

namespace pt2 {
namespace {

using F = CpuFeature;

constexpr std::size_t kWindow = std::size_t{1} << 20;
constexpr std::size_t kLongestInstruction = 15;
constexpr unsigned kInstructionsBetweenLooksAtTheClock = 2048;

/// A disassembler and the one instruction it writes to.
class Disassembler {
public:
    explicit Disassembler(bool arm) {
        if (cs_open(arm ? CS_ARCH_ARM64 : CS_ARCH_X86, arm ? CS_MODE_LITTLE_ENDIAN : CS_MODE_64, &handle_) != CS_ERR_OK) return;
        cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
        instruction_ = cs_malloc(handle_);
    }
    Disassembler(const Disassembler&) = delete;
    Disassembler& operator=(const Disassembler&) = delete;
    ~Disassembler() {
        if (instruction_ != nullptr) cs_free(instruction_, 1);
        if (handle_ != 0) cs_close(&handle_);
    }
    bool works() const { return instruction_ != nullptr; }
    /// The instruction at the start, or nullptr.
    const cs_insn* at(Bytes code) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(code.data());
        std::size_t size = code.size();
        std::uint64_t address = 0;
        return cs_disasm_iter(handle_, &bytes, &size, &address, instruction_) ? instruction_ : nullptr;
    }

private:
    csh handle_ = 0;
    cs_insn* instruction_ = nullptr;
};

std::optional<F> featureOfGroup(unsigned group) {
    switch (group) {
        case X86_GRP_SSE3: return F::Sse3;
        case X86_GRP_SSSE3: return F::Ssse3;
        case X86_GRP_SSE41: return F::Sse41;
        case X86_GRP_SSE42: return F::Sse42;
        case X86_GRP_SSE4A: return F::Sse4a;
        case X86_GRP_AES: return F::Aes;
        case X86_GRP_PCLMUL: return F::Pclmul;
        case X86_GRP_SHA: return F::Sha;
        case X86_GRP_AVX: return F::Avx;
        case X86_GRP_F16C: return F::F16c;
        case X86_GRP_FMA: return F::Fma;
        case X86_GRP_FMA4: return F::Fma4;
        case X86_GRP_XOP: return F::Xop;
        case X86_GRP_TBM: return F::Tbm;
        case X86_GRP_AVX2: return F::Avx2;
        case X86_GRP_BMI: return F::Bmi1;
        case X86_GRP_BMI2: return F::Bmi2;
        case X86_GRP_ADX: return F::Adx;
        case X86_GRP_3DNOW: return F::Amd3dNow;
        case X86_GRP_RTM: return F::Rtm;
        case X86_GRP_FSGSBASE: return F::FsGsBase;
        case X86_GRP_AVX512: return F::Avx512f;
        case X86_GRP_CDI: return F::Avx512cd;
        case X86_GRP_DQI: return F::Avx512dq;
        case X86_GRP_BWI: return F::Avx512bw;
        case X86_GRP_VLX: return F::Avx512vl;
        case X86_GRP_ERI: return F::Avx512er;
        case X86_GRP_PFI: return F::Avx512pf;
        default: return std::nullopt;
    }
}

/// Instructions that stand in no group of Capstone's, or in one that says too much: TZCNT without BMI is BSF, and compilers write it where both
/// give the same; PREFETCH and hints do nothing on older processors.
std::optional<CpuFeatureSet> byName(unsigned id) {
    switch (id) {
        case X86_INS_TZCNT:
        case X86_INS_PREFETCH:
        case X86_INS_PREFETCHW: return CpuFeatureSet();
        case X86_INS_POPCNT: return featureSet({F::Popcnt});
        case X86_INS_LZCNT: return featureSet({F::Lzcnt});
        case X86_INS_MOVBE: return featureSet({F::Movbe});
        case X86_INS_CMPXCHG16B: return featureSet({F::Cx16});
        case X86_INS_LAHF:
        case X86_INS_SAHF: return featureSet({F::LahfLm});
        case X86_INS_RDTSCP: return featureSet({F::Rdtscp});
        case X86_INS_RDRAND: return featureSet({F::Rdrand});
        case X86_INS_RDSEED: return featureSet({F::Rdseed});
        case X86_INS_CLFLUSHOPT: return featureSet({F::Clflushopt});
        case X86_INS_CLWB: return featureSet({F::Clwb});
        case X86_INS_MONITOR:
        case X86_INS_MWAIT: return featureSet({F::Monitor});
        case X86_INS_FISTTP: return featureSet({F::Sse3});
        case X86_INS_XTEST: return featureSet({F::Rtm});
        case X86_INS_XGETBV: return featureSet({F::Xsave});
        default: return std::nullopt;
    }
}

/// What Capstone 4 takes for older instructions with the same opcode: RDPID for RDSEED, TPAUSE and UMWAIT for fences.
std::optional<CpuFeatureSet> misread(Bytes code) {
    std::size_t at = 0;
    bool repeated = false, sized = false;
    for (; at + 3 < code.size(); ++at) {
        const auto byte = std::to_integer<unsigned>(code[at]);
        if (byte == 0xf3 || byte == 0xf2)
            repeated = true;
        else if (byte == 0x66)
            sized = true;
        else if (byte < 0x40 || byte > 0x4f)
            break;
    }
    if (at + 3 > code.size() || std::to_integer<unsigned>(code[at]) != 0x0f) return std::nullopt;
    const auto op = std::to_integer<unsigned>(code[at + 1]), modrm = std::to_integer<unsigned>(code[at + 2]);
    if (op == 0xc7 && repeated && (modrm & 0xf8U) == 0xf8) return featureSet({F::Rdpid});
    if (op == 0xae && (repeated || sized) && (modrm & 0xf8U) == 0xf0) return featureSet({F::Waitpkg});
    return std::nullopt;
}

class Scanner {
public:
    Scanner(const ByteSource& source, const ElfReading& elf, const ScanBudget& budget, const CancelToken& cancel)
        : source_(source),
          elf_(elf),
          budget_(budget),
          cancel_(cancel),
          arm_(elf.facts.machine == "aarch64"),
          disassembler_(arm_),
          deadline_(std::chrono::steady_clock::now() + budget.time) {}

    CodeScan run() {
        scan_.machine = elf_.facts.machine;
        for (const CodeRange& range : elf_.code) scan_.codeBytes += range.size;
        if (elf_.choosesFunctions) choose("symbols of a choice at run time");
        if (!arm_ && elf_.facts.machine != "x86_64") {
            scan_.stopped = "code for " + elf_.facts.machine + " is not read";
        } else if (!disassembler_.works()) {
            scan_.stopped = "the disassembler did not start";
        } else if (scan_.codeBytes == 0) {
            scan_.stopped = "no code was found in it";
        } else {
            scan_.read = true;
            for (const CodeRange& range : elf_.code) {
                if (!scan(range)) break;
            }
        }
        scan_.complete = scan_.stopped.empty();
        return std::move(scan_);
    }

private:
    bool stop(std::string why) {
        scan_.stopped = std::move(why);
        return false;
    }

    void choose(const char* by) {
        if (scan_.choosesAtRunTime) return;
        scan_.choosesAtRunTime = true;
        scan_.chooser = by;
    }

    bool scan(const CodeRange& range) {
        lost_ = false;
        ByteBuffer window;
        std::uint64_t done = 0;
        while (done < range.size) {
            if (bytes_ >= budget_.bytes) return stop("its code is longer than what is read of it");
            const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, range.size - done));
            window.resize(size);
            if (const Status read = source_.readAt(range.offset + done, window); !read) return stop("its code could not be read");
            const bool last = done + size == range.size;
            const std::optional<std::size_t> used = arm_ ? armWindow(window) : x86Window(window, range.address + done, last);
            if (!used) return false;
            done += *used;
            bytes_ += *used;
        }
        return true;
    }

    bool goesOn() {
        if (++sinceLook_ < kInstructionsBetweenLooksAtTheClock) return true;
        sinceLook_ = 0;
        if (cancel_.requested()) return stop("it was cancelled");
        if (std::chrono::steady_clock::now() > deadline_) return stop("there was no time to read all of its code");
        return true;
    }

    /// Reads instructions until less than the longest is left, or, in the last window, to the end. Nothing: the scan is over.
    std::optional<std::size_t> x86Window(Bytes window, std::uint64_t address, bool last) {
        std::size_t at = 0;
        while (at < window.size() && (last || window.size() - at > kLongestInstruction)) {
            if (!goesOn()) return std::nullopt;
            Bytes code = window.subspan(at);
            if (lost_) {
                // The next function is a place where instructions begin for certain; nothing is read across it.
                const auto next = std::lower_bound(elf_.functions.begin(), elf_.functions.end(), address + at);
                if (next != elf_.functions.end() && *next == address + at) {
                    lost_ = false;
                } else if (next != elf_.functions.end() && *next - (address + at) < code.size()) {
                    code = code.first(static_cast<std::size_t>(*next - (address + at)));
                }
            }
            at += x86Instruction(code.first(std::min(code.size(), kLongestInstruction)));
        }
        return at;
    }

    void need(const CpuFeatureSet& features) { (lost_ ? scan_.perhaps : scan_.needed) |= features; }

    /// Its length; 1 when it is none.
    std::size_t x86Instruction(Bytes code) {
        const std::optional<VectorInstruction> vector = vectorInstruction(code);
        if (vector && vector->classified) {
            need(vector->features);
            return vector->length;
        }
        if (const auto mapped = mapInstruction(code)) {
            need(mapped->features);
            return mapped->length;
        }
        if (const cs_insn* instruction = disassembler_.at(code)) {
            need(featuresOf(*instruction, code.first(instruction->size)));
            return instruction->size;
        }
        if (vector) {
            need(featureSet({F::Avx, F::X86Unknown}));
            return vector->length;
        }
        lost_ = true;
        ++scan_.undecoded;
        return 1;
    }

    CpuFeatureSet featuresOf(const cs_insn& instruction, Bytes code) {
        if (instruction.id == X86_INS_CPUID && !lost_) choose("the instruction cpuid");
        if (const auto other = misread(code)) return *other;
        if (const auto own = byName(instruction.id)) return *own;
        CpuFeatureSet features;
        const cs_detail& detail = *instruction.detail;
        for (std::size_t i = 0; i < detail.groups_count; ++i) {
            if (const auto feature = featureOfGroup(detail.groups[i])) features.set(static_cast<std::size_t>(*feature));
        }
        return features;
    }

    std::optional<std::size_t> armWindow(Bytes window) {
        std::size_t at = 0;
        for (; at + 4 <= window.size(); at += 4) {
            if (!goesOn()) return std::nullopt;
            const auto word = loadLittle<std::uint32_t>(window, at);
            if (word == 0) continue;  // padding; it would stop the program wherever it ran
            if (const auto later = laterArmFeatures(word)) {
                need(*later);
                continue;
            }
            const cs_insn* instruction = disassembler_.at(window.subspan(at, 4));
            if (instruction == nullptr) {
                scan_.undecoded += 4;
                continue;
            }
            const cs_detail& detail = *instruction->detail;
            for (std::size_t i = 0; i < detail.groups_count; ++i) {
                if (detail.groups[i] == ARM64_GRP_NEON) need(featureSet({F::Asimd}));
            }
        }
        if (at == 0) {  // a last piece that is no whole instruction
            scan_.undecoded += window.size();
            return window.size();
        }
        return at;
    }

    const ByteSource& source_;
    const ElfReading& elf_;
    const ScanBudget& budget_;
    const CancelToken& cancel_;
    const bool arm_;
    Disassembler disassembler_;
    const std::chrono::steady_clock::time_point deadline_;
    CodeScan scan_;
    std::uint64_t bytes_ = 0;
    unsigned sinceLook_ = 0;
    bool lost_ = false;
};

}  // namespace

CodeScan scanCode(const ByteSource& source, const ElfReading& elf, const ScanBudget& budget, const CancelToken& cancel) {
    return Scanner(source, elf, budget, cancel).run();
}

}  // namespace pt2

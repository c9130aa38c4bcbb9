#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compiled/gpu_fit.h"
#include "core/compiled/runnable.h"
#include "core/compiled/this_machine.h"
#include "tests/core/compiled/built_library.h"
#include "tests/core/compiled/compiled_corpus.h"
#include "tests/core/compiled/targets.h"

using namespace pt2;

namespace {

using Verdict = Runnable::Verdict;

const RunReason* reasonOf(const Runnable& runnable, const std::string& what) {
    for (const RunReason& reason : runnable.reasons) {
        if (reason.what == what) return &reason;
    }
    return nullptr;
}

struct Case {
    QString package;
    std::string name;
    std::shared_ptr<const Archive> archive;
    CompiledModel model;
    CompiledNeeds needs;
    std::optional<bool> ran;  ///< for torch, on a machine with AVX2; nothing where the facts do not say
};

std::vector<Case> casesOfTheCorpus() {
    std::vector<Case> cases;
    for (const QString& package : tests::compiledPackages()) {
        const nlohmann::json facts = tests::factsOf(package);
        const tests::OpenedModels opened = tests::openModels(package + ".pt2");
        for (const auto& [name, model] : opened.models) {
            Case one{package, name, opened.archive, model, readNeeds(*opened.archive, model), std::nullopt};
            if (facts.contains("runs") && facts["runs"].is_object() && facts["runs"].contains(name)) {
                one.ran = facts["runs"][name]["variants"]["first"]["unset"]["result"] == "ran" && model.library.has_value();
            }
            // Of older torch: whether torch 2.13 ran the file.
            if (facts.contains("opens_in") && facts["opens_in"].is_object()) {
                for (const auto& [torch, outcome] : facts["opens_in"].items()) {
                    if (outcome.is_string() && torch.rfind("2.13", 0) == 0) one.ran = outcome.get<std::string>().rfind("runs", 0) == 0;
                }
            }
            cases.push_back(std::move(one));
        }
    }
    return cases;
}

std::string words(const Case& one, const Runnable& runnable) {
    std::string all = one.package.toStdString() + ":";
    for (const RunReason& reason : runnable.reasons) {
        if (reason.ok != true) all += "\n  " + reason.what + ": " + reason.found + " / " + reason.needed;
    }
    return all;
}

/// A cubin is an ELF file of machine 190 whose flags say the architecture.
QByteArray cubin(unsigned architecture) {
    QByteArray elf(64, '\0');
    elf.replace(0, 8, QByteArray("\x7f\x45LF\x02\x01\x01\x33", 8));
    elf[8] = 7;
    elf[18] = static_cast<char>(190);
    elf[48] = static_cast<char>(architecture);
    return elf;
}

bool writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

}  // namespace

class VerdictTest : public QObject {
    Q_OBJECT

    std::vector<Case> cases_;

    /// A package for CUDA in the folder p whose wrapper loads one.cubin and gone.cubin; the kernel files are left to the test.
    static void writeCudaPackage(const QTemporaryDir& folder, const QString& model) {
        QVERIFY(QDir(folder.path()).mkpath("p/data/aotinductor/model"));
        QVERIFY(writeFile(folder.filePath("p/archive_format"), "pt2") && writeFile(folder.filePath("p/version"), "1"));
        QVERIFY(writeFile(model + "a.wrapper_metadata.json", R"({"AOTI_DEVICE_KEY":"cuda"})"));
        const tests::OpenedModels tiny = tests::openModels(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        const Result<ByteBuffer> library = tiny.archive->read(*tiny.models.at("model").library);
        QVERIFY(library);
        QVERIFY(writeFile(model + "a.wrapper.so", QByteArray(asText(*library).data(), static_cast<qsizetype>(library->size()))));
        QVERIFY(writeFile(model + "a.wrapper.cpp", "load_kernel(\"/tmp/x/one.cubin\", 1); load_kernel(\"/tmp/x/gone.cubin\", 2);"));
    }

private slots:
    void initTestCase() {
        if (!tests::corpus().isEmpty()) cases_ = casesOfTheCorpus();
    }
    void init() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
    }

    void sixTargetsAndNoFalseYes() {
        QVERIFY(cases_.size() >= 12);
        int yes = 0, no = 0;
        for (const Case& one : cases_) {
            const Target good = tests::goodTarget(one.needs);
            const bool library = one.model.library && one.model.elf.isElf;
            std::map<std::string, Target> others;
            others["other CPU"] = good;
            others["other CPU"].cpuFeatures = {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "cx16", "lahf_lm"};
            others["old glibc"] = good;
            others["old glibc"].glibc = "2.17";
            others["old glibc"].glibcxx = "3.4.19";
            others["other platform"] = good;
            others["other platform"].platform = "windows";
            others["other LibTorch"] = good;
            others["other LibTorch"].torch.symbols = tests::symbolsFor(one.needs, one.needs.imports.empty() ? "" : "aoti_torch_delete_tensor_object");
            for (const auto& [what, target] : others) {
                const Runnable runnable = judgeRunnable(one.model, one.needs, target);
                QVERIFY2(runnable.verdict == Verdict::No, (what + " " + words(one, runnable)).c_str());
                ++no;
            }
            // The same model compiled for a GPU, where no kernel of it fits.
            CompiledModel forGpu = one.model;
            forGpu.device = "cuda";
            Target gpu = good;
            gpu.gpus = std::vector<TargetGpu>{{"cuda", "sm_90", "H100"}};
            gpu.torch.devices = {"cpu", "cuda:0"};
            CompiledNeeds needs = one.needs;
            QVERIFY2(judgeRunnable(forGpu, needs, gpu).verdict != Verdict::Yes, qPrintable(one.package));
            needs.gpu.push_back({"k.cubin", {"sm_86"}, {}});
            QVERIFY2(judgeRunnable(forGpu, needs, gpu).verdict == Verdict::No, qPrintable(one.package));

            const Runnable runnable = judgeRunnable(one.model, one.needs, good);
            if (runnable.verdict == Verdict::Yes) {
                QVERIFY2(one.ran.value_or(true), words(one, runnable).c_str());
                ++yes;
            }
            if (one.ran.value_or(false) && library && one.model.externalOperators.empty())
                QVERIFY2(runnable.verdict == Verdict::Yes, words(one, runnable).c_str());
            // This machine: never yes for what is not yes on a good one, and nothing without a run engine.
            QVERIFY(judgeRunnable(one.model, one.needs, thisMachineWithoutTorch()).verdict == Verdict::No);
            QVERIFY(judgeRunnable(one.model, one.needs, thisMachine()).verdict != Verdict::Yes);
            Target here = thisMachineWith(good.torch);
            if (judgeRunnable(one.model, one.needs, here).verdict == Verdict::Yes) QVERIFY2(one.ran.value_or(true), qPrintable(one.package));
        }
        QVERIFY(yes >= 12 && no >= 48);
    }

    /// A description that says less never makes the verdict better than "not known".
    void whatATargetDoesNotSayIsNotAssumed() {
        const std::vector<std::pair<const char*, std::function<void(Target&)>>> losses = {
            {"platform", [](Target& t) { t.platform.clear(); }},
            {"machine", [](Target& t) { t.machine.clear(); }},
            {"features", [](Target& t) { t.cpuFeatures.reset(); }},
            {"glibc", [](Target& t) { t.glibc.clear(); }},
            {"glibcxx", [](Target& t) { t.glibcxx.clear(); }},
            {"LibTorch", [](Target& t) { t.torchState = Target::Torch::Unknown; }},
            {"version", [](Target& t) { t.torch.version.clear(); }},
            {"symbols", [](Target& t) { t.torch.symbols.reset(); }},
            {"all", [](Target& t) { t = Target{}; }}};
        int judged = 0;
        for (const Case& one : cases_) {
            const Target good = tests::goodTarget(one.needs);
            if (judgeRunnable(one.model, one.needs, good).verdict != Verdict::Yes) continue;
            for (const auto& [what, lose] : losses) {
                Target less = good;
                lose(less);
                QVERIFY2(judgeRunnable(one.model, one.needs, less).verdict == Verdict::Unknown, what);
            }
            // Each feature that the code needs, taken away alone.
            for (const std::string& feature : cpuFeatureNames(one.needs.code.needed)) {
                Target less = good;
                if (less.cpuFeatures->erase(feature) == 0) continue;  // it comes with another one
                const bool implied = withImpliedFeatures(*less.cpuFeatures).count(feature) > 0;
                const Runnable runnable = judgeRunnable(one.model, one.needs, less);
                QVERIFY2(runnable.verdict == (implied ? Verdict::Yes : Verdict::No), feature.c_str());
            }
            CompiledNeeds blind = one.needs;
            blind.code.complete = false;
            blind.code.stopped = "there was no time";
            QVERIFY(judgeRunnable(one.model, blind, good).verdict == Verdict::Unknown);
            blind = one.needs;
            blind.code.undecoded = 3;
            QVERIFY(judgeRunnable(one.model, blind, good).verdict == Verdict::Unknown);
            blind = one.needs;
            blind.code.needed |= featureSet({CpuFeature::X86Unknown});
            QVERIFY(judgeRunnable(one.model, blind, good).verdict == Verdict::Unknown);
            blind = one.needs;
            blind.importsKnown = false;
            QVERIFY(judgeRunnable(one.model, blind, good).verdict == Verdict::Unknown);
            ++judged;
        }
        QVERIFY(judged >= 12);
    }

    /// An AVX2 library on an AVX-512 machine is fine; one that contains AVX-512 on an AVX2 machine is not, whatever its label says.
    void avx512IsStoppedWhereItWouldCrash() {
        if (tests::compiler().isEmpty()) QSKIP("There is no compiler here.");
#if !defined(__x86_64__)
        QSKIP("It compiles for x86-64.");
#endif
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("p/data/aotinductor/model"));
        QVERIFY(writeFile(folder.filePath("p/archive_format"), "pt2") && writeFile(folder.filePath("p/version"), "1"));
        const QByteArray source =
            "void AOTInductorModelContainerRun(float* a, const float* b, long n) { for (long i = 0; i < n; ++i) a[i] = a[i] * b[i] + 3.0f; }";
        const std::string model = folder.filePath("p").toStdString() + "/data/aotinductor/model/";
        QVERIFY(writeFile(QString::fromStdString(model + "a.wrapper_metadata.json"),
                          R"({"AOTI_DEVICE_KEY":"cpu","AOTI_PLATFORM":"linux","AOTI_MACHINE":"x86_64","AOTI_CPU_ISA":"AVX2"})"));
        const auto judged = [&](const QStringList& flags, bool avx512) {
            const QString built = tests::buildLibrary(folder, "a.c", source, flags + QStringList{"-O3", "-ffast-math"});
            const QString place = QString::fromStdString(model + "a.wrapper.so");
            QFile::remove(place);
            if (built.isEmpty() || !QFile::copy(built, place)) return Runnable{};
            const tests::OpenedModels opened = tests::openModels(folder.filePath("p"));
            if (opened.models.count("model") == 0) return Runnable{};
            const CompiledNeeds needs = readNeeds(*opened.archive, opened.models.at("model"));
            Target target = tests::goodTarget(needs);
            if (avx512) target.cpuFeatures->insert({"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"});
            return judgeRunnable(opened.models.at("model"), needs, target);
        };
        const Runnable wide = judged({"-march=skylake-avx512", "-mprefer-vector-width=512"}, false);
        QVERIFY(wide.verdict == Verdict::No);
        QVERIFY(reasonOf(wide, "instruction set") && reasonOf(wide, "instruction set")->ok == false);
        QVERIFY(reasonOf(wide, "instruction set")->found.find("avx512f") != std::string::npos);
        QVERIFY(reasonOf(wide, "instruction set by label")->ok == true);
        for (const auto& [flags, machine] : std::vector<std::pair<QStringList, bool>>{
                 {{"-march=skylake-avx512", "-mprefer-vector-width=512"}, true}, {{"-mavx2", "-mfma"}, true}, {{"-mavx2", "-mfma"}, false}}) {
            const Runnable fine = judged(flags, machine);
            QVERIFY(reasonOf(fine, "instruction set") && reasonOf(fine, "instruction set")->ok == true);
            QVERIFY(fine.verdict != Verdict::No);
        }
    }

    void kernelsForAGpuAreReadFromTheirFiles() {
        const QTemporaryDir folder;
        const QString model = folder.filePath("p/data/aotinductor/model/");
        writeCudaPackage(folder, model);
        if (QTest::currentTestFailed()) return;
        QVERIFY(writeFile(model + "one.cubin", cubin(86)) && writeFile(model + "odd.cubin", "no ELF"));
        QByteArray fat("\x50\xed\x55\xba\x01\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00", 16);
        for (const char kind : {1, 2}) {
            QByteArray entry(64, '\0');
            entry[0] = kind;
            entry[4] = 64;
            entry[28] = 80;
            fat += entry;
        }
        QVERIFY(writeFile(model + "two.fatbin", fat));
        const tests::OpenedModels opened = tests::openModels(folder.filePath("p"));
        const CompiledModel& compiled = opened.models.at("model");
        const CompiledNeeds needs = readNeeds(*opened.archive, compiled);
        std::map<std::string, GpuBinary> binaries;
        for (const GpuBinary& binary : needs.gpu) binaries[binary.member] = binary;
        QCOMPARE(binaries.size(), std::size_t(3));
        QCOMPARE(binaries["one.cubin"].architectures, std::vector<std::string>{"sm_86"});
        QVERIFY(binaries["odd.cubin"].architectures.empty());
        QCOMPARE(binaries["two.fatbin"].architectures, std::vector<std::string>{"sm_80"});
        QCOMPARE(binaries["two.fatbin"].portable, std::vector<std::string>{"compute_80"});
        QCOMPARE(needs.absentGpuFiles, std::vector<std::string>{"gone.cubin"});
        Target target = tests::goodTarget(needs);
        target.torch.devices = {"cpu", "cuda:0"};
        target.gpus = std::vector<TargetGpu>{{"cuda", "sm_86", ""}};
        QVERIFY(reasonOf(judgeRunnable(compiled, needs, target), "kernel file gone.cubin")->ok == false);
        CompiledNeeds whole = needs;
        whole.absentGpuFiles.clear();
        QVERIFY(!reasonOf(judgeRunnable(compiled, whole, target), "GPU architecture")->ok);  // one file could not be read
        whole.gpu.erase(std::remove_if(whole.gpu.begin(), whole.gpu.end(), [](const GpuBinary& b) { return b.member == "odd.cubin"; }),
                        whole.gpu.end());
        QVERIFY(reasonOf(judgeRunnable(compiled, whole, target), "GPU architecture")->ok == true);
        target.gpus->front().architecture = "sm_90";
        QVERIFY(reasonOf(judgeRunnable(compiled, whole, target), "GPU architecture")->ok == false);
        target.gpus->clear();
        QVERIFY(reasonOf(judgeRunnable(compiled, whole, target), "device")->ok == false);
        target.gpus.reset();
        target.torch.devices = {"cpu"};
        QVERIFY(reasonOf(judgeRunnable(compiled, whole, target), "device")->ok == false);
    }

    /// What a GPU would have to be is said where there is none, and a file of kernels that is absent is an issue whatever is here.
    void kernelsForAGpuAreToldWithoutAGpu() {
        const QTemporaryDir folder;
        const QString model = folder.filePath("p/data/aotinductor/model/");
        writeCudaPackage(folder, model);
        if (QTest::currentTestFailed()) return;
        QVERIFY(writeFile(model + "one.cubin", cubin(86)));
        const auto absentIssue = [](const tests::OpenedModels& opened) -> const Issue* {
            for (const Issue& issue : opened.issues) {
                if (issue.code == "compiled.gpu-file-absent") return &issue;
            }
            return nullptr;
        };
        const tests::OpenedModels opened = tests::openModels(folder.filePath("p"));
        QVERIFY(absentIssue(opened) && absentIssue(opened)->severity == Severity::Error);
        QVERIFY(absentIssue(opened)->message.find("gone.cubin") != std::string::npos);
        QVERIFY(absentIssue(opened)->message.find("\"one.cubin") == std::string::npos);
        const CompiledNeeds needs = readNeeds(*opened.archive, opened.models.at("model"));
        const Runnable runnable = judgeRunnable(opened.models.at("model"), needs, tests::goodTarget(needs));  // a machine without a GPU
        QVERIFY(runnable.verdict == Verdict::No && reasonOf(runnable, "device")->ok == false);
        QVERIFY(reasonOf(runnable, "kernel file gone.cubin")->ok == false);
        QVERIFY(reasonOf(runnable, "GPU architecture") && !reasonOf(runnable, "GPU architecture")->ok);
        QCOMPARE(reasonOf(runnable, "GPU architecture")->needed, std::string("machine code for sm_86 (compute capability 8.6), no PTX"));
        QCOMPARE(gpuCodeWords({{"f", {"sm_90a"}, {"compute_120"}}}),
                 std::string("machine code for sm_90a (compute capability 9.0), PTX for compute_120 (compute capability 12.0) and later"));
        QCOMPARE(gpuCodeWords({{"f", {}, {}}}), std::string("not known"));
        QVERIFY(writeFile(model + "gone.cubin", cubin(86)));
        QVERIFY(!absentIssue(tests::openModels(folder.filePath("p"))));
    }

    /// The mark hinders no run of pt2scope's, and is told all the same: programs of one's own are refused by glibc 2.41 and later.
    void anExecutableStackIsAWarningThatHoldsNothingUp() {
        int marked = 0;
        for (const Case& one : cases_) {
            if (!one.model.elf.isElf) continue;
            for (const auto& [glibc, by] : {std::pair("2.36", "allowed by glibc 2.36"), std::pair("2.41", "refused by glibc 2.41")}) {
                Target target = tests::goodTarget(one.needs);
                target.glibc = glibc;
                const Runnable runnable = judgeRunnable(one.model, one.needs, target);
                const RunReason* reason = reasonOf(runnable, "executable stack");
                QCOMPARE(reason != nullptr, one.model.elf.executableStack);
                if (!reason) continue;
                ++marked;
                QVERIFY(reason->ok == true && reason->warning);
                QCOMPARE(reason->found, std::string(by));
                QVERIFY(reason->help.find("program of your own") != std::string::npos && reason->help.find("pt2 repair") != std::string::npos);
            }
        }
        QVERIFY(marked >= 12);
    }

    /// torch only warns of a label that the processor does not fit; where the code was read whole and fits, it is no reason to refuse.
    void aLabelAloneIsNoIllegalInstruction() {
        const auto one = std::find_if(cases_.begin(), cases_.end(), [](const Case& c) { return c.ran == true; });
        QVERIFY(one != cases_.end());
        CompiledModel model = one->model;
        CompiledNeeds needs = one->needs;
        const Target target = tests::goodTarget(needs);
        model.cpuIsa = "AVX512";
        const Runnable labelled = judgeRunnable(model, needs, target);
        const RunReason* label = reasonOf(labelled, "instruction set by label");
        QVERIFY(labelled.verdict == Verdict::Unknown && label && !label->ok);
        QVERIFY(label->found.find("avx512f") != std::string::npos && label->help.find("Only the label") != std::string::npos);
        QVERIFY(label->help.find("illegal") == std::string::npos);
        QVERIFY(illegalInstructionWords(model, needs.code, target).find("Its label says AVX512, and this processor has no avx512f") == 0);
        needs.code.complete = false;
        QVERIFY(judgeRunnable(model, needs, target).verdict == Verdict::No);

        // What is said of an illegal instruction is what is known.
        model.cpuIsa = "AVX2";
        const auto words = [&] { return illegalInstructionWords(model, needs.code, target); };
        QVERIFY2(words().find("as far as it could be read, and this processor has that") != std::string::npos, words().c_str());
        needs.code.complete = true;
        QVERIFY2(words().find("avx") != std::string::npos && words().find("always fails") != std::string::npos, words().c_str());
        QVERIFY2(words().find("lack") == std::string::npos && words().find("may not") == std::string::npos, words().c_str());
        needs.code.needed |= featureSet({CpuFeature::Avx512f});
        QCOMPARE(words(), std::string("Its code has instructions of avx512f, which this processor lacks."));
        needs.code.read = false;
        QVERIFY(words().empty());
    }

    void codeForAGpuFitsItsKind() {
        QVERIFY(gpuCodeFits("sm_80", "sm_86") && gpuCodeFits("sm_86", "sm_86") && gpuCodeFits("sm_90a", "sm_90a") && gpuCodeFits("sm_100", "sm_103"));
        QVERIFY(!gpuCodeFits("sm_86", "sm_80") && !gpuCodeFits("sm_86", "sm_90") && !gpuCodeFits("sm_90a", "sm_90") && !gpuCodeFits("", "sm_90"));
        QVERIFY(!gpuCodeFits("sm_86", "") && !gpuCodeFits("sm_90a", "sm_91") && !gpuCodeFits("sm_90", "sm_100"));
    }

    void theOldAbiOfCxxIsNamed() {
        const auto old = std::find_if(cases_.begin(), cases_.end(), [](const Case& one) { return one.ran.value_or(false); });
        QVERIFY(old != cases_.end());
        CompiledNeeds needs = old->needs;
        const Target target = tests::goodTarget(needs);
        needs.imports.emplace_back("_ZN3c106detail14torchCheckFailEPKcS2_jRKSs");
        const Runnable runnable = judgeRunnable(old->model, needs, target);
        QVERIFY(runnable.verdict == Verdict::No);
        QVERIFY(reasonOf(runnable, "symbols of LibTorch")->help.find("old C++ ABI") != std::string::npos);
        QCOMPARE(*missingSymbols(needs, target), std::vector<std::string>{"_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"});
        QVERIFY(missingSymbols(old->needs, target)->empty());
    }

    /// What the file says of its torch is said, against the LibTorch of the target; where it says nothing, nothing is claimed.
    void theTorchItWasBuiltByIsNamedOnlyWhereTheFileSays() {
        const auto one = std::find_if(cases_.begin(), cases_.end(), [](const Case& c) { return c.ran == true; });
        QVERIFY(one != cases_.end());
        CompiledNeeds needs = one->needs;
        Target target = tests::goodTarget(needs);
        needs.imports.emplace_back("_ZN2at10abcdefghijEPKcb");
        CompiledModel model = one->model;
        const auto said = [&] { return *reasonOf(judgeRunnable(model, needs, target), "symbols of LibTorch"); };
        QCOMPARE(said().found, std::string("LibTorch 2.13.0 has no at::abcdefghij(char const*, bool)"));
        QCOMPARE(reasonLine(said()), "symbols of LibTorch: LibTorch 2.13.0 has no at::abcdefghij(char const*, bool) (needed: all " +
                                         std::to_string(needs.imports.size()) + " that the library asks for)");
        const auto helps = [&](const char* part) { return said().help.find(part) != std::string::npos; };
        QVERIFY(helps("_ZN2at10abcdefghijEPKcb") && helps("does not say by which torch") && !helps("another version"));
        QVERIFY(helps("this file does not hold it"));
        model.hasProgram = true;
        model.torchVersion = {"2.9.1+cpu", Origin::Program, 0};
        QVERIFY(helps("exported by torch 2.9.1+cpu, and there is LibTorch 2.13.0") && !helps("this file does not hold it"));
        model.torchVersion.value = "2.13.0+cpu";
        QVERIFY(helps("exported by torch 2.13.0+cpu, which is the version of that LibTorch") && helps("is not stated"));
        model.torchVersion = {"2.8.0", Origin::Metadata, 0};
        QVERIFY(helps("built by torch 2.8.0, as its metadata says, and there is LibTorch 2.13.0") && !helps("is not stated"));
    }

    /// What is not LibTorch's may come from something else in the process: no reason to refuse, and no proof either.
    void symbolsOfOthersAreNoReasonToRefuse() {
        const auto one = std::find_if(cases_.begin(), cases_.end(), [](const Case& c) { return c.ran == true; });
        QVERIFY(one != cases_.end());
        for (const char* symbol : {"my_helper", "_ZNSt13runtime_errorC1EPKc", "_ZNSt6vectorIN2at6TensorESaIS1_EED1Ev", "GOMP_parallel"}) {
            CompiledNeeds needs = one->needs;
            const Target target = tests::goodTarget(needs);
            needs.imports.emplace_back(symbol);
            QVERIFY2(judgeRunnable(one->model, needs, target).verdict == Verdict::Unknown, symbol);
        }
        for (const char* symbol : {"aoti_torch_foo", "_ZN2at4_ops3foo4callE", "_ZNK3c1010TensorImpl3fooEv", "_ZTVN3c105FooE"}) {
            CompiledNeeds needs = one->needs;
            const Target target = tests::goodTarget(needs);
            needs.imports.emplace_back(symbol);
            QVERIFY2(judgeRunnable(one->model, needs, target).verdict == Verdict::No, symbol);
        }
    }

    void aLibraryThatIsCutIsNotLoaded() {
        const auto whole = std::find_if(cases_.begin(), cases_.end(), [](const Case& one) { return one.ran.value_or(false); });
        CompiledNeeds needs = whole->needs;
        QVERIFY(needs.headerProblem.empty());
        needs.headerProblem = "cut off";
        QVERIFY(judgeRunnable(whole->model, needs, tests::goodTarget(needs)).verdict == Verdict::No);
    }
};

QTEST_GUILESS_MAIN(VerdictTest)
#include "tst_verdict.moc"

#include <QtTest>
#include <set>

#include "core/compiled/runnable.h"
#include "tests/core/compiled/compiled_corpus.h"
#include "tests/core/compiled/targets.h"

using namespace pt2;

namespace {

std::optional<bool> reasonOf(const Runnable& runnable, const std::string& what) {
    for (const RunReason& reason : runnable.reasons) {
        if (reason.what == what) return reason.ok;
    }
    return std::nullopt;
}

/// A machine with all that a model of the corpus may need.
Target goodMachine(const CompiledNeeds& needs) { return tests::goodTarget(needs); }

}  // namespace

class CompiledFactsTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
    }

    /// Metadata, call spec and constant names as torch's own loader gives them, and members in every package.
    void everythingTheLoaderSays() {
        int models = 0;
        for (const QString& package : tests::compiledPackages()) {
            const nlohmann::json facts = tests::factsOf(package);
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            QVERIFY2(opened.archive, qPrintable(package));
            std::set<std::string> names;
            for (const auto& [name, model] : opened.models) names.insert(name);
            std::set<std::string> expectedNames;
            for (const auto& [name, value] : facts["aoti"].items()) expectedNames.insert(name);
            QCOMPARE(names, expectedNames);
            for (const auto& [name, fact] : facts["aoti"].items()) {
                const CompiledModel& model = opened.models.at(name);
                const std::string where = package.toStdString() + " " + name;
                QVERIFY2(nlohmann::json(model.metadata) == fact["metadata"], where.c_str());
                QCOMPARE(model.device, fact["metadata"].value("AOTI_DEVICE_KEY", ""));
                QCOMPARE(model.cpuIsa, fact["metadata"].value("AOTI_CPU_ISA", ""));
                QCOMPARE(model.members.size(), fact["files"].size());
                QCOMPARE(model.cppOnly, !model.library.has_value());
                QVERIFY2(!model.compileCommand.empty() && !model.linkCommand.empty(), where.c_str());
                QVERIFY2(model.kernelCalls && *model.kernelCalls > 0, where.c_str());
                ++models;
                if (!fact["loader"].is_object()) continue;
                QCOMPARE(model.inSpec, fact["loader"]["in_spec"].get<std::string>());
                QCOMPARE(model.outSpec, fact["loader"]["out_spec"].get<std::string>());
                std::set<std::string> fqns;
                for (const CompiledConstant& constant : model.constants) fqns.insert(constant.fqn);
                QCOMPARE(fqns, fact["loader"]["constant_fqns"].get<std::set<std::string>>());
            }
        }
        QVERIFY(models >= 30);
    }

    /// dtype, sizes and strides of inputs and outputs against the runs torch recorded.
    void inputsAndOutputsOfEveryRecordedRun() {
        for (const QString& package : tests::compiledPackages()) {
            const nlohmann::json facts = tests::factsOf(package);
            if (!facts.contains("runs") || !facts["runs"].is_object()) continue;
            const bool old = package.contains("/2.6/");
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, run] : facts["runs"].items()) {
                const CompiledModel& model = opened.models.at(name);
                for (const auto& [variant, record] : run["variants"].items()) {
                    QCOMPARE(model.inputs.size(), record["inputs"].size());
                    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
                        const CompiledInput& input = model.inputs[i];
                        const nlohmann::json& given = record["inputs"][i];
                        QVERIFY(input.dtype.known() || old);
                        QCOMPARE(std::string(dtypeName(input.dtype.value)), given["dtype"].get<std::string>());
                        QCOMPARE(input.sizes.value.size(), given["shape"].size());
                        for (std::size_t d = 0; d < input.sizes.value.size(); ++d) {
                            const CompiledDim& dim = input.sizes.value[d];
                            const std::int64_t size = given["shape"][d].get<std::int64_t>();
                            QVERIFY(!dim.fixed || *dim.fixed == size);
                            QVERIFY(dim.fixed || (!dim.symbol.empty() && dim.minimum.value_or(2) <= size && size <= dim.maximum.value_or(INT64_MAX)));
                            QVERIFY(!input.strides.value[d] || *input.strides.value[d] == given["stride"][d].get<std::int64_t>());
                        }
                        QVERIFY(input.checkedAtRuntime);
                        QCOMPARE(input.device.value, std::string("cpu"));
                    }
                    QCOMPARE(model.outputs.size(), record["eager"].size());
                    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
                        const CompiledOutput& output = model.outputs[i];
                        if (output.dtype.known())
                            QCOMPARE(std::string(dtypeName(output.dtype.value)), record["eager"][i]["dtype"].get<std::string>());
                        QVERIFY2(output.sizes.known(), qPrintable(package));
                        QCOMPARE(output.sizes.value.size(), record["eager"][i]["shape"].size());
                    }
                }
            }
        }
    }

    void weightsAreWhereTorchPutThem() {
        using Where = CompiledConstant::Where;
        const std::map<QString, std::pair<Where, bool>> expected = {
            {"2.13.0/aoti/tiny", {Where::Library, false}},
            {"2.13.0/aoti/mlp2_freezing", {Where::Library, false}},
            {"2.13.0/aoti/mmap_weights", {Where::Library, false}},
            {"2.13.0/aoti/on_disk_blob", {Where::Beside, false}},
            {"2.13.0/aoti/on_disk_pickle", {Where::Beside, true}},
            {"2.13.0/aoti/weights_absent", {Where::Absent, true}},
            {"2.13.0/aoti/buffer_mutation", {Where::Library, false}},
            {"2.13.0/aoti/cpp_only", {Where::Beside, false}},
            {"eras/2.6/aoti/mlp2", {Where::Library, false}},
            {"eras/2.8/aoti/embedding", {Where::Library, false}},
            {"foreign/hf_aoti_block_no_weights", {Where::Absent, true}},
            {"foreign/nequip_ase", {Where::Library, false}},
        };
        for (const auto& [name, want] : expected) {
            const tests::OpenedModels opened = tests::openModels(tests::corpus() + "/" + name + ".pt2");
            QVERIFY2(opened.models.count("model") == 1, qPrintable(name));
            const CompiledModel& model = opened.models.at("model");
            QVERIFY(!model.constants.empty());
            for (const CompiledConstant& constant : model.constants) QVERIFY2(constant.where == want.first, qPrintable(name));
            QVERIFY2(model.weightsAbsent == want.second, qPrintable(name));
        }
        // No constants at all is nothing absent.
        QVERIFY(!tests::openModels(tests::corpus() + "/2.13.0/aoti/multi_output.pt2").models.at("model").weightsAbsent);
    }

    /// What crashed for torch is refused; what ran is not; a machine that lacks something is told what.
    void verdictsAgreeWithTheRecordedRuns() {
        for (const QString& package : tests::compiledPackages()) {
            const nlohmann::json facts = tests::factsOf(package);
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                const CompiledNeeds needs = readNeeds(*opened.archive, model);
                Target machine = goodMachine(needs);
                const Runnable runnable = judgeRunnable(model, needs, machine);
                if (!facts.contains("runs") || !facts["runs"].is_object()) continue;
                const std::string result = facts["runs"][name]["variants"]["first"]["unset"]["result"];
                // cpp_only ran for torch because it compiled the sources first.
                const Runnable::Verdict expected = result == "ran" && model.library ? Runnable::Verdict::Yes : Runnable::Verdict::No;
                if (!model.externalOperators.empty()) {
                    QCOMPARE(runnable.verdict, Runnable::Verdict::Unknown);
                } else {
                    QVERIFY2(runnable.verdict == expected, qPrintable(package));
                }
                machine.torchState = Target::Torch::Absent;
                QCOMPARE(judgeRunnable(model, needs, machine).verdict, Runnable::Verdict::No);
            }
        }
    }

    void whatAMachineLacksIsNamed() {
        const tests::OpenedModels opened = tests::openModels(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        CompiledModel model = opened.models.at("model");
        const CompiledNeeds needs = readNeeds(*opened.archive, model);
        const Target good = goodMachine(needs);
        const auto judged = [&](const Target& target) { return judgeRunnable(model, needs, target); };
        QCOMPARE(judged(good).verdict, Runnable::Verdict::Yes);
        Target machine = good;
        machine.cpuFeatures = {"avx2"};
        QVERIFY(reasonOf(judged(machine), "instruction set") == false);
        QVERIFY(reasonOf(judged(machine), "instruction set by label") == false);
        machine = good;
        machine.glibc = "2.31";
        QVERIFY(reasonOf(judged(machine), "glibc") == false);
        machine.glibc = "2.41";
        QVERIFY(reasonOf(judged(machine), "executable stack") == true);
        machine = good;
        machine.machine = "aarch64";
        QCOMPARE(judged(machine).verdict, Runnable::Verdict::No);
        model.cpuIsa = "AVX512";
        // torch only warns of a label: against code that was read whole it is no reason to refuse, and no reason to say yes.
        QVERIFY(!reasonOf(judged(good), "instruction set by label"));
        QCOMPARE(judged(good).verdict, Runnable::Verdict::Unknown);
        // A label that is not known decides nothing where the code says all, and leaves everything open where it does not.
        model.cpuIsa = "SOMETHING_NEW";
        QCOMPARE(judged(good).verdict, Runnable::Verdict::Yes);
        CompiledNeeds unread = needs;
        unread.code = {};
        QCOMPARE(judgeRunnable(model, unread, good).verdict, Runnable::Verdict::Unknown);
        model.cpuIsa = "AVX2";
        QCOMPARE(judgeRunnable(model, unread, good).verdict, Runnable::Verdict::Unknown);
        model.device = "cuda";
        QCOMPARE(judged(good).verdict, Runnable::Verdict::No);
        model.device = "cpu";
        model.elf.needed.emplace_back("libnothere.so");
        QVERIFY(reasonOf(judged(good), "library libnothere.so") == false);
    }

    /// A bare library: the ELF facts only, and nothing pretended.
    void bareLibrariesOfOldTorch() {
        for (const char* era : {"2.2", "2.4"}) {
            for (const char* name : {"tiny", "mlp2", "embedding"}) {
                const tests::OpenedModels opened = tests::openModels(QString("%1/eras/%2/aoti/%3.so").arg(tests::corpus(), era, name));
                QVERIFY(opened.archive);
                const CompiledModel& model = opened.models.at("model");
                QVERIFY(model.elf.isElf && model.elf.exportsContainer && model.library);
                QVERIFY(model.inputs.empty() && !model.inputCount && model.metadata.empty() && !model.cppOnly && !model.weightsAbsent);
                const CompiledNeeds needs = readNeeds(*opened.archive, model);
                QVERIFY(needs.code.complete && needs.code.undecoded == 0);
                QVERIFY(judgeRunnable(model, needs, goodMachine(needs)).verdict == Runnable::Verdict::Unknown);
            }
        }
    }
};

QTEST_GUILESS_MAIN(CompiledFactsTest)
#include "tst_compiled_facts.moc"

#include <algorithm>
#include <set>

#include "core/program/operator_family.h"
#include "core/program/printed_form.h"
#include "core/program/treespec.h"
#include "tests/core/program/corpus_programs.h"

using namespace pt2;
using namespace pt2::tests;
using nlohmann::json;

namespace {

json orNull(std::string_view text) { return text.empty() ? json() : json(std::string(text)); }
json orNull(const json& value) { return value.is_string() && value.get_ref<const std::string&>().empty() ? json() : value; }

json histogram(const Program& program, IdRange nodes) {
    json counts = json::object();
    for (NodeId id = nodes.begin; id < nodes.end; ++id) {
        const std::string target(program.node(id).target);
        counts[target] = counts.value(target, 0) + 1;
    }
    return counts;
}

bool isOwned(const Value& value) { return value.producer != kNone || value.inputIndex != kNone; }

/// torch's loader shortens some strides with the ranges; the file holds the long form (cli.md).
bool sameStrides(const json& wanted, const std::vector<std::string>& found) {
    if (wanted.size() != found.size()) return false;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (wanted[i] == found[i]) continue;
        if (found[i].find("Min(") == std::string::npos && found[i].find("Max(") == std::string::npos) return false;
    }
    return true;
}

}  // namespace

/// Every fact that torch wrote about every program of the corpus, against what the reader finds in the file.
class TestProgramFacts : public QObject {
    Q_OBJECT

    std::vector<CorpusProgram> programs_;
    void rows() {
        QTest::addColumn<int>("index");
        if (programs_.empty()) {
            for (const char* folder : {"2.13.0", "eras/2.6", "eras/2.8"})
                for (CorpusProgram& program : corpusPrograms(folder)) programs_.push_back(std::move(program));
        }
        for (int i = 0; i < static_cast<int>(programs_.size()); ++i) {
            const CorpusProgram& program = programs_[static_cast<std::size_t>(i)];
            QTest::newRow((QFileInfo(program.file).dir().dirName().toUtf8() + "/" + program.label()).constData()) << i;
        }
    }
    void checkJson(const char* what, const json& found, const json& wanted) {
        QVERIFY2(found == wanted,
                 (std::string(what) + "\n  found " + found.dump().substr(0, 600) + "\n  torch " + wanted.dump().substr(0, 600)).c_str());
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not there: no program was compared with torch's facts.");
    }

    void agreesWithTorch_data() { rows(); }
    void agreesWithTorch() {
        QFETCH(int, index);
        const CorpusProgram& entry = programs_[static_cast<std::size_t>(index)];
        const json& facts = entry.facts;
        Issues issues;
        const auto program = openProgram(entry, issues);
        QVERIFY(program);
        const Program& p = *program;
        const Graph& root = p.rootGraph();

        checkJson("schema_version", json{{"major", p.schemaMajor()}, {"minor", p.schemaMinor()}}, facts["schema_version"]);
        checkJson("torch_version", json(std::string(p.torchVersion())), facts["torch_version"]);
        json opset = json::object();
        for (const auto& [name, version] : p.opsetVersion()) opset[std::string(name)] = version;
        checkJson("opset_version", opset, facts["opset_version"]);
        checkJson("node_count", json(root.nodes.size()), facts["node_count"]);
        checkJson("node_count_total", json(p.nodes().size()), facts["node_count_total"]);
        checkJson("op_histogram", histogram(p, root.nodes), facts["op_histogram"]);
        checkJson("op_histogram_total", histogram(p, {0, static_cast<std::uint32_t>(p.nodes().size())}), facts["op_histogram_total"]);

        json kinds = json::object();
        for (const Node& node : p.nodes()) {
            for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
                const std::string kind = argumentKindName(p.argument(p.namedArguments()[i].argument).kind);
                kinds[kind] = kinds.value(kind, 0) + 1;
            }
        }
        checkJson("argument_kinds_total", kinds, facts["argument_kinds_total"]);

        json subgraphs = json::array();
        for (std::size_t i = 1; i < p.graphs().size(); ++i) subgraphs.push_back(p.graphs()[i].path);
        checkJson("subgraphs", subgraphs, facts["subgraphs"]);

        json inputs = json::array(), wantedInputs = json::array();
        for (std::size_t i = 0; i < p.inputSpecs().size(); ++i) {
            const InputSpec& spec = p.inputSpecs()[i];
            json input = {{"kind", inputKindName(spec.kind)}, {"target", orNull(spec.target)}, {"name", orNull(spec.name)}};
            input["persistent"] = spec.persistent ? json(*spec.persistent) : json();
            const Argument& argument = p.argument(spec.argument);
            if (argument.value != kNone && p.value(argument.value).kind == ValueKind::Tensor) {
                input["dtype"] = dtypeName(p.value(argument.value).dtype);
                input["shape"] = p.sizesText(p.value(argument.value));
            }
            inputs.push_back(input);
        }
        for (const json& wanted : facts["inputs"]) {
            json input = {{"kind", wanted["kind"]},
                          {"target", orNull(wanted["target"])},
                          {"name", orNull(wanted["name"])},
                          {"persistent", wanted["persistent"]}};
            if (wanted.contains("dtype")) {
                input["dtype"] = wanted["dtype"];
                input["shape"] = wanted["shape"];
            }
            wantedInputs.push_back(input);
        }
        checkJson("inputs", inputs, wantedInputs);

        json outputs = json::array(), wantedOutputs = json::array();
        for (const OutputSpec& spec : p.outputSpecs())
            outputs.push_back({{"kind", outputKindName(spec.kind)}, {"target", orNull(spec.target)}, {"name", orNull(spec.name)}});
        for (const json& wanted : facts["outputs"])
            wantedOutputs.push_back({{"kind", wanted["kind"]}, {"target", orNull(wanted["target"])}, {"name", orNull(wanted["name"])}});
        checkJson("outputs", outputs, wantedOutputs);

        // Values: each of torch's is ours, and each of ours that something makes is torch's.
        std::size_t tensors = 0;
        for (const auto& [name, wanted] : facts["values"].items()) {
            const auto id = p.findValue(0, name);
            QVERIFY2(id, name.c_str());
            const Value& value = p.value(*id);
            if (wanted.contains("dtype")) {
                ++tensors;
                QVERIFY2(value.kind == ValueKind::Tensor, name.c_str());
                checkJson(name.c_str(), json(dtypeName(value.dtype)), wanted["dtype"]);
                checkJson(name.c_str(), json(p.sizesText(value)), wanted["shape"]);
                QVERIFY2(sameStrides(wanted["stride"], p.stridesText(value)), name.c_str());
            } else if (wanted.contains("expr") && value.symbolic.isSymbolic()) {
                checkJson(name.c_str(), json(p.dimText(value.symbolic)), wanted["expr"]);
            }
        }
        std::size_t ownTensors = 0, tensorEntries = 0;
        json symInts = json::object(), symBools = json::object(), symFloats = json::object();
        for (ValueId id = root.values.begin; id < root.values.end; ++id) {
            const Value& value = p.value(id);
            if (value.kind == ValueKind::Tensor && isOwned(value)) ++ownTensors;
            if (value.kind == ValueKind::Tensor) ++tensorEntries;
            json* table = value.kind == ValueKind::SymInt     ? &symInts
                          : value.kind == ValueKind::SymBool  ? &symBools
                          : value.kind == ValueKind::SymFloat ? &symFloats
                                                              : nullptr;
            if (table != nullptr) (*table)[std::string(value.name)] = json::parse(p.slice(value.text));
        }
        QCOMPARE(ownTensors, tensors);
        checkJson("tensor_values_count", json(tensorEntries), facts["tensor_values_count"]);
        checkJson("sym_int_values", symInts, facts["sym_int_values"]);
        checkJson("sym_bool_values", symBools, facts["sym_bool_values"]);
        checkJson("sym_float_values", symFloats, facts["sym_float_values"]);

        json stored = json::object();
        for (const RangeConstraint& range : p.rangeConstraintsAsStored()) stored[std::string(range.symbol)] = json::parse(p.slice(range.text));
        checkJson("range_constraints_json", stored, facts["range_constraints_json"]);
        json ranges = json::object();
        const auto bound = [](const std::optional<std::int64_t>& b) { return b ? json(*b) : json(); };
        for (const auto& [symbol, range] : p.rangeConstraints()) ranges[symbol] = {bound(range.minimum), bound(range.maximum)};
        checkJson("range_constraints", ranges, facts["range_constraints"]);
        checkJson("guards_code", json(std::vector<std::string>(p.guardsCode().begin(), p.guardsCode().end())), facts["guards_code"]);

        json calls = json::array();
        for (const ModuleCallEntry& call : p.moduleCallGraph()) calls.push_back({{"fqn", std::string(call.fqn)}, {"signature", call.hasSignature}});
        checkJson("module_call_graph", calls, facts["module_call_graph"]);
        for (const ModuleCallEntry& call : p.moduleCallGraph()) {
            if (!call.fqn.empty() || !call.hasSignature) continue;
            const auto in = TreeSpec::parse(call.inSpec, p.namedtupleFields()), out = TreeSpec::parse(call.outSpec, p.namedtupleFields());
            QVERIFY(in && out);
            checkJson("in_spec_leaves", json(in->leafCount), facts["in_spec_leaves"]);
            checkJson("out_spec_leaves", json(out->leafCount), facts["out_spec_leaves"]);
        }
    }

    void opensWithoutComplaint_data() { rows(); }
    void opensWithoutComplaint() {
        QFETCH(int, index);
        Issues issues;
        QVERIFY(openProgram(programs_[static_cast<std::size_t>(index)], issues));
        for (const Issue& issue : issues) QVERIFY2(issue.severity == Severity::Note || issue.code == "program.large-integer", issue.message.c_str());
    }

    void linksValuesAsTheFileNamesThem_data() { rows(); }
    void linksValuesAsTheFileNamesThem() {
        QFETCH(int, index);
        const CorpusProgram& entry = programs_[static_cast<std::size_t>(index)];
        Issues issues;
        const auto program = openProgram(entry, issues);
        QVERIFY(program);
        const Program& p = *program;
        for (GraphId g = 0; g < p.graphs().size(); ++g) {
            const json graph = json::parse(p.slice(p.graph(g).text));
            QCOMPARE(p.graph(g).nodes.size(), static_cast<std::uint32_t>(graph["nodes"].size()));
            // Names a node reads or makes, by a plain walk over its JSON that does not enter nested graphs.
            const auto names = [](const json& top) {
                std::vector<std::string> found;
                std::vector<const json*> work{&top};
                while (!work.empty()) {
                    const json& at = *work.back();
                    work.pop_back();
                    if (at.is_object() && at.contains("as_graph")) continue;
                    if (at.is_object() && at.contains("as_name") && at["as_name"].is_string()) found.push_back(at["as_name"]);
                    for (const char* tag : {"as_tensor", "as_custom_obj"})
                        if (at.is_object() && at.contains(tag) && at[tag].is_object()) found.push_back(at[tag]["name"]);
                    if (at.is_object() && at.contains("as_tensors") && at["as_tensors"].is_array())
                        for (const json& item : at["as_tensors"]) found.push_back(item["name"]);
                    if (at.is_structured())
                        for (const json& child : at) work.push_back(&child);
                }
                std::sort(found.begin(), found.end());
                return found;
            };
            std::map<std::string, std::vector<NodeId>> users;
            for (std::uint32_t i = 0; i < p.graph(g).nodes.size(); ++i) {
                const NodeId id = p.graph(g).nodes.begin + i;
                const Node& node = p.node(id);
                const json& stored = graph["nodes"][i];
                QCOMPARE(std::string(node.target), stored["target"].get<std::string>());
                QVERIFY(json::parse(p.slice(node.text)) == stored);
                QVERIFY(json::parse(p.slice(node.metadata)) == stored["metadata"]);
                std::vector<std::string> reads, makes;
                p.forEachInputValue(node, [&](ValueId v) { reads.emplace_back(p.value(v).name); });
                p.forEachOutputValue(node, [&](ValueId v) {
                    makes.emplace_back(p.value(v).name);
                    QCOMPARE(p.value(v).producer, id);
                });
                std::sort(reads.begin(), reads.end());
                std::sort(makes.begin(), makes.end());
                QCOMPARE(reads, names(stored["inputs"]));
                QCOMPARE(makes, names(stored["outputs"]));
                for (const std::string& name : reads)
                    if (users[name].empty() || users[name].back() != id) users[name].push_back(id);
                QCOMPARE(p.findNode(g, p.displayName(id)), std::optional<NodeId>(id));
                QCOMPARE(p.nodeFromAddress(p.nodeAddress(id)), std::optional<NodeId>(id));
            }
            for (ValueId v = p.graph(g).values.begin; v < p.graph(g).values.end; ++v) {
                const Value& value = p.value(v);
                QCOMPARE(value.graph, g);
                const auto found = p.users(value);
                QCOMPARE(std::vector<NodeId>(found.begin(), found.end()), users[std::string(value.name)]);
                QCOMPARE(p.findValue(g, value.name), std::optional<ValueId>(v));
            }
        }
    }

    void readsMetadataAsTorchWroteIt_data() { rows(); }
    void readsMetadataAsTorchWroteIt() {
        QFETCH(int, index);
        Issues issues;
        const auto program = openProgram(programs_[static_cast<std::size_t>(index)], issues);
        QVERIFY(program);
        for (NodeId id = 0; id < program->nodes().size(); ++id) {
            const json stored = json::parse(program->slice(program->node(id).metadata));
            const NodeMetadata metadata = program->metadata(id);
            json found = json::object();
            for (const auto& [key, value] : metadata.entries) found[key] = value;
            QVERIFY(found == stored);
            const std::string stack = stored.value("nn_module_stack", "");
            QCOMPARE(metadata.moduleStack.size(),
                     stack.empty() ? std::size_t{0} : static_cast<std::size_t>(std::count(stack.begin(), stack.end(), ';') + 1));
            const std::string innermost = metadata.moduleStack.empty() ? "" : metadata.moduleStack.back().path;
            QCOMPARE(std::string(program->modulePath(id)), innermost);
            if (!metadata.moduleStack.empty()) QVERIFY(!program->moduleType(innermost).empty());
            const std::string trace = stored.value("stack_trace", "");
            std::size_t frames = 0;
            for (std::size_t at = trace.find("File \""); at != std::string::npos; at = trace.find("File \"", at + 1)) ++frames;
            QCOMPARE(metadata.stackTrace.size(), frames);
            for (const SourceFrame& frame : metadata.stackTrace) QVERIFY(frame.line > 0 && !frame.file.empty() && !frame.function.empty());
        }
    }

    void namesEveryFlatInputAndOutput_data() { rows(); }
    void namesEveryFlatInputAndOutput() {
        QFETCH(int, index);
        Issues issues;
        const auto program = openProgram(programs_[static_cast<std::size_t>(index)], issues);
        QVERIFY(program);
        const ModuleCallEntry& call = program->moduleCallGraph().front();
        const auto in = TreeSpec::parse(call.inSpec, program->namedtupleFields());
        const auto out = TreeSpec::parse(call.outSpec, program->namedtupleFields());
        QVERIFY(in && out);
        const auto paths = inputPaths(*in, call.forwardArgNames);
        std::size_t userInputs = 0;
        for (const InputSpec& spec : program->inputSpecs()) userInputs += spec.kind == InputKind::UserInput ? 1 : 0;
        QCOMPARE(paths.size(), userInputs);
        std::set<std::string> names;
        for (const InputPath& path : paths) {
            QVERIFY(!path.name.empty() && !path.python.empty() && !path.parts.empty());
            names.insert(path.name);
        }
        QCOMPARE(names.size(), paths.size());
        std::size_t userOutputs = 0;
        for (const OutputSpec& spec : program->outputSpecs()) userOutputs += spec.kind == OutputKind::UserOutput ? 1 : 0;
        QCOMPARE(outputPaths(*out).size(), userOutputs);
    }
};

QTEST_GUILESS_MAIN(TestProgramFacts)
#include "tst_program_facts.moc"

#include <algorithm>
#include <fstream>
#include <random>

#include "core/program/printed_form.h"
#include "core/program/treespec.h"
#include "tests/core/program/corpus_programs.h"
#include "tests/places.h"

using namespace pt2;
using namespace pt2::tests;
using nlohmann::json;

namespace {

ByteBuffer bytesOf(std::string_view text) {
    const Bytes bytes = asBytes(text);
    return {bytes.begin(), bytes.end()};
}

/// A small sound program to spoil.
json sample() {
    std::ifstream file(pt2::tests::sourceFile("tests/data/small_program.json").toStdString());
    return json::parse(file);
}

struct Opened {
    Result<std::shared_ptr<const Program>> program;
    Issues issues;
    bool has(const char* code) const {
        return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.code == code; });
    }
};

Opened open(const json& program) {
    Issues issues;
    auto parsed = Program::parse(bytesOf(program.dump()), "models/model.json", issues);
    return {std::move(parsed), std::move(issues)};
}

/// Looks at everything a page would look at.
std::size_t useAll(const Program& p) {
    std::size_t sum = printProgram(p).size();
    for (NodeId id = 0; id < p.nodes().size(); ++id) {
        sum += p.modulePath(id).size() + p.displayName(id).size() + p.metadata(id).entries.size() + p.nodeAddress(id).size();
        p.forEachInputValue(p.node(id), [&](ValueId v) { sum += p.users(p.value(v)).size(); });
        p.forEachOutputValue(p.node(id), [&](ValueId v) { sum += p.sizesText(p.value(v)).size() + p.stridesText(p.value(v)).size(); });
        for (std::uint32_t i = p.node(id).inputs.begin; i < p.node(id).inputs.end; ++i)
            sum += printArgument(p, p.namedArguments()[i].argument).size();
    }
    for (const ModuleCallEntry& call : p.moduleCallGraph()) {
        const auto in = TreeSpec::parse(call.inSpec, p.namedtupleFields());
        if (in) sum += inputPaths(*in, call.forwardArgNames).size();
    }
    return sum;
}

}  // namespace

class TestProgramErrors : public QObject {
    Q_OBJECT

private slots:
    void openTheSoundSample() {
        const Opened opened = open(sample());
        QVERIFY2(opened.program, opened.program ? "" : opened.program.error().why.c_str());
        QVERIFY(opened.issues.empty());
        QVERIFY(useAll(**opened.program) > 0);
    }

    void aMissingRequiredFieldIsAnErrorThatNamesIt_data() {
        QTest::addColumn<QByteArray>("pointer");
        for (const char* pointer :
             {"/graph_module", "/graph_module/graph", "/graph_module/signature", "/graph_module/module_call_graph", "/graph_module/graph/nodes",
              "/graph_module/graph/inputs", "/graph_module/graph/outputs", "/graph_module/graph/tensor_values", "/graph_module/graph/nodes/1/target",
              "/graph_module/graph/nodes/0/inputs", "/graph_module/graph/nodes/0/outputs", "/graph_module/graph/nodes/0/metadata",
              "/graph_module/graph/nodes/0/inputs/0/name", "/graph_module/graph/nodes/0/inputs/0/arg",
              "/graph_module/graph/nodes/0/inputs/0/arg/as_tensor/name", "/graph_module/signature/input_specs",
              "/graph_module/signature/output_specs", "/graph_module/signature/input_specs/0/user_input/arg",
              "/graph_module/graph/tensor_values/x/sizes/0/as_expr/expr_str"}) {
            QTest::newRow(pointer) << QByteArray(pointer);
        }
    }
    void aMissingRequiredFieldIsAnErrorThatNamesIt() {
        QFETCH(QByteArray, pointer);
        json program = sample();
        const json::json_pointer whole(pointer.toStdString());
        program[whole.parent_pointer()].erase(whole.back());
        const Opened opened = open(program);
        QVERIFY(!opened.program);
        const Error& error = opened.program.error();
        QCOMPARE(error.kind, ErrorKind::Unreadable);
        QVERIFY2(error.why.find("\"" + whole.back() + "\"") != std::string::npos, error.why.c_str());
        QVERIFY2(error.where.find("models/model.json") == 0, error.where.c_str());
        QVERIFY(!error.help.empty());
        if (pointer.contains("nodes/1")) QVERIFY2(error.where.find("graph_module.graph.nodes[1]") != std::string::npos, error.where.c_str());
    }

    void aWrongTypeIsAnErrorOrAnIssueAndNeverACrash() {
        // Every value of the sample in turn becomes something else.
        const json program = sample();
        const json flat = program.flatten();
        std::vector<std::string> pointers;
        for (const auto& [pointer, value] : flat.items()) {
            for (json::json_pointer p(pointer); !p.empty(); p = p.parent_pointer()) pointers.push_back(p.to_string());
        }
        std::sort(pointers.begin(), pointers.end());
        pointers.erase(std::unique(pointers.begin(), pointers.end()), pointers.end());
        for (const std::string& pointer : pointers) {
            for (const char* replacement : {"null", "true", "-1", "99999999999999999999", "1.5", "\"text\"", "[]", "{}", "[[]]", "{\"a\":{}}"}) {
                json spoiled = program;
                spoiled[json::json_pointer(pointer)] = json::parse(replacement);
                const Opened opened = open(spoiled);
                if (opened.program) {
                    useAll(**opened.program);
                } else {
                    QCOMPARE(opened.program.error().kind, ErrorKind::Unreadable);
                    QVERIFY(!opened.program.error().why.empty() || opened.program.error().code == "program.schema-old");
                }
            }
        }
    }

    void oddThingsOpenWithAnIssue() {
        const auto expect = [](const char* code, const std::function<void(json&)>& spoil) {
            json program = sample();
            spoil(program);
            const Opened opened = open(program);
            if (!opened.program) qWarning("%s: %s", code, opened.program.error().why.c_str());
            QVERIFY2(opened.program, code);
            QVERIFY2(opened.has(code), code);
            useAll(**opened.program);
        };
        const auto graph = [](json& p) -> json& { return p["graph_module"]["graph"]; };
        expect("program.unknown-argument", [&](json& p) { graph(p)["nodes"][1]["inputs"][1]["arg"] = {{"as_quaternion", 3}}; });
        expect("program.unknown-argument", [&](json& p) { graph(p)["nodes"][1]["inputs"][1]["arg"] = json::object(); });
        expect("program.unknown-argument", [&](json& p) { graph(p)["nodes"][1]["inputs"][1]["arg"]["as_float"] = 1.5; });
        expect("program.dangling", [&](json& p) { graph(p)["nodes"][0]["inputs"][0]["arg"]["as_tensor"]["name"] = "nowhere"; });
        expect("program.dangling", [&](json& p) { graph(p)["outputs"][0]["as_tensor"]["name"] = "nowhere"; });
        expect("program.order", [&](json& p) { graph(p)["nodes"][0]["inputs"][0]["arg"]["as_tensor"]["name"] = "add"; });
        expect("program.order", [&](json& p) { graph(p)["nodes"][0]["inputs"][0]["arg"]["as_tensor"]["name"] = "relu"; });
        expect("program.duplicate-value", [&](json& p) { graph(p)["nodes"][1]["outputs"][0]["as_tensor"]["name"] = "relu"; });
        expect("program.untyped-value", [&](json& p) { graph(p)["tensor_values"].erase("relu"); });
        expect("program.tensor-meta", [&](json& p) { graph(p)["tensor_values"]["relu"].erase("sizes"); });
        expect("program.tensor-meta", [&](json& p) { graph(p)["tensor_values"]["relu"]["sizes"] = {4, 2}; });
        expect("program.dtype", [&](json& p) { graph(p)["tensor_values"]["relu"]["dtype"] = 99; });
        expect("program.target", [&](json& p) { graph(p)["nodes"][0]["target"] = "os.system"; });
        expect("program.large-integer", [&](json& p) { graph(p)["nodes"][1]["inputs"][1]["arg"]["as_int"] = 9223372036854775808ULL; });
        expect("program.metadata", [&](json& p) { graph(p)["nodes"][0]["metadata"] = json::array(); });
        expect("program.metadata", [&](json& p) { graph(p)["nodes"][0]["metadata"] = {{"stack_trace", 3}}; });
        expect("program.string-output", [&](json& p) { graph(p)["outputs"].push_back({{"as_string", "text"}}); });
        expect("program.signature-length", [](json& p) { p["graph_module"]["signature"]["input_specs"] = json::array(); });
        expect("program.signature-name",
               [](json& p) { p["graph_module"]["signature"]["input_specs"][0]["user_input"]["arg"]["as_tensor"]["name"] = "y"; });
        expect("program.unknown-input-kind", [](json& p) { p["graph_module"]["signature"]["input_specs"][0] = {{"hologram", json::object()}}; });
        expect("program.unknown-output-kind", [](json& p) { p["graph_module"]["signature"]["output_specs"][0] = {{"hologram", json::object()}}; });
        expect("program.expression", [&](json& p) { graph(p)["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"] = "s77 +* 2"; });
        expect("program.expression", [&](json& p) { graph(p)["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"] = "9**9**9**9"; });
        expect("program.range-inverted", [](json& p) { p["range_constraints"]["s77"] = {{"min_val", 9}, {"max_val", 3}}; });
        expect("program.no-range", [](json& p) { p["range_constraints"] = json::object(); });
        expect("program.hint", [](json& p) { p["range_constraints"]["s77"]["max_val"] = 3; });
        expect("program.no-ranges", [](json& p) { p.erase("range_constraints"); });
        expect("program.no-schema-version", [](json& p) { p.erase("schema_version"); });
        expect("program.schema-minor", [](json& p) { p["schema_version"]["minor"] = 999; });
        expect("program.schema-major", [](json& p) { p["schema_version"]["major"] = 9; });
        expect("program.schema-major", [](json& p) { p["schema_version"] = {{"major", 0}, {"minor", 0}}; });
        expect("program.wrong-type", [](json& p) { p["guards_code"] = json::object(); });
        expect("program.treespec", [](json& p) {
            p["graph_module"]["module_call_graph"] = {
                {{"fqn", ""},
                 {"signature",
                  {{"in_spec", "{oops"}, {"out_spec", "[1, {\"type\": null}]"}, {"inputs", json::array()}, {"outputs", json::array()}}}}};
        });
        expect("program.no-subgraph", [&](json& p) { graph(p)["nodes"][1]["inputs"][1]["arg"] = {{"as_graph", {{"name", "true_graph_0"}}}}; });
    }

    void anOlderSchemaIsRefusedWithAdvice() {
        for (const json& version : {json{{"major", 7}, {"minor", 3}}, json(2)}) {
            json program = sample();
            program["schema_version"] = version;
            const Opened opened = open(program);
            QVERIFY(!opened.program);
            QCOMPARE(opened.program.error().code, std::string("program.schema-old"));
            QVERIFY(!opened.program.error().help.empty());
        }
    }

    void unknownFieldsAndBareNonFiniteNumbersAreRead() {
        json program = sample();
        program["new_field"] = {1, 2, {{"deep", true}}};
        program["graph_module"]["graph"]["nodes"][0]["colour"] = "blue";
        std::string text = program.dump();
        const std::string from = "{\"as_int\":1}";
        const std::size_t at = text.find(from);
        QVERIFY(at != std::string::npos);
        for (const char* number : {"-Infinity", "NaN", "Infinity", "\"Infinity\"", "1e-05", "1e999"}) {
            std::string changed = text;
            changed.replace(at, from.size(), std::string("{\"as_float\":") + number + "}");
            Issues issues;
            const auto parsed = Program::parse(bytesOf(changed), "x", issues);
            QVERIFY2(parsed, number);
            QVERIFY(issues.empty());
        }
    }

    void deepNestingNeitherRecursesNorTakesForEver() {
        // An argument in an argument, a graph in a graph, arrays in arrays.
        json program = sample();
        std::string text = program.dump();
        const auto replaced = [&](const std::string& with) {
            std::string changed = text;
            const std::string from = "{\"as_int\":1}";
            changed.replace(changed.find(from), from.size(), with);
            return changed;
        };
        std::string argument = "{\"as_int\":1}";
        std::string deep;
        for (int i = 0; i < 20'000; ++i) deep += "{\"as_string_to_argument\":{\"a\":";
        deep += argument;
        for (int i = 0; i < 20'000; ++i) deep += "}}";
        Issues issues;
        auto parsed = Program::parse(bytesOf(replaced(deep)), "x", issues);
        QVERIFY(parsed);
        QVERIFY(!issues.empty());
        useAll(**parsed);

        std::string graphs, tail;
        for (int i = 0; i < 1000; ++i) {
            graphs +=
                "{\"as_graph\":{\"name\":\"g\",\"graph\":{\"inputs\":[],\"outputs\":[],\"tensor_values\":{},\"nodes\":[{\"target\":\"torch.ops."
                "higher_order.cond\",\"outputs\":[],\"metadata\":{},\"inputs\":[{\"name\":\"\",\"kind\":1,\"arg\":";
            tail += "}]}]}}}";
        }
        issues.clear();
        parsed = Program::parse(bytesOf(replaced(graphs + argument + tail)), "x", issues);
        QVERIFY(parsed);
        QVERIFY(std::any_of(issues.begin(), issues.end(), [](const Issue& issue) { return issue.code == "program.graph-depth"; }));
        useAll(**parsed);

        parsed = Program::parse(bytesOf(std::string(1'000'000, '[')), "x", issues);
        QVERIFY(!parsed);
        parsed = Program::parse(bytesOf("{\"graph_module\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}"), "x", issues);
        QVERIFY(!parsed);
    }

    void theDamagedSetIsTreatedAsItsIndexSays() {
        QFile file(corpus() + "/damaged/INDEX.json");
        if (corpus().isEmpty() || !file.open(QIODevice::ReadOnly)) QSKIP("The damaged set is not there: none of it was opened.");
        const QByteArray text = file.readAll();
        const json index = json::parse(text.begin(), text.end());
        int seen = 0;
        for (const auto& [name, entry] : index.items()) {
            if (!entry.is_object() || !entry.contains("expect")) continue;
            static const char* kinds[] = {"json_",     "type_",   "missing_", "arg",  "minor_",  "major_",    "dangling", "dup_value", "cycle",
                                          "self_loop", "target_", "value_",   "sig_", "output_", "subgraph_", "sym_",     "range_inv", "range_t"};
            if (std::none_of(std::begin(kinds), std::end(kinds), [&name = name](const char* kind) { return name.rfind(kind, 0) == 0; })) continue;
            Issues issues;
            const auto archive = Archive::open((corpus() + "/damaged/" + QString::fromStdString(name)).toStdString(), issues);
            if (!archive) continue;
            const auto member = (*archive)->find("models/model.json");
            if (!member) continue;
            auto bytes = (*archive)->read(*member);
            if (!bytes) continue;
            issues.clear();
            const auto parsed = Program::parse(std::move(*bytes), name, issues);
            QVERIFY2(parsed.has_value() == (entry["expect"] != "reject"), (name + ": " + entry["what"].get<std::string>()).c_str());
            if (parsed) {
                QVERIFY2(!issues.empty(), (name + " opened without an issue: " + entry["what"].get<std::string>()).c_str());
                useAll(**parsed);
            }
            ++seen;
        }
        QVERIFY(seen > 40);
    }

    void randomDamageNeverCrashes() {
        std::vector<ByteBuffer> seeds{bytesOf(sample().dump())};
        for (const CorpusProgram& program : corpusPrograms("2.13.0")) {
            const QByteArray label = program.label();
            if (label.startsWith("cond@") || label.startsWith("sym_scalars@") || label.startsWith("args_kinds@") || label.startsWith("kwargs@"))
                seeds.push_back(programJson(program));
        }
        std::mt19937 random(7);
        const char pieces[][12] = {"{",  "}",     "[",  "]",       ",",        ":",         "\"",         "null",
                                   "-1", "1e999", "\\", "\\u0000", "as_graph", "as_tensor", "99999999999"};
        for (int round = 0; round < 1500; ++round) {
            ByteBuffer bytes = seeds[random() % seeds.size()];
            if (bytes.empty()) continue;
            for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
                const std::size_t at = random() % bytes.size();
                switch (random() % 4) {
                    case 0: bytes[at] = static_cast<std::byte>(random() % 256); break;
                    case 1:
                        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + random() % 40)));
                        break;
                    case 2: {
                        const Bytes piece = asBytes(std::string_view(pieces[random() % std::size(pieces)]));
                        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
                        break;
                    }
                    default: bytes.resize(1 + at); break;
                }
                if (bytes.empty()) break;
            }
            Issues issues;
            const auto parsed = Program::parse(std::move(bytes), "x", issues);
            if (parsed) useAll(**parsed);
        }
    }
};

QTEST_GUILESS_MAIN(TestProgramErrors)
#include "tst_program_errors.moc"

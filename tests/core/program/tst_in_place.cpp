#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/program/in_place.h"

using namespace pt2;

namespace {

using Json = nlohmann::json;

/// One node of a graph over x, and buffers b and c, of the rank one; `inputs` as JSON of named arguments.
Json node(const std::string& target, const std::vector<std::pair<std::string, Json>>& inputs, const std::string& output) {
    Json list = Json::array();
    for (const auto& [name, argument] : inputs) list.push_back({{"name", name}, {"arg", argument}, {"kind", 1}});
    return {{"target", target},
            {"inputs", list},
            {"outputs", Json::array({{{"as_tensor", {{"name", output}}}}})},
            {"metadata", Json::object()},
            {"is_hop_single_tensor_return", nullptr}};
}
Json tensor(const std::string& name) { return {{"as_tensor", {{"name", name}}}}; }
Json flag(bool value) { return {{"as_bool", value}}; }

std::shared_ptr<const Program> program(const std::vector<Json>& nodes) {
    const Json meta = {{"dtype", 7},
                       {"sizes", Json::array({{{"as_int", 4}}})},
                       {"requires_grad", false},
                       {"device", {{"type", "cpu"}, {"index", nullptr}}},
                       {"strides", Json::array({{{"as_int", 1}}})},
                       {"storage_offset", {{"as_int", 0}}},
                       {"layout", 7}};
    Json values = Json::object();
    for (const char* name : {"b", "c", "x"}) values[name] = meta;
    for (const Json& n : nodes) values[n["outputs"][0]["as_tensor"]["name"].get<std::string>()] = meta;
    const std::string last = nodes.back()["outputs"][0]["as_tensor"]["name"];
    const Json graph = {{"inputs", Json::array({tensor("b"), tensor("c"), tensor("x")})},
                        {"outputs", Json::array({tensor(last)})},
                        {"nodes", nodes},
                        {"tensor_values", values},
                        {"sym_int_values", Json::object()},
                        {"sym_float_values", Json::object()},
                        {"sym_bool_values", Json::object()},
                        {"custom_obj_values", Json::object()},
                        {"is_single_tensor_return", false}};
    const auto buffer = [](const char* name) { return Json{{"buffer", {{"arg", {{"name", name}}}, {"buffer_name", name}, {"persistent", true}}}}; };
    const Json signature = {{"input_specs", Json::array({buffer("b"), buffer("c"), {{"user_input", {{"arg", tensor("x")}}}}})},
                            {"output_specs", Json::array({{{"user_output", {{"arg", tensor(last)}}}}})}};
    const Json whole = {
        {"graph_module", {{"graph", graph}, {"signature", signature}, {"module_call_graph", Json::array()}, {"metadata", Json::object()}}},
        {"opset_version", {{"aten", 10}}},
        {"range_constraints", Json::object()},
        {"schema_version", {{"major", 8}, {"minor", 8}}},
        {"verifiers", Json::array({"TRAINING"})},
        {"torch_version", "2.13.0"}};
    const std::string text = whole.dump();
    const Bytes bytes = asBytes(text);
    Issues issues;
    auto parsed = Program::parse(ByteBuffer(bytes.begin(), bytes.end()), "test", issues);
    return parsed ? *parsed : nullptr;
}

QStringList named(const Program& p, const std::vector<ValueId>& values) {
    QStringList list;
    for (const ValueId value : values) list << QString::fromStdString(std::string(p.value(value).name));
    return list;
}

}  // namespace

/// What a training graph writes to is found, though its signature does not say it.
class InPlaceTest : public QObject {
    Q_OBJECT

private slots:
    void everyWayToWriteIsFound_data() {
        QTest::addColumn<QByteArray>("nodes");
        QTest::addColumn<QStringList>("written");
        QTest::addColumn<QStringList>("perhaps");
        const auto row = [](const char* title, const std::vector<Json>& nodes, const QStringList& written, const QStringList& perhaps) {
            QTest::newRow(title) << QByteArray::fromStdString(Json(nodes).dump()) << written << perhaps;
        };
        const auto aten = [](const char* name) { return std::string("torch.ops.aten.") + name; };
        row("reads only", {node(aten("add.Tensor"), {{"self", tensor("b")}, {"other", tensor("x")}}, "y")}, {}, {});
        row("in place", {node(aten("add_.Tensor"), {{"self", tensor("b")}, {"other", tensor("x")}}, "y")}, {"b"}, {});
        row("the second argument is read", {node(aten("copy_.default"), {{"self", tensor("x")}, {"src", tensor("b")}}, "y")}, {"x"}, {});
        row("through a view of a view",
            {node(aten("select.int"), {{"self", tensor("c")}}, "v"), node(aten("view.default"), {{"self", tensor("v")}}, "w"),
             node(aten("mul_.Tensor"), {{"self", tensor("w")}, {"other", tensor("x")}}, "y")},
            {"c"}, {});
        row("through what another wrote",
            {node(aten("add_.Tensor"), {{"self", tensor("b")}, {"other", tensor("x")}}, "v"),
             node(aten("mul_.Tensor"), {{"self", tensor("v")}, {"other", tensor("x")}}, "y")},
            {"b"}, {});
        row("through what may be a copy",
            {node(aten("reshape.default"), {{"self", tensor("b")}}, "v"),
             node(aten("add_.Tensor"), {{"self", tensor("v")}, {"other", tensor("x")}}, "y")},
            {}, {"b"});
        row("of a copy",
            {node(aten("clone.default"), {{"self", tensor("b")}}, "v"),
             node(aten("add_.Tensor"), {{"self", tensor("v")}, {"other", tensor("x")}}, "y")},
            {}, {});
        const auto norm = [&](bool training) {
            return node(aten("batch_norm.default"),
                        {{"input", tensor("x")}, {"running_mean", tensor("b")}, {"running_var", tensor("c")}, {"training", flag(training)}}, "y");
        };
        row("a batch norm that is trained", {norm(true)}, {"b", "c"}, {});
        row("a batch norm that is not", {norm(false)}, {}, {});
        row("an operator of somebody", {node("torch.ops.mine.step.default", {{"state", tensor("c")}, {"x", tensor("x")}}, "y")}, {}, {"c", "x"});
        row("two underscores are a name", {node(aten("__and__.Tensor"), {{"self", tensor("b")}, {"other", tensor("c")}}, "y")}, {}, {});
    }
    void everyWayToWriteIsFound() {
        QFETCH(const QByteArray, nodes);
        const auto made = program(Json::parse(nodes.toStdString()).get<std::vector<Json>>());
        QVERIFY(made != nullptr);
        const InPlaceWrites found = inPlaceWrites(*made);
        QTEST(named(*made, found.written), "written");
        QTEST(named(*made, found.perhaps), "perhaps");
        // Each comes with the nodes that write.
        for (const auto& [list, certain] : {std::pair(&found.written, true), std::pair(&found.perhaps, false)}) {
            for (const ValueId value : *list) {
                const auto by =
                    std::find_if(found.by.begin(), found.by.end(), [value = value](const InPlaceWrites::By& b) { return b.input == value; });
                QVERIFY(by != found.by.end() && by->node < made->nodes().size());
                QCOMPARE(by->certain, certain);
                QVERIFY(!made->node(by->node).target.empty() && made->node(by->node).target.find(".add.") == std::string_view::npos);
            }
        }
        QVERIFY(std::all_of(found.by.begin(), found.by.end(), [&](const InPlaceWrites::By& by) {
            return std::find(found.written.begin(), found.written.end(), by.input) != found.written.end() ||
                   std::find(found.perhaps.begin(), found.perhaps.end(), by.input) != found.perhaps.end();
        }));
    }
};

QTEST_GUILESS_MAIN(InPlaceTest)
#include "tst_in_place.moc"

#include <QTest>

#include "core/program/treespec.h"

using namespace pt2;

namespace {

const std::string kLeaf = "{\"type\": null, \"context\": null, \"children_spec\": []}";

std::string node(const std::string& type, const std::string& context, const std::vector<std::string>& children) {
    std::string text = "{\"type\": \"" + type + "\", \"context\": " + context + ", \"children_spec\": [";
    for (std::size_t i = 0; i < children.size(); ++i) text += (i > 0 ? ", " : "") + children[i];
    return text + "]}";
}

std::string call(const std::vector<std::string>& positional, const std::string& keys = "\"[]\"", const std::vector<std::string>& keyword = {}) {
    return "[1, " + node("builtins.tuple", "\"null\"", {node("builtins.tuple", "\"null\"", positional), node("builtins.dict", keys, keyword)}) + "]";
}

std::vector<std::string> names(const std::vector<InputPath>& paths, bool python) {
    std::vector<std::string> out;
    for (const InputPath& path : paths) out.push_back(python ? path.python : path.name);
    return out;
}

using Strings = std::vector<std::string>;

}  // namespace

class TestTreeSpec : public QObject {
    Q_OBJECT

private slots:
    void namesInputsAsTheCallerKnowsThem() {
        const auto spec = TreeSpec::parse(call(
            {node("builtins.dict", "\"[\\\"b\\\", \\\"odd key\\\", 3]\"", {kLeaf, node("builtins.list", "\"null\"", {kLeaf, kLeaf}), kLeaf}), kLeaf},
            "\"[\\\"scale\\\"]\"", {kLeaf}));
        QVERIFY(spec);
        QCOMPARE(spec->leafCount, 6U);
        const auto paths = inputPaths(*spec, {"batch", "x", "scale"});
        QCOMPARE(names(paths, false), (Strings{"batch.b", "batch['odd key'][0]", "batch['odd key'][1]", "batch[3]", "x", "scale"}));
        QCOMPARE(names(paths, true), (Strings{"batch['b']", "batch['odd key'][0]", "batch['odd key'][1]", "batch[3]", "x", "scale"}));
        QVERIFY(!paths[4].isKeyword && paths[5].isKeyword);
        QCOMPARE(paths[1].parts, (Strings{"batch", "['odd key']", "[0]"}));
        QCOMPARE(names(inputPaths(*spec, {}), false).front(), std::string("arg0.b"));
    }

    void knowsTheTypesOfTheReference() {  // format.md 2.6
        const std::map<std::string, Strings> fields = {{"corpus.Point", {"px", "py"}}};
        const auto spec = TreeSpec::parse(
            call({node("collections.namedtuple", "\"corpus.Point\"", {kLeaf, kLeaf}), node("collections.OrderedDict", "\"[\\\"u\\\"]\"", {kLeaf}),
                  node("collections.defaultdict",
                       "{\"default_factory_module\": \"builtins\", \"default_factory_name\": \"list\", \"dict_context\": [\"k\"]}", {kLeaf}),
                  node("collections.deque", "\"5\"", {kLeaf}), node("my.Data", "\"[[\\\"a\\\"], [\\\"b\\\"]]\"", {kLeaf}),
                  node("my.Custom", "\"{\\\"what\\\": 1}\"", {kLeaf, kLeaf}),
                  node("builtins.dict", "\"[{\\\"__enum__\\\": true, \\\"fqn\\\": \\\"mod:Colour\\\", \\\"name\\\": \\\"RED\\\"}]\"", {kLeaf})}),
            fields);
        QVERIFY(spec);
        QCOMPARE(names(inputPaths(*spec, {"p", "o", "d", "q", "c", "z", "e"}), false),
                 (Strings{"p.px", "p.py", "o.u", "d.k", "q[0]", "c.a", "z[0]", "z[1]", "e[Colour.RED]"}));
        QCOMPARE(names(inputPaths(*spec, {"p", "o", "d", "q", "c", "z", "e"}), true),
                 (Strings{"p.px", "p.py", "o['u']", "d['k']", "q[0]", "c.a", "z[0]", "z[1]", "e[Colour.RED]"}));
    }

    void namesOutputs() {
        QCOMPARE(outputPaths(*TreeSpec::parse("[1, " + kLeaf + "]")), (Strings{"result"}));
        QCOMPARE(outputPaths(*TreeSpec::parse(
                     "[1, " +
                     node("builtins.tuple", "\"null\"",
                          {kLeaf, node("builtins.dict", "\"[\\\"a\\\", \\\"b\\\"]\"", {kLeaf, node("builtins.list", "\"null\"", {kLeaf})})}) +
                     "]")),
                 (Strings{"[0]", "[1].a", "[1].b[0]"}));
        QCOMPARE(
            outputPaths(*TreeSpec::parse(
                "[1, " + node("builtins.dict", "\"[\\\"a\\\", \\\"b\\\"]\"", {kLeaf, node("builtins.tuple", "\"null\"", {kLeaf, kLeaf})}) + "]")),
            (Strings{"a", "b[0]", "b[1]"}));
    }

    void refusesWhatIsNoSpec_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"", "null", "[]", "[1]", "[1, 2]", "[1, {]", "not json", "{\"type\": 1}", "[1, {\"type\": \"builtins.tuple\", \"children_spec\": 3}]",
              "[1, {\"type\": null, \"children_spec\": [{}]}]", "[1, {}, 3]"}) {
            QTest::newRow(text) << QByteArray(text);
        }
        QByteArray deep = "[1, ";
        for (int i = 0; i < 50'000; ++i) deep += "{\"type\": \"builtins.list\", \"context\": \"null\", \"children_spec\": [";
        QTest::newRow("deep and cut") << deep;
        for (int i = 0; i < 50'000; ++i) deep += "]}";
        QTest::newRow("deep") << deep + "]";
    }
    void refusesWhatIsNoSpec() {
        QFETCH(QByteArray, text);
        const auto spec = TreeSpec::parse(text.toStdString());
        QVERIFY(!spec);
        QCOMPARE(spec.error().kind, ErrorKind::Unreadable);
    }
};

QTEST_GUILESS_MAIN(TestTreeSpec)
#include "tst_treespec.moc"

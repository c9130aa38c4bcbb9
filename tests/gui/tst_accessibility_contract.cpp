#include <QClipboard>
#include <QTimer>
#include <QtTest>
#include <algorithm>
#include <map>
#include <memory>

#include "core/base/text.h"
#include "core/tensor/dtype.h"
#include "tests/corpus.h"
#include "tests/gui/accessible_reader.h"
#include "tests/gui/spoken_document.h"
#include "tests/gui/told_words.h"
#include "views/pages.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::tests;
using pt2::views::toQt;

namespace {

/// "2 ≤ s77 ≤ 1024", "s77 ≥ 2"; empty without bounds.
QString bounds(const QString& symbol, const Json& low, const Json& high) {
    if (low.is_number() && high.is_number()) return QStringLiteral("%1 ≤ %2 ≤ %3").arg(text(low), symbol, text(high));
    if (low.is_number()) return QStringLiteral("%1 ≥ %2").arg(symbol, text(low));
    if (high.is_number()) return QStringLiteral("%1 ≤ %2").arg(symbol, text(high));
    return {};
}
/// "1 … 1024" as the cards of sizes have it.
QString tight(const Json& range) {
    if (range[0].is_null() && range[1].is_null()) return QStringLiteral("no limit");
    return QStringLiteral("%1 … %2").arg(range[0].is_null() ? "no limit" : text(range[0]), range[1].is_null() ? "no upper limit" : text(range[1]));
}
/// The same of what the compiled code tests: an open side is one that it does not.
QString tested(const Json& range) {
    const QString open = QStringLiteral("not checked");
    if (!range.is_array() || (range[0].is_null() && range[1].is_null())) return open;
    return QStringLiteral("%1 … %2").arg(range[0].is_null() ? open : text(range[0]), range[1].is_null() ? open : text(range[1]));
}
/// "s77 ≥ 2, upper bound not checked".
QString testedBounds(const QString& symbol, const Json& low, const Json& high) {
    if (!low.is_number() && !high.is_number()) return symbol + QStringLiteral(" not checked");
    const QString words = bounds(symbol, low, high);
    if (!low.is_number()) return words + QStringLiteral(", lower bound not checked");
    return high.is_number() ? words : words + QStringLiteral(", upper bound not checked");
}

const std::map<std::string, QString> kInputWords{
    {"USER_INPUT", "given by the caller"},          {"PARAMETER", "parameter"},      {"BUFFER", "buffer"},
    {"CONSTANT_TENSOR", "constant tensor, lifted"}, {"CUSTOM_OBJ", "custom object"}, {"TOKEN", "token that orders effects"}};
const std::map<std::string, QString> kOutputWords{{"USER_OUTPUT", "returned to the caller"},
                                                  {"BUFFER_MUTATION", "new value of a buffer"},
                                                  {"USER_INPUT_MUTATION", "new value of an input"},
                                                  {"TOKEN", "token that orders effects"}};

/// "parameter" as beside a program, of the wrapper's "Parameter".
QString constantWords(const QString& kind) {
    static const std::map<QString, QString> words{{"", "constant"},
                                                  {"Parameter", "parameter"},
                                                  {"Buffer", "buffer"},
                                                  {"TensorConstant", "constant tensor"},
                                                  {"FoldedConstant", "constant folded when compiled"}};
    return words.at(kind);
}

/// Short type names as the call has them: "f32 [s77, 16]" of "float32 [s77, 16]".
QString shortType(const QString& type) {
    const auto dtype = dtypeFromName(type.section(' ', 0, 0).toStdString());
    return dtype && type.contains('[') ? toQt(dtypeShortName(*dtype)) + ' ' + type.section(' ', 1) : type;
}

}  // namespace

/// What a screen reader is told of Signature and Files is what the command line says with --json; pages, models and rows are reached with its
/// actions and the keyboard.
class AccessibleContractTest : public QObject, SpokenFiles {
    Q_OBJECT

private slots:
    void initTestCase() { registerPages(); }
    void init() { openRow(); }
    void cleanup() { document_.reset(); }

    void signature_data() {
        files({"2.13.0/tiny.pt2", "2.13.0/kwargs.pt2", "2.13.0/multi_program.pt2", "2.13.0/encoder.pt2", "2.13.0/input_mutation.pt2",
               "2.13.0/conv_bn_train.pt2", "2.13.0/nested_tensors_in.pt2", "2.13.0/equal_syms.pt2", "2.13.0/aoti/combined.pt2",
               "2.13.0/aoti/two_models.pt2", "2.13.0/aoti/mlp2.pt2", "2.13.0/aoti/constant_inputs.pt2", "eras/2.8/aoti/mlp2.pt2",
               "eras/2.6/aoti/mlp2.pt2"});
    }
    void signature();
    void members_data() {
        files({"2.13.0/tiny.pt2", "2.13.0/encoder.pt2", "2.13.0/multi_program.pt2", "2.13.0/aoti/combined.pt2", "2.13.0/aoti/two_models.pt2",
               "eras/2.6/aoti/mlp2.pt2", "eras/2.8/tied.pt2", "damaged/all_deflated.pt2"});
    }
    void members();
    void theCallIsCopiedByKeys_data() { files({"2.13.0/tiny.pt2", "2.13.0/aoti/combined.pt2", "2.13.0/aoti/mlp2.pt2"}); }
    void theCallIsCopiedByKeys();

private:
    void checkRows(const QString& model, const Json& changes);
    void checkSide(const Json& told);
};

/// Lines of one kind: name, kind in words, target, dtype, shape, range.
void AccessibleContractTest::checkRows(const QString& model, const Json& changes) {
    const std::string name = model.toStdString();
    std::map<QString, QStringList> expected;
    const auto line = [](const QStringList& cells) { return cells.join(QStringLiteral(" | ")); };
    if (facts_["programs"].contains(name)) {
        static const std::map<std::string, QString> inputGroups{
            {"USER_INPUT", "Inputs of the caller"}, {"PARAMETER", "Parameters"}, {"BUFFER", "Buffers"},
            {"CONSTANT_TENSOR", "Constants"},       {"CUSTOM_OBJ", "Objects"},   {"TOKEN", "Tokens"}};
        static const std::map<std::string, QString> outputGroups{{"USER_OUTPUT", "Outputs to the caller"},
                                                                 {"BUFFER_MUTATION", "Changed buffers"},
                                                                 {"USER_INPUT_MUTATION", "Changed inputs"},
                                                                 {"TOKEN", "Tokens out"}};
        const Json& program = facts_["programs"][name];
        const auto ranges = [&](const Json& dims) {
            QStringList parts;
            for (const Json& dim : dims.is_array() ? dims : Json::array()) {
                for (const auto& [symbol, range] : program["range_constraints"].items()) {
                    const QString s = QString::fromStdString(symbol);
                    const QString words = bounds(s, range[0], range[1]);
                    if (text(dim).contains(QRegularExpression(QStringLiteral("\\b%1\\b").arg(s))) && !words.isEmpty() && !parts.contains(words))
                        parts << words;
                }
            }
            return parts.isEmpty() ? dash() : parts.join(QStringLiteral(", "));
        };
        const auto typed = [&](const Json& value, const QString& kind) {
            if (value["dtype"].is_null()) return QStringList{orDash(value["name"]), kind, orDash(value["target"])};
            return QStringList{orDash(value["name"]), kind, orDash(value["target"]), text(value["dtype"]), shape(value["shape"]),
                               ranges(value["shape"])};
        };
        for (const Json& input : program["inputs"]) {
            QString kind = kInputWords.at(input["kind"]);
            if (input["kind"] == "BUFFER" && input["persistent"] == false) kind = "buffer, not saved in state dicts";
            for (const Json& change : changes.is_array() ? changes : Json::array()) {
                if (change["in_place"] == true && change["graph_name"] == input["name"])
                    kind += change["certain"] == true ? ", changed in place" : ", may be changed in place";
            }
            expected[inputGroups.at(input["kind"])] << line(typed(input, kind));
        }
        for (const Json& output : program["outputs"])
            expected[outputGroups.at(output["kind"])] << line(typed(output, kOutputWords.at(output["kind"])));
    } else {
        const Json& compiled = facts_["compiled"][name];
        for (const Json& input : compiled["inputs"]) {
            QStringList ranges;
            for (const Json& size : input["sizes"].is_array() ? input["sizes"] : Json::array()) {
                if (!size.is_object()) continue;
                const QString words = testedBounds(size.contains("symbol") ? text(size["symbol"]) : QStringLiteral("?"), size["min"], size["max"]);
                if (!words.isEmpty() && !ranges.contains(words)) ranges << words;
            }
            expected["Inputs of the compiled model"] << line(
                {text(input["name"]), input["sizes"].is_null() ? "not known" : "from the " + text(input["origins"]["sizes"]["from"]), dash(),
                 input["dtype"].is_null() ? "unknown" : text(input["dtype"]), shape(input["sizes"]), ranges.isEmpty() ? dash() : ranges.join(", ")});
        }
        for (const Json& output : compiled["outputs"]) {
            expected["Outputs of the compiled model"]
                << line({text(output["name"]), output["sizes"].is_null() ? "not known" : "from the " + text(output["origins"]["sizes"]["from"]),
                         dash(), output["dtype"].is_null() ? "unknown" : text(output["dtype"]), shape(output["sizes"]), dash()});
        }
        for (const Json& constant : compiled["constants"]) {
            expected["Constants of the compiled model"]
                << line({text(constant["name"]), constantWords(text(constant["kind"])), text(constant["fqn"]),
                         constant["dtype"].is_null() ? "unknown" : text(constant["dtype"]), shape(constant["shape"]), dash()});
        }
    }
    std::map<QString, QStringList> read;
    std::map<QString, QString> counts;
    QString group;
    ReadTable table = readTable(findTable(document_->root(), "Signature"));
    if (std::any_of(table.rows.begin(), table.rows.end(), [](const ReadRow& row) { return row.isClosed; })) {
        QVERIFY(document_->walk("Signature", [](int, const ReadRow&) {}));  // opens the modules of long lists
        table = readTable(findTable(document_->root(), "Signature"));
    }
    QCOMPARE(table.columns, (QStringList{"Name", "Kind", "Target", "dtype", "Shape", "Range"}));
    for (const ReadRow& row : table.rows) {
        if (row["Kind"].isEmpty()) {
            const QString title = row["Name"].section(", ", 0, -2);
            if (expected.count(title) == 0) continue;  // a module within the group
            group = title;
            counts[group] = row["Name"].section(", ", -1);
            continue;
        }
        QStringList cells;
        for (const QString& column : table.columns) cells << row[column];
        // What has no type in the JSON is a constant: its value stands where a shape would.
        const auto lines = expected.find(group);
        const qsizetype place = read[group].size();
        if (lines != expected.end() && lines->second.value(place).count(" | ") == 2) cells = cells.mid(0, 3);
        read[group] << line(cells);
    }
    QCOMPARE(read.size(), expected.size());
    for (const auto& [title, lines] : expected) {
        QCOMPARE(read[title], lines);
        QCOMPARE(counts[title], toQt(formatCount(static_cast<std::uint64_t>(lines.size()))));
    }
}

/// Beside the table: the call as the caller writes it, the dynamic sizes, and every sentence.
void AccessibleContractTest::checkSide(const Json& told) {
    QStringList types;
    const ReadTable call = readTable(findTable(document_->root(), "Call"));
    for (const ReadRow& row : call.rows) types << row["Type"];
    // Without a tree of arguments that fits the inputs there is no call to show.
    for (const Json& input : call.rows.empty() ? Json::array() : told["inputs"]) {
        const QString type = shortType(text(input["type"]));
        QVERIFY2(types.contains(type), qPrintable(type + " is not among " + types.join(" | ")));
        QString name = text(input["name"]);
        if (name.contains('.') || name.contains('[')) continue;  // a part of an argument stands below it
        const bool there = std::any_of(call.rows.begin(), call.rows.end(), [&](const ReadRow& row) {
            const QString argument = row["Argument"];
            const bool named = argument == (input["keyword"].get<bool>() ? name + ", keyword" : name);
            // A compiled model alone does not know what its caller calls an input.
            return row["Type"] == type && (named || (input["graph_name"] == "" && argument == "argument " + text(input["index"])));
        });
        QVERIFY2(there, qPrintable(name));
    }
    const Spoken side = find(document_->root(), "Call, sizes and guards");
    QVERIFY(side);
    const std::vector<Piece> all = pieces(side);
    const std::vector<Field> said = fields(side);
    QStringList programs, compiled;
    for (const Field& one : said) {
        if (one.word == "program") programs << one.values.value(0);
        if (one.word == "compiled") compiled << one.values.value(0);
    }
    QStringList expectedPrograms, expectedCompiled;
    const bool hasCompiled = facts_["compiled"].contains(told["model"].get<std::string>());
    for (const Json& size : told["sizes"]) {
        QVERIFY2(anyNamed(all, text(size["name"])), qPrintable(text(size["name"])));
        QStringList places;
        for (std::size_t i = 0; i < size["places"].size() && i < 3; ++i)
            places << QStringLiteral("%1 dimension %2").arg(text(size["places"][i]["input"]), text(size["places"][i]["dimension"]));
        if (size["places"].size() > 3) places << QStringLiteral("… %1 more").arg(size["places"].size() - 3);
        if (!size["at_export"].is_null()) places << "example " + text(size["at_export"]);
        QVERIFY2(places.isEmpty() || anyNamed(all, places.join(QStringLiteral(" · "))), qPrintable(places.join(QStringLiteral(" · "))));
        if (size["program"].is_array()) expectedPrograms << tight(size["program"]);
        if (hasCompiled) expectedCompiled << tested(size["compiled"]);
    }
    QCOMPARE(programs, expectedPrograms);
    QCOMPARE(compiled, expectedCompiled);
    for (const auto& [kind, notes] : told["notes"].items()) {
        for (const Json& note : notes) QVERIFY2(anyNamed(all, text(note)), qPrintable(text(note)));
    }
    for (const Json& found : told["asserts"].is_array() ? told["asserts"] : Json::array()) {
        // Without a compiled model guards and bounds stand among the conditions and the sizes.
        if (found["fixed_by_program"] == true || (!hasCompiled && (found["kind"] == "guard" || found["kind"] == "bound"))) continue;
        QVERIFY2(std::any_of(all.begin(), all.end(),
                             [&](const Piece& one) { return one.name == text(found["sentence"]) && one.description.startsWith(text(found["why"])); }),
                 qPrintable(text(found["sentence"])));
    }
    for (const Json& change : told["changes"].is_array() ? told["changes"] : Json::array())
        QVERIFY2(anyNamed(all, text(change["sentence"])), qPrintable(text(change["sentence"])));
    for (const Json& guard : told.value("guards_code", Json::array())) {
        QVERIFY2(std::any_of(all.begin(), all.end(), [&](const Piece& one) { return one.description.contains(text(guard)); }),
                 qPrintable(text(guard)));
    }
}

void AccessibleContractTest::signature() {
    for (const QString& model : modelsOf(facts_, {"programs", "compiled"})) {
        QVERIFY(document_->choose(model));
        QVERIFY(document_->goTo("Signature"));
        const Json told = toldJson({"signature", "--json", "--model", model, file_});
        QVERIFY(told.is_object());
        checkRows(model, told["changes"]);
        if (QTest::currentTestFailed()) return;
        checkSide(told);
        if (QTest::currentTestFailed()) return;
        const Spoken form = find(document_->root(), "Form of the signature");
        QCOMPARE(form != nullptr, told["text"].is_string());
        if (!form) continue;
        QVERIFY(press(find(form, "As torch prints it")) && document_->settle());
        QCOMPARE(textOf(find(document_->root(), "Signature as torch prints it")), QString::fromStdString(told["text"]));
        QVERIFY(press(find(form, "Program text")) && document_->settle());
        QCOMPARE(textOf(find(document_->root(), "Text of the program")).trimmed(),
                 QString::fromUtf8(pt2::tests::told({"print", "--model", model, file_})).replace('\t', "    ").trimmed());
        QVERIFY(press(find(form, "Table")));
    }
}

/// The menu below "Copy as…" hangs in a window of its own.
void AccessibleContractTest::theCallIsCopiedByKeys() {
    const QString model = modelsOf(facts_, {"programs", "compiled"}).front();
    const Json told = toldJson({"signature", "--json", "--model", model, file_});
    QVERIFY(document_->choose(model) && document_->goTo("Signature"));
    for (const auto& [title, key] : {std::pair("Python", "python"), std::pair("C++", "cpp")}) {
        if (!told["call"].contains(key) || told["call"][key].is_null()) continue;
        bool chosen = false;
        QTimer::singleShot(400, this, [&chosen, title = title] {
            QWidget* menu = QApplication::activePopupWidget();
            const Spoken entry = menu ? find(QAccessible::queryAccessibleInterface(menu), title) : nullptr;
            chosen = press(entry);
            if (menu && menu->isVisible()) menu->close();
        });
        QVERIFY(press(find(document_->root(), "Copy the call")));
        QTRY_VERIFY2(chosen, title);
        QString expected = QString::fromStdString(told["call"][key]);
        QCOMPARE(QApplication::clipboard()->text(), expected);
    }
}

void AccessibleContractTest::members() {
    QVERIFY(document_->goTo("Files"));
    QCOMPARE(readTable(findTable(document_->root(), "Members")).columns, (QStringList{"Member", "Size", "Meaning"}));
    std::map<QString, Json> left;
    for (const Json& member : facts_["members"]) {
        if (!text(member["name"]).endsWith('/')) left[text(member["name"])] = member;
    }
    const std::size_t count = left.size();
    const QString root = facts_["root"].is_string() ? text(facts_["root"]) : QString();
    const bool walked = document_->walk("Members", [&](int, const ReadRow& row) {
        const QString path = row.remarks["Member"].isEmpty() ? row["Member"] : row.remarks["Member"];
        const auto found = left.find(path);
        if (found == left.end()) {  // a folder with what is in it
            QVERIFY2(row["Meaning"].contains(QRegularExpression("^[0-9,]+ members?$")), qPrintable(path + ": " + row["Meaning"]));
            return;
        }
        const Json member = found->second;
        left.erase(found);
        QCOMPARE(row["Member"].section(QStringLiteral(" › "), -1), path.section('/', -1));
        QCOMPARE(row["Size"], bytesText(member["size"]));
        // Said once where the size shown is exact.
        const QString exact = countText(member["size"]) + " bytes";
        QCOMPARE(row["Size"] == exact ? exact : row.remarks["Size"], exact);
        QVERIFY(!row["Meaning"].isEmpty());
        // The head of the view at the right.
        const std::vector<Piece> all = pieces(document_->root());
        const QString below = root.isEmpty() ? path : path.mid(root.size() + 1);
        QVERIFY2(anyNamed(all, below), qPrintable(below));
        const auto facts = std::find_if(all.begin(), all.end(), [](const Piece& piece) { return piece.name.contains("CRC-32 "); });
        QVERIFY(facts != all.end());
        const QStringList parts = facts->name.split(QStringLiteral(" · "));
        QVERIFY2(parts.contains(bytesText(member["size"])), qPrintable(facts->name));
        if (member["size"].get<std::uint64_t>() >= 1000) QVERIFY2(parts.contains(countText(member["size"]) + " bytes"), qPrintable(facts->name));
        const QString method = member["method"] == 0   ? QStringLiteral("stored")
                               : member["method"] == 8 ? "deflated to " + bytesText(member["compressed_size"])
                                                       : "zip method " + text(member["method"]);
        QVERIFY2(parts.contains(method), qPrintable(facts->name));
        QVERIFY2(parts.contains("at " + toQt(formatOffset(member["offset_of_data"].get<std::uint64_t>()))), qPrintable(facts->name));
        QVERIFY2(parts.contains("CRC-32 " + text(member["crc32"])), qPrintable(facts->name));
    });
    QVERIFY(walked);
    QVERIFY2(left.empty(), qPrintable(left.empty() ? QString() : left.begin()->first));
    QVERIFY(
        anyNamed(pieces(document_->root()), count == 1 ? QStringLiteral("1 member") : QStringLiteral("%1 members").arg(toQt(formatCount(count)))));
}

QTEST_MAIN(AccessibleContractTest)
#include "tst_accessibility_contract.moc"

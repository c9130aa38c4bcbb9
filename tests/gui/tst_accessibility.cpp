#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "core/base/text.h"
#include "core/program/operator_family.h"
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

/// What a screen reader is told of Kernels and Weights is what the command line says with --json; pages, models and rows are
/// reached with its actions and the keyboard.
class AccessibilityTest : public QObject, SpokenFiles {
    Q_OBJECT

private slots:
    void initTestCase() { registerPages(); }
    void init() { openRow(); }
    void cleanup() { document_.reset(); }

    void kernels_data() {
        files({"2.13.0/aoti/combined.pt2", "2.13.0/aoti/mlp2.pt2", "2.13.0/aoti/two_models.pt2", "2.13.0/aoti/custom_op.pt2",
               "2.13.0/aoti/dyn_two.pt2", "eras/2.8/aoti/mlp2.pt2", "eras/2.6/aoti/mlp2.pt2"});
    }
    void kernels();
    void weights_data() {
        files({"2.13.0/tiny.pt2", "2.13.0/tied.pt2", "2.13.0/multi_program.pt2", "2.13.0/quant_subclass.pt2", "2.13.0/quant_pickled.pt2",
               "2.13.0/views_shared.pt2", "2.13.0/nonfinite.pt2", "2.13.0/encoder.pt2", "2.13.0/aoti/combined.pt2", "2.13.0/aoti/two_models.pt2",
               "2.13.0/aoti/mlp2.pt2", "eras/2.8/tied.pt2"});
    }
    void weights();

private:
    void checkCall(const Json& call, const std::map<std::string, Json>& nodes, const std::vector<Piece>& all);
    void checkWeight(const Json& weight, const ReadRow& row);
    void checkPython(const Json& call, const std::map<std::string, Json>& nodes, const std::vector<Piece>& all);
    void checkValues(const Json& weight);
    void checkHistogram(const Json& weight);
};

/// The panel below the source: nodes with how their link is known, and memory.
void AccessibilityTest::checkCall(const Json& call, const std::map<std::string, Json>& nodes, const std::vector<Piece>& all) {
    static const std::map<std::string, QString> ways{{"named", "named in the source"}, {"provenance", "recorded by torch"}, {"inferred", "inferred"}};
    std::vector<Piece> links = between(all, "ATen nodes", {"Reads", "Writes", "ATen", "Python source"});
    if (call["links"].empty()) {
        const QString words = namesOf(links).join(' ');
        QVERIFY2(nodes.empty() ? words.contains("no exported program") : words.contains("Not known."), qPrintable(words));
        for (const Json& name : call["source_nodes"]) QVERIFY2(!nodes.empty() || words.contains(text(name)), qPrintable(words));
    } else {
        QCOMPARE(links.front().name, QStringLiteral("%1 of %2").arg(call["links"].size()).arg(nodes.size()));
        links.erase(links.begin());
        std::size_t at = 0;
        for (const Json& link : call["links"]) {
            const Json& node = nodes.at(link["address"].get<std::string>());
            const QString target = text(node["op"]).remove("torch.ops.");
            QStringList expected{QString::fromUtf8(operatorFamilyName(operatorFamily(node["op"].get<std::string>()))), text(node["name"]),
                                 target.section('.', 0, 1)};
            if (!node["outputs"].empty() && node["outputs"][0]["shape"].is_array()) expected << shape(node["outputs"][0]["shape"]);
            expected << ways.at(link["by"]);
            QStringList read;
            for (qsizetype i = 0; i < expected.size() && at + static_cast<std::size_t>(i) < links.size(); ++i)
                read << links[at + static_cast<std::size_t>(i)].name;
            QCOMPARE(read, expected);
            at += static_cast<std::size_t>(expected.size());
            QCOMPARE(links[at - 1].description, text(link["why"]));
        }
        QCOMPARE(at, links.size());
    }
    for (const auto& [word, key] : {std::pair("Reads", "reads"), std::pair("Writes", "writes")}) {
        QStringList named;
        for (const Piece& piece : between(all, word, {"Writes", "ATen", "Python source"})) {
            for (const Json& buffer : call[key]) {
                if (piece.name == text(buffer) || piece.description == text(buffer)) named << text(buffer);
            }
        }
        QStringList expected;
        for (const Json& buffer : call[key]) expected << text(buffer);
        QCOMPARE(named, expected);
    }
    QStringList operators;
    for (const Json& name : call["aten"]) operators << text(name);
    QCOMPARE(namesOf(between(all, "ATen", {"Python source"})), operators.isEmpty() ? QStringList() : QStringList(operators.join(", ")));
}

/// The lines of Python that made the call's nodes, innermost first, the first four of them.
void AccessibilityTest::checkPython(const Json& call, const std::map<std::string, Json>& nodes, const std::vector<Piece>& all) {
    constexpr std::size_t kShown = 4;
    std::vector<Json> frames;
    for (const Json& link : call["links"]) {
        const Json& stack = nodes.at(link["address"].get<std::string>())["stack"];
        for (std::size_t i = stack.size(); i-- > 0;) {
            const bool known = std::any_of(frames.begin(), frames.end(),
                                           [&](const Json& frame) { return frame["file"] == stack[i]["file"] && frame["line"] == stack[i]["line"]; });
            if (!known && frames.size() < kShown) frames.push_back(stack[i]);
        }
    }
    QStringList expected{"recorded at export"};
    for (const Json& frame : frames) {
        expected << QStringLiteral("%1:%2").arg(text(frame["file"]).section('/', -1)).arg(frame["line"].get<int>()) << text(frame["function"]);
        if (!frame["code"].get<std::string>().empty()) expected << text(frame["code"]);
    }
    if (frames.empty()) expected << "None is recorded for this call.";
    QCOMPARE(namesOf(between(all, "Python source", {})).mid(0, expected.size()), expected);
}

void AccessibilityTest::kernels() {
    for (const QString& model : modelsOf(facts_, {"compiled"})) {
        QVERIFY(document_->choose(model));
        QVERIFY(document_->goTo("Kernels"));
        const Json calls = toldJson({"kernels", "--json", "--model", model, file_});
        QVERIFY(calls.is_array() && !calls.empty());
        std::map<std::string, Json> nodes;
        std::set<QString> modules;
        if (facts_["programs"].contains(model.toStdString())) {
            for (const Json& node : toldJson({"nodes", "--format", "json", "--model", model, file_})) {
                nodes[node["address"]] = node;
                modules.insert(text(node["module"]));
            }
        }
        QCOMPARE(readTable(findTable(document_->root(), "Kernel calls")).columns, (QStringList{"Call", "Kernel", "From"}));
        std::size_t i = 0, group = 0;
        QString block;
        const bool walked = document_->walk("Kernel calls", [&](int, const ReadRow& row) {
            if (row["Kernel"].isEmpty()) {  // a module with its calls
                QVERIFY2(row["Call"].contains(QRegularExpression(", [0-9]+ calls?$")), qPrintable(row["Call"]));
                const QString module = row["Call"].section(", ", 0, -2);
                QVERIFY2(nodes.empty() || module == "The model itself" ||
                             std::any_of(modules.begin(), modules.end(), [&](const QString& path) { return path.startsWith(module); }),
                         qPrintable(module));
                block = module;
                ++group;
                return;
            }
            QVERIFY(i < calls.size());
            const Json& call = calls[i++];
            const QString name = text(call["name"]);
            QCOMPARE(row["Call"], QString::number(i));
            QVERIFY2(name == row["Kernel"] || name == "aoti_torch_cpu_" + row["Kernel"] || name == "aoti_torch_" + row["Kernel"],
                     qPrintable(row["Kernel"] + " of " + model + " is not " + name));
            QCOMPARE(row.remarks["Kernel"].section('\n', 0, 0), name);
            QCOMPARE(row.remarks["Kernel"].section('\n', 1).section(':', 0, 0), text(call["kind"]));
            // Modules that hold the linked nodes, below the group's; else the nodes themselves. None is without a node, and no node is without one.
            QCOMPARE(row["From"] == "unknown", call["links"].empty() && (!nodes.empty() || call["source_nodes"].empty()));
            const QStringList shown = call["links"].empty() ? QStringList() : row["From"].split(", ");
            QCOMPARE(QSet<QString>(shown.begin(), shown.end()).size(), shown.size());
            const auto holds = [&](const QString& from, const Json& link) {
                const Json& node = nodes.at(link["address"].get<std::string>());
                return text(node["name"]) == from || ('.' + text(node["module"]) + '.').contains('.' + from + '.');
            };
            for (const QString& from : shown) {
                QVERIFY2(std::any_of(call["links"].begin(), call["links"].end(), [&](const Json& link) { return holds(from, link); }),
                         qPrintable(from));
            }
            for (const Json& link : call["links"]) {
                const QString module = text(nodes.at(link["address"].get<std::string>())["module"]);
                QVERIFY2(module.isEmpty() || module == block ||
                             std::any_of(shown.begin(), shown.end(), [&](const QString& from) { return holds(from, link); }),
                         qPrintable(module + " is not in " + row["From"]));
            }
            const std::vector<Piece> all = pieces(document_->root());
            QVERIFY(anyNamed(all, name));
            checkCall(call, nodes, all);
            if (QTest::currentTestFailed()) return;
            checkPython(call, nodes, all);
            if (QTest::currentTestFailed()) return;
            // The source and the place of the call, each with its lines.
            for (const auto& [side, key] : {std::pair("Kernel", "source"), std::pair("Call site", "call")}) {
                const Spoken choice = find(find(document_->root(), "Source shown"), side, QAccessible::RadioButton);
                if (choice) {
                    QVERIFY(press(choice) && document_->settle());
                    QVERIFY(choice->state().checked);
                } else {
                    QCOMPARE(call["source"], call["call"]);
                }
                const std::vector<Piece> now = pieces(document_->root());
                QVERIFY2(anyNamed(now, text(call[key]["member"])), qPrintable(namesOf(now).join('|')));
                const auto lines = std::find_if(now.begin(), now.end(), [](const Piece& piece) { return piece.name.startsWith("lines "); });
                QVERIFY(lines != now.end());
                const int first = lines->name.mid(6).section(u'–', 0, 0).toInt(), last = lines->name.section(u'–', 1).toInt();
                const QString source = textOf(find(document_->root(), "Source of the kernel"));
                const bool whole = choice && key == std::string("source");
                if (whole) {
                    QCOMPARE(first, call[key]["line"].get<int>());
                    QCOMPARE(last, call[key]["last_line"].get<int>());
                    const Json printed = toldJson({"kernels", "--json", "--source", QString::fromStdString(call["name"]), "--model", model, file_});
                    QCOMPARE(source.trimmed(), QString::fromStdString(printed["text"]).replace('\t', "    ").trimmed());
                } else {
                    const int line = call[key]["line"].get<int>();
                    QVERIFY(first <= line && line <= last);
                    const QString function = name.section("::", -1);
                    QVERIFY2(source.split('\n').value(line - first).contains(function) || call["kind"] == "proxy",
                             qPrintable(source.split('\n').value(line - first)));
                }
            }
            press(find(find(document_->root(), "Source shown"), "Kernel", QAccessible::RadioButton));
        });
        QVERIFY(walked);
        QCOMPARE(i, calls.size());
        QVERIFY(group > 0);
    }
}

/// The numbers that are drawn in a grid, each with its place.
void AccessibilityTest::checkValues(const Json& weight) {
    const std::vector<Piece> all = pieces(document_->root());
    std::size_t read = 0;
    const Json& sizes = weight["shape"];
    for (const Piece& piece : all) {
        static const QRegularExpression place(QStringLiteral("^\\[([0-9, ]*)\\]$"));
        const auto match = place.match(piece.description);
        if (!match.hasMatch()) continue;
        const QStringList at = match.captured(1).split(", ", Qt::SkipEmptyParts);
        QCOMPARE(static_cast<std::size_t>(at.size()), sizes.size());
        std::size_t index = 0;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            QVERIFY(at[static_cast<qsizetype>(d)].toLongLong() < sizes[d].get<qint64>());
            index = index * sizes[d].get<std::size_t>() + static_cast<std::size_t>(at[static_cast<qsizetype>(d)].toLongLong());
        }
        QVERIFY(index < weight["values"].size());
        const Json& value = weight["values"][index];
        const QString number = QString(piece.name).replace(QChar(0x2212), u'-');
        if (value.is_number()) {
            const double expected = value.get<double>();
            QVERIFY2(std::abs(number.toDouble() - expected) <=
                         5.1e-6 + 6e-3 * (std::abs(expected) >= 1e5 || std::abs(expected) < 1e-4) * std::abs(expected),
                     qPrintable(piece.name + " is not " + text(value)));
        } else {
            const QString expected = text(value).replace("Infinity", "Inf");
            QVERIFY2(number.compare(expected, Qt::CaseInsensitive) == 0 || number.compare('+' + expected, Qt::CaseInsensitive) == 0,
                     qPrintable(piece.name + " is not " + text(value)));
        }
        ++read;
    }
    std::size_t expected = 1;
    for (std::size_t d = sizes.size() < 2 ? 0 : sizes.size() - 2; d < sizes.size(); ++d)
        expected *= std::min<std::size_t>(8, sizes[d].get<std::size_t>());
    // A narrow panel shows fewer columns.
    QVERIFY(read > 0 && read <= expected);
}

/// The bars of the histogram hold each value once, where its bounds say.
void AccessibilityTest::checkHistogram(const Json& weight) {
    static const QRegularExpression bar(QStringLiteral("^\\[(.+), (.+)\\): ([0-9,]+) \\("));
    std::vector<std::uint64_t> read;
    for (const Piece& piece : pieces(find(document_->root(), "Weight"))) {
        if (const auto match = bar.match(piece.name); match.hasMatch()) read.push_back(match.captured(3).remove(',').toULongLong());
    }
    std::vector<double> values;
    for (const Json& value : weight["values"]) {
        if (value.is_number()) values.push_back(value.get<double>());
        if (value.is_boolean()) values.push_back(value.get<bool>() ? 1 : 0);
    }
    if (values.empty()) return;
    QVERIFY(!read.empty());
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    std::vector<std::uint64_t> expected(read.size(), 0);
    for (const double value : values) {
        const double at = *high > *low ? (value - *low) / (*high - *low) * static_cast<double>(read.size()) : 0;
        ++expected[std::min(static_cast<std::size_t>(at), read.size() - 1)];
    }
    QCOMPARE(read, expected);
}

void AccessibilityTest::checkWeight(const Json& weight, const ReadRow& row) {
    const bool tensor = !weight["dtype"].is_null();
    QCOMPARE(row["Name"], text(weight["name"]));
    QCOMPARE(row["Kind"], text(weight["kind"]) + (weight["used"].get<bool>() ? "" : ", unused"));
    QCOMPARE(row["Type"], tensor ? text(weight["dtype"]) : "object");
    QCOMPARE(row.remarks["Type"].contains("subclass"), weight["subclass"].get<bool>());
    QCOMPARE(row["Shape"], tensor ? shape(weight["shape"]) : dash());
    if (tensor) {
        QCOMPARE(row.remarks["Shape"], weight["contiguous"].get<bool>() ? QString() : "Strides " + shape(weight["stride"]));
        QCOMPARE(row["Size"], bytesText(weight["bytes"]));
        QCOMPARE(row.remarks["Size"], QStringLiteral("%1 elements, %2 bytes").arg(countText(weight["elements"]), countText(weight["bytes"])));
    }
    if (weight.contains("stats")) {
        QStringList odd;
        if (weight["stats"]["nan"] != 0) odd << countText(weight["stats"]["nan"]) + " NaN";
        if (weight["stats"]["inf"] != 0) odd << countText(weight["stats"]["inf"]) + " Inf";
        QCOMPARE(row["NaN, Inf"], odd.isEmpty() ? "none" : odd.join(", "));
        QCOMPARE(row.remarks["NaN, Inf"].startsWith("Warning"), !odd.isEmpty());
    } else {
        QCOMPARE(row["NaN, Inf"], dash());
    }
    QStringList tied, viewed;
    if (!weight["storage"].is_null()) {
        for (const Json& other : weight["storage"]["shared_with"]) (other["as"] == "tied" ? tied : viewed) << text(other["name"]);
    }
    const auto some = [](const QStringList& names) {
        return names.size() <= 2 ? names.join(", ") : QStringLiteral("%1 and %2 more").arg(names.front()).arg(names.size() - 1);
    };
    QStringList sharing;
    if (!tied.isEmpty()) sharing << "tied with " + some(tied);
    if (!viewed.isEmpty()) sharing << "shares storage with " + some(viewed);
    QCOMPARE(row["Sharing"], sharing.join("; "));
    if (weight.contains("compiled")) {
        static const std::map<std::string, QString> words{{"same", "same bytes"}, {"baked into code", "baked in"}};
        const auto known = words.find(weight["compiled"]["as"]);
        QCOMPARE(row["Compiled"], known != words.end() ? known->second : text(weight["compiled"]["as"]));
        QVERIFY2(row.remarks["Compiled"].endsWith(text(weight["compiled"]["why"])), qPrintable(row.remarks["Compiled"]));
    } else {
        QVERIFY(!row.cells.contains("Compiled"));
    }
}

void AccessibilityTest::weights() {
    for (const QString& model : modelsOf(facts_, {"programs", "compiled"})) {
        QVERIFY(document_->choose(model));
        QVERIFY(document_->goTo("Weights"));
        const Json listed = toldJson({"weights", "--json", "--stats", "--values", "100000", "--model", model, file_});
        const Json& all = listed["weights"];
        if (all.empty()) {
            QVERIFY(find(document_->root(), "There are no weights"));
            continue;
        }
        const Json& totals = listed["totals"];
        std::size_t i = 0;
        const bool walked = document_->walk("Weights", [&](int, const ReadRow& row) {
            QVERIFY(i < all.size());
            const Json& weight = all[i++];
            checkWeight(weight, row);
            if (QTest::currentTestFailed()) return;
            const Spoken panel = find(document_->root(), "Weight");
            QVERIFY(panel);
            const std::vector<Piece> words = pieces(panel);
            const std::vector<Field> said = fields(panel);
            QVERIFY(anyNamed(pieces(document_->root()), text(weight["name"])));
            if (!weight["dtype"].is_null()) {
                QCOMPARE(field(said, "elements"), countText(weight["elements"]));
                QCOMPARE(field(said, "strides"), weight["contiguous"].get<bool>() ? "contiguous" : shape(weight["stride"]));
                if (weight["storage_offset"].is_number() && weight["storage_offset"] != 0)
                    QCOMPARE(field(said, "offset"), QStringLiteral("element %1 of its storage").arg(text(weight["storage_offset"])));
                if (!weight["storage"].is_null() && weight["storage"]["bytes"] != weight["bytes"])
                    QCOMPARE(field(said, "storage"), bytesText(weight["storage"]["bytes"]));
            }
            if (!weight["member"].is_null() && !field(said, "record").isEmpty())
                QVERIFY2(text(weight["member"]).endsWith(field(said, "record").section(u'…', -1)), qPrintable(field(said, "record")));
            if (!weight["storage"].is_null()) {
                QStringList sharers, expected;
                for (const Field& one : said) {
                    if (one.word == "shared with") sharers = one.values;
                }
                for (const Json& other : weight["storage"]["shared_with"])
                    expected << QStringLiteral("%1 (%2)").arg(text(other["name"]), text(other["as"]));
                if (expected.size() > 6) expected = expected.mid(0, 6) << QStringLiteral("… %1 more").arg(expected.size() - 6);
                QCOMPARE(sharers, expected);
            }
            if (listed["source"] == "program") QCOMPARE(field(said, "gradient"), weight["requires_grad"].get<bool>() ? "wanted" : "not wanted");
            if (weight.contains("compiled")) {
                QCOMPARE(field(said, "compiled"), text(weight["compiled"]["as"]));
                QVERIFY(anyNamed(words, text(weight["compiled"]["why"])));
                const Json& where = weight["compiled"]["where"];
                QCOMPARE(field(said, "values lie"), where.is_null() ? QString() : text(where));
            } else if (weight.contains("where")) {
                QCOMPARE(field(said, "values lie"), text(weight["where"]));
            }
            if (weight.contains("quantized")) {
                for (const auto& [word, key] : {std::pair("scale", "scale"), std::pair("zero point", "zero_point")}) {
                    const Json& side = weight["quantized"][key];
                    const QString read = field(said, word);
                    if (side.is_string()) QVERIFY2(toQt(elideMiddle(side.get<std::string>(), 34)) == read.section(" (", 0, 0), qPrintable(read));
                    if (side.is_number()) QCOMPARE(read, numberText(side.get<double>()));
                }
                if (weight["quantized"]["axis"].is_number()) QCOMPARE(field(said, "axis"), text(weight["quantized"]["axis"]));
                QVERIFY(anyNamed(words, text(weight["quantized"]["why"])));
            }
            // Statistics of the weight, or of each part it is made of.
            std::vector<Json> parts;
            if (weight.contains("stats")) parts.push_back(weight);
            for (const Json& part : weight.value("parts", Json::array())) {
                parts.push_back(part);
                QVERIFY(anyNamed(words, QStringLiteral("%1 %2 %3").arg(text(part["name"]), text(part["dtype"]), shape(part["shape"]))));
            }
            std::map<QString, QStringList> read;
            for (const Field& one : said) read[one.word] << one.values.value(0);
            for (std::size_t p = 0; p < parts.size(); ++p) {
                const Json& stats = parts[p]["stats"];
                const auto at = static_cast<qsizetype>(p);
                for (const char* word : {"min", "max", "mean", "std"})
                    QCOMPARE(read[word].value(at), stats[word].is_number() ? numberText(stats[word].get<double>()) : "none");
                QCOMPARE(read["zeros"].value(at).section(QStringLiteral(" · "), 0, 0), countText(stats["zeros"]));
                QCOMPARE(read["NaN"].value(at), countText(stats["nan"]));
                QCOMPARE(read["+Inf"].value(at), countText(stats["positive_inf"]));
                QCOMPARE(read["−Inf"].value(at), countText(stats["negative_inf"]));
            }
            if (weight.contains("values") && !weight["values"].empty() && weight["elements"].get<std::size_t>() <= 100000) {
                checkValues(weight);
                if (QTest::currentTestFailed()) return;
                if (!weight["stats"].is_null()) checkHistogram(weight);
            }
        });
        QVERIFY(walked);
        QCOMPARE(i, all.size());
        const std::vector<Piece> words = pieces(document_->root());
        QVERIFY(std::any_of(words.begin(), words.end(), [&](const Piece& piece) {
            return piece.name.startsWith(QStringLiteral("%1 weight").arg(countText(totals["weights"]))) &&
                   (piece.name.contains(bytesText(totals["stored_bytes"])) || piece.name.contains(bytesText(totals["bytes"])));
        }));
    }
}

QTEST_MAIN(AccessibilityTest)
#include "tst_accessibility.moc"

#include <QAccessible>
#include <QCheckBox>
#include <QProcess>
#include <QtTest>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "tests/corpus.h"
#include "tests/places.h"
#include "views/files/files_page.h"
#include "views/frame/main_window.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_page.h"
#include "views/inspector/inspector_facts.h"
#include "views/inspector/value_words.h"
#include "views/kernels/kernels_page.h"
#include "views/overview/contract_card.h"
#include "views/overview/overview_page.h"
#include "views/pages.h"
#include "views/problems/problems_page.h"
#include "views/signature/signature_page.h"
#include "views/theme/theme.h"
#include "views/widgets/code_view.h"
#include "views/widgets/data_table.h"
#include "views/widgets/number_strip.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::views;
using Json = nlohmann::ordered_json;

namespace {

QString text(const Json& value) { return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump()); }

/// "[s77, 16]" of ["s77", "16"] or [512, 16].
QString shape(const Json& dims) {
    QStringList parts;
    for (const Json& dim : dims) parts << (dim.is_object() ? text(dim.value("symbol", Json("?"))) : text(dim));
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

/// Texts of a model's leaves, one list a row, below the title of their group.
struct Leaf {
    QString group, address;
    QStringList cells;
    std::vector<QVariant> raw;
};
void collect(const RowModel& model, const QModelIndex& parent, const QString& group, std::vector<Leaf>& leaves) {
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex index = model.index(i, 0, parent);
        if (model.rowCount(index) > 0) {
            // A module's row within a group belongs to the group.
            const bool module = parent.isValid() && model.row(index)->group;
            collect(model, index, module ? group : index.data().toString(), leaves);
            continue;
        }
        const Row* row = model.row(index);
        Leaf leaf{group, row->address, {}, {}};
        for (const Cell& cell : row->cells) {
            leaf.cells << cell.text;
            leaf.raw.push_back(cell.sort);
        }
        leaves.push_back(std::move(leaf));
    }
}
std::vector<Leaf> leavesOf(const RowModel& model) {
    std::vector<Leaf> leaves;
    collect(model, {}, {}, leaves);
    return leaves;
}

/// Rows of one group, as lines.
QStringList linesOf(const std::vector<Leaf>& leaves, const QString& group, const std::vector<int>& columns) {
    QStringList lines;
    for (const Leaf& leaf : leaves) {
        if (leaf.group != group) continue;
        QStringList parts;
        for (const int column : columns) parts << leaf.cells.value(column);
        lines << parts.join(QStringLiteral(" | "));
    }
    return lines;
}

QString inputGroup(const std::string& kind) {
    static const std::map<std::string, QString> groups{{"USER_INPUT", "Inputs of the caller"}, {"PARAMETER", "Parameters"}, {"BUFFER", "Buffers"},
                                                       {"CONSTANT_TENSOR", "Constants"},       {"CUSTOM_OBJ", "Objects"},   {"TOKEN", "Tokens"}};
    return groups.at(kind);
}
QString outputGroup(const std::string& kind) {
    static const std::map<std::string, QString> groups{{"USER_OUTPUT", "Outputs to the caller"},
                                                       {"BUFFER_MUTATION", "Changed buffers"},
                                                       {"USER_INPUT_MUTATION", "Changed inputs"},
                                                       {"TOKEN", "Tokens out"}};
    return groups.at(kind);
}

QString orDash(const Json& value) { return value.is_null() || (value.is_string() && value.empty()) ? QStringLiteral("—") : text(value); }

/// "2 ≤ s77 ≤ 1024", "s77 ≥ 2" and so on, as people write it; "—" without bounds.
QString bounds(const QString& symbol, const Json& low, const Json& high) {
    const bool l = low.is_number(), h = high.is_number();
    if (l && h) return QStringLiteral("%1 ≤ %2 ≤ %3").arg(text(low), symbol, text(high));
    if (l) return QStringLiteral("%1 ≥ %2").arg(symbol, text(low));
    if (h) return QStringLiteral("%1 ≤ %2").arg(symbol, text(high));
    return QStringLiteral("—");
}

}  // namespace

/// What the pages show of a file is what the command line says of it: both are read here, in a real window and from a real process.
class PageModelsTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    std::map<QString, Json> inspected_;
    // Of the row's file: what the command line says, and the window on it.
    const Json* facts_ = nullptr;
    std::unique_ptr<MainWindow> window_;
    DocumentView* view_ = nullptr;

    const Json& inspect(const QString& file) {
        const auto found = inspected_.find(file);
        if (found != inspected_.end()) return found->second;
        QProcess process;
        process.start(pt2::tests::builtProgram("pt2"), {"inspect", "--json", file});
        if (!process.waitForFinished(60'000)) return inspected_[file];
        const QByteArray out = process.readAllStandardOutput();
        return inspected_[file] = Json::parse(out.constData(), out.constData() + out.size(), nullptr, false);
    }

    template <typename T>
    T* pageOf(DocumentView& view, const QString& key) {
        view.showPage(key);
        return qobject_cast<T*>(view.currentPage());
    }

    static void files() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"2.13.0/tiny.pt2", "2.13.0/encoder.pt2", "2.13.0/multi_program.pt2", "2.13.0/aoti/two_models.pt2",
                                 "2.13.0/aoti/combined.pt2", "damaged/w_offset_oob.pt2", "damaged/no_weights_config.pt2"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }

    /// The pages show another model when its contract is made.
    bool choose(const std::string& model) {
        view_->session().setModel(model);
        return QTest::qWaitFor([this, &model] { return view_->session().model() == model && window_->settled(); }, 10'000);
    }

    static QStringList modelsOf(const Json& facts) {
        QStringList names;
        for (const char* part : {"programs", "compiled"}) {
            for (const auto& [name, value] : facts[part].items()) {
                if (!names.contains(QString::fromStdString(name))) names << QString::fromStdString(name);
            }
        }
        return names;
    }

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here; the pages are not compared with the command line.");
        Theme::instance().apply(ThemeChoice::Light);
        registerPages(registry_);
    }

    void init() {
        QFETCH(const QString, file);
        const QString path = tests::corpus() + u'/' + file;
        facts_ = &inspect(path);
        QVERIFY(facts_->is_object());
        window_ = std::make_unique<MainWindow>(registry_);
        window_->resize(1440, 900);
        window_->show();
        view_ = window_->openFile(path);
        QVERIFY(QTest::qWaitFor([this] { return view_->session().state() == DocumentSession::State::Ready && window_->settled(); }, 20'000));
    }
    void cleanup() { window_.reset(); }

    void everyModelOfTheFileCanBeChosen_data() { files(); }
    void everyModelOfTheFileCanBeChosen() {
        const Json& facts = *facts_;
        DocumentView* view = view_;
        QStringList offered;
        for (const std::string& name : view->session().document().modelNames()) offered << QString::fromStdString(name);
        QStringList expected = modelsOf(facts);
        offered.sort();
        expected.sort();
        QCOMPARE(offered, expected);
    }

    void theKernelsAreThoseOfTheCommandLine_data() { files(); }
    void theKernelsAreThoseOfTheCommandLine() {
        for (const QString& model : modelsOf(*facts_)) {
            if (!(*facts_)["compiled"].contains(model.toStdString())) continue;
            QVERIFY(choose(model.toStdString()));
            auto* page = pageOf<KernelsPage>(*view_, "kernels");
            QVERIFY(page != nullptr);
            QTRY_VERIFY_WITH_TIMEOUT(page->settled(), 10'000);
            QProcess process;
            process.start(pt2::tests::builtProgram("pt2"), {"kernels", "--json", "--model", model, view_->session().path()});
            QVERIFY(process.waitForFinished(60'000));
            const Json told = Json::parse(process.readAllStandardOutput().toStdString(), nullptr, false);
            const std::vector<Leaf> leaves = leavesOf(page->model());
            QCOMPARE(leaves.size(), told.size());
            for (std::size_t i = 0; i < leaves.size(); ++i) {
                QCOMPARE(leaves[i].cells.value(0), QString::number(i + 1));
                QCOMPARE(leaves[i].cells.value(1), text(told[i]["name"]).remove("aoti_torch_cpu_"));
                QCOMPARE(page->kernels()->links[i].size(), told[i]["links"].size());
                QCOMPARE(leaves[i].cells.value(2) == "unknown",
                         told[i]["links"].empty() && (page->kernels()->program || told[i]["source_nodes"].empty()));
            }
            // What a screen reader is told of the first call.
            auto* table = page->findChild<DataTable*>("kernelCalls");
            QVERIFY(table != nullptr);
            QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(table);
            QVERIFY(spoken != nullptr);
            QCOMPARE(spoken->text(QAccessible::Name), QString("Kernel calls"));
            QVERIFY(!page->findChild<CodeView*>()->text().isEmpty());
        }
    }

    void theSignatureShowsEveryInputAndOutput_data() { files(); }
    void theSignatureShowsEveryInputAndOutput() {
        const Json& facts = *facts_;
        DocumentView* view = view_;
        for (const QString& model : modelsOf(facts)) {
            QVERIFY(choose(model.toStdString()));
            auto* page = pageOf<SignaturePage>(*view, "signature");
            QVERIFY(page != nullptr);
            const std::vector<Leaf> leaves = leavesOf(page->model());
            std::map<QString, QStringList> expected;
            const std::string name = model.toStdString();
            if (facts["programs"].contains(name)) {
                const Json& program = facts["programs"][name];
                for (const Json& input : program["inputs"]) {
                    expected[inputGroup(input["kind"])]
                        << QStringList{text(input["name"]), orDash(input["target"]), text(input["dtype"]), shape(input["shape"])}.join(
                               QStringLiteral(" | "));
                }
                for (const Json& output : program["outputs"]) {
                    expected[outputGroup(output["kind"])]
                        << QStringList{text(output["name"]), orDash(output["target"]), text(output["dtype"]), shape(output["shape"])}.join(
                               QStringLiteral(" | "));
                }
                // Ranges stand beside the inputs whose shapes hold the symbol.
                for (const Leaf& leaf : leaves) {
                    for (const auto& [symbol, range] : program["range_constraints"].items()) {
                        const QString s = QString::fromStdString(symbol);
                        if (leaf.cells.value(4) == s || leaf.cells.value(4).contains(QRegularExpression(QStringLiteral("\\b%1\\b").arg(s))))
                            QVERIFY2(leaf.cells.value(5).contains(bounds(s, range[0], range[1])), qPrintable(leaf.cells.join(" | ")));
                    }
                }
            } else {
                const Json& compiled = facts["compiled"][name];
                for (const Json& input : compiled["inputs"]) {
                    expected["Inputs of the compiled model"]
                        << QStringList{text(input["name"]), QStringLiteral("—"), text(input["dtype"]), shape(input["sizes"])}.join(
                               QStringLiteral(" | "));
                }
                for (const Json& output : compiled["outputs"]) {
                    expected["Outputs of the compiled model"]
                        << QStringList{text(output["name"]), QStringLiteral("—"), text(output["dtype"]), shape(output["sizes"])}.join(
                               QStringLiteral(" | "));
                }
                for (const Json& constant : compiled["constants"]) {
                    expected["Constants of the compiled model"]
                        << QStringList{text(constant["name"]), orDash(constant["fqn"]), text(constant["dtype"]), shape(constant["shape"])}.join(
                               QStringLiteral(" | "));
                }
                const std::vector<Leaf> all = leaves;
                for (const Json& input : compiled["inputs"]) {
                    for (const Json& size : input["sizes"]) {
                        if (!size.is_object()) continue;
                        QString range = bounds(text(size["symbol"]), size.value("min", Json()), size.value("max", Json()));
                        if (range == QStringLiteral("—")) range = QStringLiteral("not checked");  // the code has no test of it
                        QVERIFY2(std::any_of(all.begin(), all.end(),
                                             [&](const Leaf& leaf) {
                                                 return leaf.cells.value(0) == text(input["name"]) && leaf.cells.value(5).contains(range);
                                             }),
                                 qPrintable(range));
                    }
                }
            }
            std::size_t rows = 0;
            for (const auto& [group, lines] : expected) {
                QCOMPARE(linesOf(leaves, group, {0, 2, 3, 4}), lines);
                rows += static_cast<std::size_t>(lines.size());
            }
            QCOMPARE(leaves.size(), rows);
        }
    }

    void filesShowsEveryMemberWithItsSize_data() { files(); }
    void filesShowsEveryMemberWithItsSize() {
        const Json& facts = *facts_;
        DocumentView* view = view_;
        auto* page = pageOf<FilesPage>(*view, "files");
        QVERIFY(page != nullptr);
        std::map<QString, double> shown, expected;
        for (const Leaf& leaf : leavesOf(page->model())) shown[leaf.address] = leaf.raw.at(1).toDouble();
        const QString root = facts["root"].is_string() && !facts["root"].empty() ? text(facts["root"]) + u'/' : QString();
        for (const Json& member : facts["members"]) {
            QString name = text(member["name"]);
            if (name.endsWith(u'/')) continue;
            if (name.startsWith(root)) name = name.mid(root.size());
            expected[QStringLiteral("file/") + name] = member["size"].get<double>();
        }
        QVERIFY(!expected.empty());
        QCOMPARE(shown, expected);
    }

    void problemsShowsEveryIssueWithItsAdvice_data() { files(); }
    void problemsShowsEveryIssueWithItsAdvice() {
        const Json& facts = *facts_;
        DocumentView* view = view_;
        auto* page = pageOf<ProblemsPage>(*view, "problems");
        QVERIFY(page != nullptr);
        QStringList shown, expected;
        const RowModel& model = page->model();
        for (const Leaf& leaf : leavesOf(model)) {
            const Row* row = model.row(model.indexOfAddress(leaf.address));
            shown << QStringList{row->cells.at(0).icon, leaf.cells.at(0), row->cells.at(0).second, leaf.cells.at(1)}.join(QStringLiteral(" | "));
        }
        for (const Json& issue : facts["issues"]) {
            const std::string severity = issue["severity"];
            const State state = severity == "error" ? State::Error : severity == "warning" ? State::Warning : State::Info;
            const QString where =
                issue["where"].is_string() && !issue["where"].get<std::string>().empty() ? text(issue["where"]) : text(issue["code"]);
            const QString help =
                issue["help"].is_string() && !issue["help"].get<std::string>().empty() ? text(issue["help"]) : QStringLiteral("nothing to do");
            expected << QStringList{stateIcon(state), text(issue["message"]), where, help}.join(QStringLiteral(" | "));
        }
        shown.sort();
        expected.sort();
        QCOMPARE(shown, expected);
        QFETCH(const QString, file);
        if (file.startsWith("damaged/")) QVERIFY(!expected.isEmpty());
    }

    void theOverviewCountsWhatTheFileHolds_data() { files(); }
    void theOverviewCountsWhatTheFileHolds() {
        const Json& facts = *facts_;
        DocumentView* view = view_;
        for (const QString& model : modelsOf(facts)) {
            QVERIFY(choose(model.toStdString()));
            auto* page = pageOf<OverviewPage>(*view, "overview");
            QVERIFY(page != nullptr);
            auto* numbers = page->findChild<NumberStrip*>();
            QVERIFY(numbers != nullptr);
            QStringList tooltips, values;
            for (const NumberStrip::Item& item : numbers->items()) {
                tooltips << item.tooltip;
                values << item.value + u' ' + item.unit;
            }
            const std::string name = model.toStdString();
            const bool hasProgram = facts["programs"].contains(name), hasCompiled = facts["compiled"].contains(name);
            std::uint64_t parameters = 0, others = 0, tensors = 0;
            const auto add = [&](const Json& tensor, bool parameter) {
                if (!tensor.contains("shape") || !tensor["shape"].is_array()) return;
                std::uint64_t n = 1;
                for (const Json& size : tensor["shape"]) n *= size.get<std::uint64_t>();
                (parameter ? parameters : others) += n;
                ++tensors;
            };
            if (hasProgram) {
                const Json& program = facts["programs"][name];
                QVERIFY2(tooltips.contains(QStringLiteral("%1 nodes with all subgraphs").arg(toQt(formatCount(program["node_count_total"])))),
                         qPrintable(tooltips.join('\n')));
                std::set<std::string> named;
                for (const Json& input : program["inputs"]) {
                    if (input["kind"] == "PARAMETER") named.insert(input["target"].get<std::string>());
                }
                for (const char* part : {"weights", "constants"}) {
                    for (const auto& [fqn, weight] : program[part].items()) add(weight, named.count(fqn) > 0);
                }
            } else {
                for (const Json& constant : facts["compiled"][name]["constants"]) add(constant, constant["kind"] == "Parameter");
            }
            const QString weights = QStringLiteral("%1 elements in parameters, %2 in buffers and constants, %3 tensors in all")
                                        .arg(toQt(formatCount(parameters)), toQt(formatCount(others)), toQt(formatCount(tensors)));
            QVERIFY2(tooltips.join('\n').contains(weights), qPrintable(weights + " is not in\n" + tooltips.join('\n')));
            QVERIFY(values.contains(toQt(formatCountShort(parameters)) + " params"));
            QVERIFY2(tooltips.contains(QStringLiteral("%1 bytes").arg(toQt(formatCount(facts["file"]["size"])))), qPrintable(tooltips.join('\n')));
            if (hasCompiled) {
                const Json& kernels = facts["compiled"][name]["kernels"];
                QVERIFY2(values.contains(kernels.is_number() ? QStringLiteral("%1 kernel call%2").arg(text(kernels), kernels == 1 ? "" : "s")
                                                             : QStringLiteral("? kernel calls")),
                         qPrintable(values.join('\n')));
            }

            // The contract: what the caller gives, with ranges of the program and of the compiled code.
            auto* card = page->findChild<ContractCard*>();
            QVERIFY(card != nullptr);
            const std::vector<Leaf> leaves = leavesOf(card->model());
            QStringList inputs;
            if (hasProgram) {
                for (const Json& input : facts["programs"][name]["inputs"]) {
                    if (input["kind"] == "USER_INPUT") inputs << text(input["dtype"]) + QStringLiteral(" | ") + shape(input["shape"]);
                }
                for (const auto& [symbol, range] : facts["programs"][name]["range_constraints"].items()) {
                    const QString s = QString::fromStdString(symbol);
                    const auto row = std::find_if(leaves.begin(), leaves.end(),
                                                  [&](const Leaf& leaf) { return leaf.group == "Dynamic sizes" && leaf.cells.value(0) == s; });
                    QVERIFY2(row != leaves.end(), symbol.c_str());
                    QVERIFY(row->cells.value(4).startsWith(text(range[0]) + QStringLiteral(" … ")));
                    if (range[1].is_number()) QCOMPARE(row->cells.value(4), QStringLiteral("%1 … %2").arg(text(range[0]), text(range[1])));
                }
            } else {
                for (const Json& input : facts["compiled"][name]["inputs"])
                    inputs << text(input["dtype"]) + QStringLiteral(" | ") + shape(input["sizes"]);
            }
            QCOMPARE(linesOf(leaves, "Inputs", {2, 3}), inputs);
        }
    }

    void theGraphHoldsEveryNodeAndTheInspectorEveryValue_data() { files(); }
    void theGraphHoldsEveryNodeAndTheInspectorEveryValue() {
        const Json& facts = *facts_;
        DocumentView* view = view_;
        for (const QString& model : modelsOf(facts)) {
            const std::string name = model.toStdString();
            if (!facts["programs"].contains(name)) continue;
            QVERIFY(choose(name));
            auto* page = pageOf<GraphPage>(*view, "graph");
            QVERIFY(page != nullptr);
            QTRY_VERIFY_WITH_TIMEOUT(window_->settled(), 10'000);
            auto* depth = page->findChild<SegmentedSwitch*>();
            QVERIFY(depth != nullptr);
            depth->setFocus();
            for (int i = 0; i < 3; ++i) QTest::keyClick(depth, Qt::Key_Right);
            QCOMPARE(depth->current(), 3);
            // Equal neighbours are one box unless they are shown apart.
            for (QCheckBox* choice : page->findChildren<QCheckBox*>()) {
                choice->setFocus();
                if (choice->isChecked()) QTest::keyClick(choice, Qt::Key_Space);
            }
            QTRY_VERIFY_WITH_TIMEOUT(page->settled() && page->canvas()->scene() != nullptr, 10'000);

            const Json& program = facts["programs"][name];
            const GraphScene& scene = *page->canvas()->scene();
            std::map<std::string, std::size_t> operators;
            std::size_t nodes = 0;
            for (const LayoutBox& box : scene.layout().boxes) {
                for (const LayoutRow& row : box.rows) {
                    ++operators[std::string(scene.program().node(row.node).target)];
                    ++nodes;
                }
            }
            // An operator whose subgraphs are open is the frame around them, not a row.
            for (const LayoutGroup& group : scene.layout().groups) {
                if (group.node == kNone) continue;
                ++operators[std::string(scene.program().node(group.node).target)];
                ++nodes;
            }
            QCOMPARE(nodes, program["node_count_total"].get<std::size_t>());
            std::map<std::string, std::size_t> expected;
            for (const auto& [target, n] : program["op_histogram_total"].items()) expected[target] = n.get<std::size_t>();
            QCOMPARE(operators, expected);

            for (const auto& [value, meta] : program["values"].items()) {
                Address address;
                address.kind = Address::Kind::Value;
                address.model = name;
                address.name = value;
                view->session().select(address);
                const InspectorFacts said = inspectorFacts(view->session(), address);
                QVERIFY2(!said.empty(), value.c_str());
                if (!meta.contains("shape") || !meta["shape"].is_array()) continue;
                const auto id = scene.program().findValue(0, value);
                QVERIFY(id);
                QCOMPARE(typeWords(scene.program(), scene.program().value(*id)), text(meta["dtype"]) + u' ' + shape(meta["shape"]));
            }
        }
    }
};

QTEST_MAIN(PageModelsTest)
#include "tst_page_models.moc"

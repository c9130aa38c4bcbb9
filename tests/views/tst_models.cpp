#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSignalSpy>
#include <QtTest>
#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/corpus.h"
#include "views/files/member_tree.h"
#include "views/frame/document_session.h"
#include "views/overview/contract_card.h"
#include "views/overview/overview_facts.h"
#include "views/problems/issue_facts.h"
#include "views/signature/signature_facts.h"
#include "views/widgets/data_table.h"
#include "views/widgets/syntax.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::views;

namespace {

Row row(const QString& text, std::vector<Row> children = {}) {
    Row made;
    made.cells = {Cell(text), Cell::number(QString::number(text.size()), static_cast<double>(text.size()))};
    made.address = QStringLiteral("row/") + text;
    made.children = std::move(children);
    return made;
}

std::vector<Column> twoColumns() { return {{QStringLiteral("Name"), 100, false, true, {}}, {QStringLiteral("Length"), 60, true, false, {}}}; }

/// Text of every row, children indented by their depth.
QStringList lines(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0) {
    QStringList all;
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex index = model.index(i, 0, parent);
        all << QString(2 * depth, u' ') + index.data().toString();
        all << lines(model, index, depth + 1);
    }
    return all;
}

std::unique_ptr<DocumentSession> opened(const QString& path) {
    auto session = std::make_unique<DocumentSession>(path);
    session->open();
    QElapsedTimer timer;
    timer.start();
    while (session->state() == DocumentSession::State::Opening && timer.elapsed() < 60000) QTest::qWait(5);
    return session;
}

}  // namespace

class TestModels : public QObject {
    Q_OBJECT
private slots:
    void aRowModelKeepsTheProtocol() {
        RowModel model(twoColumns());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setRows({row("a", {row("bb", {row("ccc")}), row("d")}), row("eeee")});
        QCOMPARE(lines(model), QStringList({"a", "  bb", "    ccc", "  d", "eeee"}));
        QCOMPARE(model.indexOfAddress("row/ccc").data().toString(), QStringLiteral("ccc"));
        QCOMPARE(model.indexOfAddress("row/ccc").parent().parent().data().toString(), QStringLiteral("a"));
        QVERIFY(!model.indexOfAddress("row/none").isValid());
        model.setRows({row("x")});
        QCOMPARE(lines(model), QStringList({"x"}));
    }

    void aFilterKeepsParentsOfHitsAndSortsByRawValue() {
        RowModel model(twoColumns());
        RowFilter filter;
        QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        filter.setSourceModel(&model);
        model.setRows({row("group", {row("ten letters"), row("two")}), row("other")});
        filter.setText(QStringLiteral("letters"));
        QCOMPARE(lines(filter), QStringList({"group", "  ten letters"}));
        filter.setText(QStringLiteral("ten LETTERS"));
        QCOMPARE(lines(filter), QStringList({"group", "  ten letters"}));
        filter.setText({});
        model.setRows({row("aaaaaaaaaaaa"), row("bb"), row("c")});
        filter.sort(1, Qt::AscendingOrder);
        QCOMPARE(lines(filter), QStringList({"c", "bb", "aaaaaaaaaaaa"}));
        filter.sort(-1);
        QCOMPARE(lines(filter), QStringList({"aaaaaaaaaaaa", "bb", "c"}));
    }

    void aTableFitsItsRows() {
        RowModel model(twoColumns());
        DataTable table;
        table.setSource(&model);
        table.setFitToRows(true);
        const int empty = table.sizeHint().height();
        model.setRows({row("a"), row("b")});
        QCOMPARE(table.sizeHint().height(), empty + 2 * table.rowHeight());
    }

    void symbolsAreSetInItalics() {
        QCOMPARE(symbolHtml("[s77, 5]"), QStringLiteral("[<i>s77</i>, 5]"));
        QCOMPARE(symbolHtml("2*s0 + u12 <= 4"), QStringLiteral("2*<i>s0</i> + <i>u12</i> &lt;= 4"));
        QCOMPARE(symbolHtml("conv_s1 x.s2 s s3x"), QStringLiteral("conv_s1 x.s2 s s3x"));
    }

    void rangesAreWrittenWithoutNonsenseBounds() {
        QCOMPARE(tightRange({1, 16}), QStringLiteral("1 … 16"));
        QCOMPARE(tightRange({2, std::numeric_limits<std::int64_t>::max()}), QStringLiteral("2 … no upper limit"));
        QCOMPARE(tightRange({std::nullopt, std::nullopt}), QStringLiteral("no limit"));
        QCOMPARE(rangeWithSymbol("s0", {2, std::nullopt}), QStringLiteral("s0 ≥ 2"));
        // Of what the code tests, an open side is one that is not tested.
        QCOMPARE(testedRange({1, 16}), QStringLiteral("1 … 16"));
        QCOMPARE(testedRange({2, std::nullopt}), QStringLiteral("2 … not checked"));
        QCOMPARE(testedRange({std::nullopt, 16}), QStringLiteral("not checked … 16"));
        QCOMPARE(testedRange({}), QStringLiteral("not checked"));
        QCOMPARE(testedWithSymbol("s0", {2, std::nullopt}), QStringLiteral("s0 ≥ 2, upper bound not checked"));
    }

    void jsonIsIndentedAndKeepsItsTokens() {
        QCOMPARE(indentJson("{\"a\":[1,2,{}],\"b\":\"x,{\\\"y\"}", 1000),
                 std::string("{\n  \"a\": [\n    1,\n    2,\n    {}\n  ],\n  \"b\": \"x,{\\\"y\"\n}"));
        QCOMPARE(indentJson("]]]}", 1000), std::string("\n]\n]\n]\n}"));
        QVERIFY(indentJson(std::string(100000, '['), 1 << 20).size() <= (1u << 20) + 256);
    }

    void codeIsColouredAcrossLines() {
        LineState state = LineState::Code;
        const auto first = tokenize(Language::Cpp, u"int x = 5; /* open", state);
        QCOMPARE(state, LineState::BlockComment);
        QCOMPARE(first.front().role, Role::CodeType);
        const auto second = tokenize(Language::Cpp, u"still */ return f(\"s\");", state);
        QCOMPARE(state, LineState::Code);
        QCOMPARE(second.front().role, Role::CodeComment);
        QCOMPARE(second[1].role, Role::CodeKeyword);
        QCOMPARE(second[2].role, Role::CodeFunction);
        QCOMPARE(second[3].role, Role::CodeString);
    }

    void everyPageModelOfRealFilesKeepsTheProtocol_data() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"2.13.0/tiny.pt2", "2.13.0/encoder.pt2", "2.13.0/multi_program.pt2", "2.13.0/aoti/two_models.pt2",
                                 "2.13.0/aoti/combined.pt2", "2.13.0/pytree_inputs.pt2", "damaged/w_offset_oob.pt2"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    void everyPageModelOfRealFilesKeepsTheProtocol() {
        QFETCH(QString, file);
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree; models of real files are not tested.");
        const auto session = opened(corpus + u'/' + file);
        if (session->state() != DocumentSession::State::Ready) QSKIP("This file cannot be opened.");
        const std::vector<std::pair<std::vector<Column>, std::vector<Row>>> all = {
            {signatureColumns(), signatureRows(*session)},
            {memberColumns(), memberTree(*session->document().primary)},
            {twoColumns(), issueRows(session->issues(), true, true, true)},
            {std::vector<Column>(6), contractRows(*session)},
            {twoColumns(), callRows(*session)},
        };
        for (const auto& [columns, rows] : all) {
            RowModel model(columns);
            QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
            model.setRows(rows);
            RowFilter filter;
            filter.setSourceModel(&model);
            filter.setText(QStringLiteral("e"));
        }
    }

    void longTextsGiveWayBeforeShortOnes() {
        const auto sum = [](const std::vector<int>& widths) { return std::accumulate(widths.begin(), widths.end(), 0); };
        const std::vector<int> wanted{80, 600, 90, 300}, least{60, 120, 60, 100};
        QCOMPARE(DataTable::shareWidth(wanted, least, 2000), wanted);
        for (const int room : {1000, 800, 600, 420}) {
            const std::vector<int> widths = DataTable::shareWidth(wanted, least, room);
            QVERIFY(sum(widths) <= room && sum(widths) > room - 4);
            QCOMPARE(widths[0], 80);  // a short one is whole while a long one can give
            QCOMPARE(widths[2], 90);
            QVERIFY(widths[1] >= widths[3]);
        }
        const std::vector<int> none = DataTable::shareWidth(wanted, least, 10);
        for (std::size_t i = 0; i < none.size(); ++i) QVERIFY(none[i] <= wanted[i] && none[i] >= std::min(wanted[i], least[i]));
        QVERIFY(DataTable::shareWidth({}, {}, 100).empty());
    }

    void aShortColumnIsNotCutBesideALongOne() {
        RowModel model({{QStringLiteral("Name"), 150, false, true, {}},
                        {QStringLiteral("Target"), 220, false, false, {}},
                        {QStringLiteral("Range"), 120, false, false, {}}});
        Row row;
        row.cells = {Cell::fixed(QStringLiteral("p_layers_0_self_attn_in_proj_weight")),
                     Cell::fixed(QStringLiteral("layers.0.self_attn.in_proj_weight_of_a_long_name")), Cell::shape(QStringLiteral("1 ≤ s77 ≤ 1024"))};
        model.setRows({row});
        DataTable table;
        table.setSource(&model);
        table.resize(460, 200);
        table.show();
        QVERIFY(table.header()->sectionSize(2) >= symbolTextWidth(QStringLiteral("1 ≤ s77 ≤ 1024"), codeFont()) + 16);
        QVERIFY(table.header()->length() <= table.viewport()->width());
    }

    void theModelIsChangedInTheBackground() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree.");
        const auto session = opened(corpus + "/2.13.0/multi_program.pt2");
        const std::vector<std::string> names = session->document().modelNames();
        QVERIFY(names.size() > 1);
        const std::string before = session->model(), other = names.front() == before ? names.back() : names.front();
        QSignalSpy changed(session.get(), &DocumentSession::documentChanged);
        session->setModel(other);
        QCOMPARE(session->model(), before);  // until its contract is made
        QVERIFY(session->jobs().isRunning(QStringLiteral("model")));
        QTRY_COMPARE(changed.count(), 1);
        QCOMPARE(session->model(), other);
        QCOMPARE(session->contract()->model, other);
        session->setModel("none of them");
        QTRY_VERIFY(session->jobs().isIdle());
        QCOMPARE(session->model(), other);
        // The last of several wishes counts.
        session->setModel(before);
        session->setModel(names[1]);
        session->open();
        QTRY_VERIFY(session->jobs().isIdle());
        QTRY_COMPARE(session->model(), names[1]);
        QCOMPARE(session->contract()->model, names[1]);
    }

    void theOverviewSaysWhatChangesDuringARun_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("buffers");
        QTest::newRow("a trained batch norm") << "conv_bn_train" << 3;
        QTest::newRow("a cache") << "kv_cache" << 2;
        QTest::newRow("a counter") << "attr_mutation" << 1;
        QTest::newRow("a batch norm in use") << "conv_bn_eval" << 0;
        QTest::newRow("no buffers") << "tiny" << 0;
    }
    void theOverviewSaysWhatChangesDuringARun() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree.");
        QFETCH(const QString, file);
        QFETCH(const int, buffers);
        const auto session = opened(corpus + QStringLiteral("/2.13.0/%1.pt2").arg(file));
        QStringList said;
        for (const Statement& statement : contractStatements(*session)) said << statement.text;
        const QString expected = buffers == 0   ? QStringLiteral("No buffer changes during a run")
                                 : buffers == 1 ? QStringLiteral("1 buffer changes during a run")
                                                : QStringLiteral("%1 buffers change during a run").arg(buffers);
        QVERIFY2(said.contains(expected), qPrintable(said.join(u'\n')));
    }

    void theOverviewSaysThatAnOperatorLibraryIsNeeded() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree.");
        const QString words = QStringLiteral("1 operator needs a library of its own");
        const auto said = [&](const char* file) {
            const auto session = opened(corpus + QLatin1String(file));
            for (const Statement& statement : contractStatements(*session)) {
                if (statement.text.contains(QStringLiteral("librar"))) return statement;
            }
            return Statement{};
        };
        const Statement custom = said("/2.13.0/custom_op.pt2");
        QCOMPARE(custom.text, words);
        QVERIFY(!custom.holds);
        QVERIFY2(custom.tooltip.contains(QStringLiteral("corpus::scale_shift")), qPrintable(custom.tooltip));
        QCOMPARE(said("/2.13.0/tiny.pt2").text, QString());
    }

    void theMakersOwnMetadataIsTold() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree.");
        const auto own = userMetadata(*opened(corpus + "/2.13.0/aoti/metadata.pt2"));
        QVERIFY(own.size() >= 2);
        for (const auto& [key, value] : own) QVERIFY2(!key.starts_with("AOTI_") && !value.empty(), key.c_str());
        QVERIFY(userMetadata(*opened(corpus + "/2.13.0/aoti/mlp2.pt2")).empty());
    }

    void everyMemberIsInTheTreeOnce() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree.");
        const auto session = opened(corpus + "/2.13.0/aoti/combined.pt2");
        QCOMPARE(session->state(), DocumentSession::State::Ready);
        RowModel model(memberColumns());
        model.setRows(memberTree(*session->document().primary));
        const Archive& archive = session->document().primary->archive();
        for (MemberIndex i = 0; i < archive.members().size(); ++i) {
            if (archive.members()[i].isDirectory) continue;
            QVERIFY(model.indexOfAddress(QStringLiteral("file/") + toQt(archive.nameBelowRoot(i))).isValid());
        }
    }

    void everySpecIsInTheSignature() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not beside the source tree.");
        for (const char* name : {"tiny", "encoder", "state_wide", "outputs_mixed", "torchbind"}) {
            const auto session = opened(corpus + QStringLiteral("/2.13.0/%1.pt2").arg(QLatin1String(name)));
            QCOMPARE(session->state(), DocumentSession::State::Ready);
            std::size_t specs = 0;
            RowModel model(signatureColumns());
            model.setRows(signatureRows(*session));
            std::vector<QModelIndex> open{QModelIndex()};
            while (!open.empty()) {  // long lists have a row for each module
                const QModelIndex parent = open.back();
                open.pop_back();
                for (int i = 0; i < model.rowCount(parent); ++i) {
                    const QModelIndex index = model.index(i, 0, parent);
                    if (model.row(index)->group) {
                        open.push_back(index);
                    } else {
                        ++specs;
                    }
                }
            }
            QCOMPARE(specs, session->program()->inputSpecs().size() + session->program()->outputSpecs().size());
        }
    }
};

QTEST_MAIN(TestModels)
#include "tst_models.moc"

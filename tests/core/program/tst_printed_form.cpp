#include "core/base/hash.h"

#include <algorithm>
#include "core/program/printed_form.h"
#include "core/program/printed_names.h"
#include "tests/core/program/corpus_programs.h"
#include "tests/places.h"

using namespace pt2;
using namespace pt2::tests;

class TestPrintedForm : public QObject {
    Q_OBJECT

    std::vector<CorpusProgram> programs_;

private slots:
    void initTestCase() { programs_ = corpusPrograms("2.13.0"); }

    void printsAsTorchPrints_data() {
        if (programs_.empty()) QSKIP("The corpus is not there: no print was compared with torch's.");
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(programs_.size()); ++i) QTest::newRow(programs_[static_cast<std::size_t>(i)].label().constData()) << i;
    }
    void printsAsTorchPrints() {
        QFETCH(int, index);
        const CorpusProgram& entry = programs_[static_cast<std::size_t>(index)];
        Issues issues;
        const auto program = openProgram(entry, issues);
        QVERIFY(program);
        const std::string readable = printReadable(*program);
        if (entry.facts["text"].is_string()) {
            const std::string wanted = entry.facts["text"];
            if (readable != wanted) {
                const std::size_t at =
                    static_cast<std::size_t>(std::mismatch(readable.begin(), readable.end(), wanted.begin(), wanted.end()).first - readable.begin());
                QFAIL(("found …" + readable.substr(at < 40 ? 0 : at - 40, 120) + "…\nwanted …" + wanted.substr(at < 40 ? 0 : at - 40, 120) + "…")
                          .c_str());
            }
        }
        QCOMPARE(sha256Hex(asBytes(printProgram(*program))), entry.facts["str_sha256"].get<std::string>());
    }

    void countsOfProgramsAreThoseOfTheCorpus() {
        if (programs_.empty()) QSKIP("The corpus is not there.");
        QVERIFY(programs_.size() >= 74);
    }

    void makesNamesUniqueAsTorchDoes() {  // format.md 2.8 "Name tables"
        NameTable names;
        QCOMPARE(names.request("x"), std::string("x"));
        QCOMPARE(names.request("x"), std::string("x_1"));
        QCOMPARE(names.request("x_1"), std::string("x_2"));
        QCOMPARE(names.request("input"), std::string("input_1"));
        QCOMPARE(names.request("input"), std::string("input_2"));
        QCOMPARE(names.request("a.b-ü c"), std::string("a_b_c"));
        QCOMPARE(names.request("7up"), std::string("_7up"));
        QCOMPARE(names.request(""), std::string("_unnamed"));
        QCOMPARE(names.request("_1"), std::string("_1"));
        QCOMPARE(names.request("a_1_2"), std::string("a_1_2"));
        QCOMPARE(names.request("a_1"), std::string("a_1"));
        QCOMPARE(names.request("from"), std::string("from_1"));
        QVERIFY(isReservedName("torch") && isReservedName("sum") && !isReservedName("relu"));
    }

    void printsTheReferenceExample() {  // format.md 2.8, the signature's forms
        QFile file(pt2::tests::sourceFile("tests/data/printed_reference.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        Issues issues;
        const auto bytes = asBytes(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        const auto program = Program::parse(ByteBuffer(bytes.begin(), bytes.end()), "example", issues);
        QVERIFY2(program, program ? "" : program.error().why.c_str());
        QCOMPARE(QString::fromStdString(printReadable(**program)),
                 QStringLiteral("class GraphModule(torch.nn.Module):\n"
                                "    def forward(self, input: \"f32[2]\", max: \"f32[2]\", device: \"f32[2]\", flag):\n"
                                "        input_1 = input\n"
                                "        max_1 = max\n"
                                "        device_1 = device\n"
                                "\n"
                                "        # File: model.py:7 in forward, code: return torch.relu(input)+max+device,5,2.5,None\n"
                                "        relu: \"f32[2]\" = torch.ops.aten.relu.default(input_1);  input_1 = None\n"
                                "        add: \"f32[2]\" = torch.ops.aten.add.Tensor(relu, max_1);  relu = max_1 = None\n"
                                "        add_1: \"f32[2]\" = torch.ops.aten.add.Tensor(add, device_1);  add = device_1 = None\n"
                                "        return (add_1, 5, 2.5, None)\n"));
        QCOMPARE(printSignature(**program),
                 std::string("\n# inputs\ninput: USER_INPUT\nmax: USER_INPUT\ndevice: USER_INPUT\nflag: USER_INPUT\n\n# outputs\n"
                             "add_1: USER_OUTPUT\n: USER_OUTPUT\n: USER_OUTPUT\n: USER_OUTPUT\n"));
        QCOMPARE(printRangeConstraints(**program), std::string("{}"));
    }
};

QTEST_GUILESS_MAIN(TestPrintedForm)
#include "tst_printed_form.moc"

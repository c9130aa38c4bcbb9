#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cstddef>
#include <set>
#include <string>

#include "tests/app/pt2_process.h"
#include "tests/corpus.h"
#include "tests/places.h"

using nlohmann::json;
using pt2::tests::corpus;

/// The command line as a contract: words, exits and JSON of cli.md, tried on the built pt2.
class CliTest : public QObject {
    Q_OBJECT

    static pt2::tests::Pt2 call(const QStringList& arguments, const QByteArray& input = {}) { return pt2::tests::pt2(arguments, input); }
    static QString file(const char* name) { return corpus() + "/2.13.0/" + name; }
    static QString tiny() { return file("tiny.pt2"); }

    /// At most three lines, the first of which begins with "pt2:".
    static bool isError(const QByteArray& text) {
        const QList<QByteArray> lines = text.trimmed().split('\n');
        int begin = 0;
        while (begin < lines.size() && lines[begin].startsWith("note: ")) ++begin;
        return begin < lines.size() && lines[begin].startsWith("pt2: ") && lines.size() - begin <= 3;
    }

private slots:
    void initTestCase() { QVERIFY2(QFile::exists(pt2::tests::builtProgram("pt2")), "pt2 is not built"); }

    void helpAndVersionAreExitZero() {
        const auto help = call({"--help"});
        QCOMPARE(help.exit, 0);
        for (const char* command :
             {"inspect", "print", "nodes", "signature", "ls", "cat", "extract", "find", "check", "run", "compare", "recompile", "doctor"}) {
            QVERIFY2(help.out.contains(command), command);
            const auto own = call({command, "--help"});
            QCOMPARE(own.exit, 0);
            QVERIFY(own.out.contains(command));
        }
        QVERIFY(call({"--version"}).out.startsWith("pt2 "));
        QCOMPARE(call({"--version"}).exit, 0);
        QVERIFY(call({"--version", "--json"}).json().is_object());
    }

    void aWrongLineIsExitTwo_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no command") << QStringList{};
        QTest::newRow("unknown command") << QStringList{"inspct", "x.pt2"};
        QTest::newRow("no file") << QStringList{"inspect"};
        QTest::newRow("unknown option") << QStringList{"inspect", "x.pt2", "--hahs"};
        QTest::newRow("one file too many") << QStringList{"print", "x.pt2", "y.pt2"};
        QTest::newRow("bad colour") << QStringList{"--color", "pink", "ls", "x.pt2"};
        QTest::newRow("bad format") << QStringList{"nodes", "x.pt2", "--format", "yaml"};
        QTest::newRow("no pattern") << QStringList{"find", "x.pt2"};
        QTest::newRow("no folder") << QStringList{"extract", "x.pt2"};
        QTest::newRow("size without value") << QStringList{"run", "x.pt2", "--size", "s77"};
        QTest::newRow("size that is no number") << QStringList{"run", "x.pt2", "--size", "s77=many"};
        QTest::newRow("input without spec") << QStringList{"check", "x.pt2", "--input", "x"};
        QTest::newRow("no reference") << QStringList{"compare", "x.pt2"};
        QTest::newRow("bad reference tolerance") << QStringList{"compare", "x.pt2", "--reference", "torch", "--rtol", "-1"};
        QTest::newRow("bad tolerance") << QStringList{"compare", "x.pt2", "--reference", "torch", "--tolerance", "a=b"};
        QTest::newRow("no output") << QStringList{"recompile", "x.pt2"};
        QTest::newRow("output that is no .pt2") << QStringList{"recompile", "x.pt2", "-o", "y.zip"};
        QTest::newRow("bad checks") << QStringList{"run", "x.pt2", "--runtime-checks", "maybe"};
        QTest::newRow("no device") << QStringList{"run", "x.pt2", "--device", "foo"};
        QTest::newRow("no device to compile for") << QStringList{"recompile", "x.pt2", "-o", "y.pt2", "--device", "cuda:x"};
        for (const char* value : {"nan", "inf", "-1", "1e999", "ten"}) {
            for (const char* option : {"--timeout", "--memory"}) QTest::addRow("%s %s", option, value) << QStringList{"run", "x.pt2", option, value};
            QTest::addRow("--atol %s", value) << QStringList{"compare", "x.pt2", "--reference", "torch", "--atol", value};
            QTest::addRow("--tolerance %s", value) << QStringList{"compare", "x.pt2",       "--reference",
                                                                  "torch",   "--tolerance", QString("a=1,%1").arg(value)};
        }
        for (const char* value : {"-1", "1.5", "99999999999999999999", "0x10", "many"}) {
            for (const char* option : {"--seed", "--warmup", "--repeat", "--steps", "--threads"})
                QTest::addRow("%s %s", option, value) << QStringList{"run", "x.pt2", option, value};
        }
        QTest::newRow("no steps") << QStringList{"run", "x.pt2", "--steps", "0"};
        for (const char* option : {"--save", "--device", "--model", "--inputs", "--with"})
            QTest::addRow("empty %s", option) << QStringList{"run", "x.pt2", option, ""};
        QTest::newRow("empty file") << QStringList{"inspect", ""};
        QTest::newRow("bad save format") << QStringList{"run", "x.pt2", "--save", "out.csv"};
    }
    void aWrongLineIsExitTwo() {
        QFETCH(QStringList, arguments);
        const auto plain = call(arguments);
        QCOMPARE(plain.exit, 2);
        QVERIFY(plain.out.isEmpty());
        QVERIFY2(isError(plain.error), plain.error.constData());
        const auto withJson = call(QStringList{"--json"} + arguments);
        QCOMPARE(withJson.exit, 2);
        const json document = withJson.json();
        QVERIFY(document.is_object());
        QCOMPARE(document["format"].dump(), std::string("1"));
        for (const char* key : {"code", "what", "where", "why", "help"}) QVERIFY2(document["error"][key].is_string(), key);
        QVERIFY(!document["error"]["code"].get<std::string>().empty());
    }

    void aPlaceThatCannotBeWrittenIsSaidBeforeAnythingIsDone() {
        const QTemporaryDir folder;
        const QString kept = folder.filePath("kept.npz"), missing = folder.filePath("missing/out.npz");
        QFile file(kept);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        // The file to run is not there: only its own error would come if the place were looked at afterwards.
        QCOMPARE(call({"run", "x.pt2", "--save", kept}).exit, 2);
        const auto nowhere = call({"run", "x.pt2", "--save", missing});
        QVERIFY2(nowhere.exit == 6 && nowhere.error.contains("does not exist"), nowhere.error.constData());
        QVERIFY(QDir().mkpath(folder.filePath("folder.npz")));
        QCOMPARE(call({"run", "x.pt2", "--save", folder.filePath("folder.npz"), "--force"}).exit, 6);
        QCOMPARE(QFileInfo(kept).size(), 4);
    }

    void misspellingsGetASuggestion() {
        QVERIFY(call({"inspct", "x.pt2"}).error.contains("Did you mean inspect?"));
        QVERIFY(call({"inspect", "x.pt2", "--hahs"}).error.contains("Did you mean --hash?"));
    }

    void wordsOfLaterAreRefusedAsNotThereYet_data() {
        QTest::addColumn<QStringList>("arguments");
        for (const char* command : {"layout", "replay", "snippet", "edit", "pack", "diff", "leaks"}) {
            QTest::newRow(command) << QStringList{command, "x.pt2"};
        }
        for (const char* option : {"--worker", "--bundle"}) {
            QTest::newRow(qPrintable(QString("run %1").arg(option))) << QStringList{"run", "x.pt2", option, "1"};
        }
        QTest::newRow("run --worker=") << QStringList{"run", "x.pt2", "--worker=ssh h"};
        QTest::newRow("run --engine eager") << QStringList{"run", "x.pt2", "--engine", "eager"};
        QTest::newRow("compare --cases") << QStringList{"compare", "x.pt2", "--reference", "torch", "--cases", "d"};
        QTest::newRow("compare --report") << QStringList{"compare", "x.pt2", "--reference", "torch", "--report", "r.html"};
    }
    void wordsOfLaterAreRefusedAsNotThereYet() {
        QFETCH(QStringList, arguments);
        const auto result = call(arguments);
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.error.contains("is not there yet"), result.error.constData());
        QCOMPARE(call(arguments + QStringList{"--json"}).json()["error"]["code"].dump(), std::string("\"command.not-yet\""));
    }

    void whatIsNoPt2IsExitThree_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << "/dev/null" << QByteArray();
        QTest::newRow("text") << QString() << QByteArray("hello, this is a text\n");
        QTest::newRow("html") << QString() << QByteArray("<!DOCTYPE html><html></html>");
        QTest::newRow("cut zip") << QString() << QByteArrayLiteral("PK\x03\x04 cut short");
        QTest::newRow("LFS pointer") << QString() << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    }
    void whatIsNoPt2IsExitThree() {
        QFETCH(QString, path);
        QFETCH(QByteArray, bytes);
        QTemporaryDir directory;
        if (path.isEmpty()) {
            path = directory.filePath("file.pt2");
            QFile out(path);
            QVERIFY(out.open(QIODevice::WriteOnly));
            out.write(bytes);
        }
        for (const char* command : {"inspect", "print", "nodes", "signature", "ls", "verify"}) {
            const auto result = call({command, path});
            QVERIFY2(result.exit == 3, command);
            QVERIFY2(isError(result.error), result.error.constData());
        }
        QCOMPARE(call({"verify", path, "--json"}).json()["ok"].dump(), std::string("false"));
    }

    void aMissingFileIsSaid() {
        const auto result = call({"inspect", "/nonexistent/file.pt2"});
        QVERIFY(result.exit == 3 || result.exit == 6);
        QVERIFY(result.error.contains("file.pt2"));
    }

    void inspectReadsLikeAPassport() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: inspect was not tried on tiny.pt2.");
        const auto result = call({"inspect", tiny()});
        QVERIFY2(result.exit == 0, result.error.constData());
        for (const char* text : {"exported program, no compiled model", "torch 2.13.0", "schema 8.20", "3 nodes", "x", "float32 [s77, 16]",
                                 "1 to 1024", "float32 [s77, 8]", "pt2 recompile"}) {
            QVERIFY2(result.out.contains(text), text);
        }
        QVERIFY(!result.out.contains('\x1b'));
        QVERIFY(call({"inspect", tiny(), "--color", "always"}).out.contains('\x1b'));
        QVERIFY(call({"inspect", tiny(), "--hash"}).out.contains("2168388a36f663068f828fef95ada54850090d8e749c8931cd486609aa4e09b6"));
    }

    void inspectKnowsEachModelByName() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: packages of several models were not tried.");
        const json two = call({"inspect", "--json", file("aoti/two_models.pt2")}).json();
        QVERIFY(two["compiled"].contains("model1") && two["compiled"].contains("model2"));
        const json one = call({"inspect", "--json", file("aoti/two_models.pt2"), "--model", "model2"}).json();
        QCOMPARE(one["compiled"].size(), std::size_t{1});
        const auto unknown = call({"inspect", file("aoti/two_models.pt2"), "--model", "model3"});
        QCOMPARE(unknown.exit, 2);
        QVERIFY(unknown.error.contains("model1"));
        const auto other = call({"print", file("multi_program.pt2"), "--model", "dir-b.v2"});
        QCOMPARE(other.exit, 0);
        QVERIFY(call({"print", file("multi_program.pt2"), "--model", "dir-b.v3"}).error.contains("dir-b.v2"));
    }

    void globalOptionsStandBeforeAndAfterTheCommand() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: global options were not tried.");
        QCOMPARE(call({"--json", "ls", tiny()}).out, call({"ls", tiny(), "--json"}).out);
        QCOMPARE(call({"-q", "--json", "inspect", tiny()}).out, call({"inspect", "--json", tiny(), "-q"}).out);
    }

    void standardInputIsAFile() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: standard input was not tried.");
        QFile in(tiny());
        QVERIFY(in.open(QIODevice::ReadOnly));
        const QByteArray bytes = in.readAll();
        QCOMPARE(call({"print", "-"}, bytes).out, call({"print", tiny()}).out);
        QCOMPARE(call({"inspect", "-"}, bytes).exit, 0);
    }

    void runningStandardInputSaysWhereItIsKept() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: standard input was not tried.");
        QFile in(file("aoti/mlp2.pt2"));
        QVERIFY(in.open(QIODevice::ReadOnly));
        // Inputs that break the contract: nothing is run, so this holds without a run engine.
        const auto piped = call({"run", "-", "--input", "0=randn[8,11]"}, in.readAll());
        QCOMPARE(piped.exit, 1);
        QVERIFY2(piped.error.contains("note: Standard input is kept in a temporary file"), piped.error.constData());
        QVERIFY(!call({"run", in.fileName(), "--input", "0=randn[8,11]"}).error.contains("temporary file"));
    }

    void operatorsOfOtherLibrariesAreNamed() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: custom operators were not tried.");
        const QByteArray custom = call({"inspect", file("custom_op.pt2")}).out;
        QVERIFY2(custom.contains("the operator library that has corpus::scale_shift"), custom.constData());
        QVERIFY(custom.contains("issues       none"));
        const json names = call({"inspect", "--json", file("custom_op.pt2")}).json()["programs"]["model"]["custom_operators"];
        QCOMPARE(names, json::array({"corpus::scale_shift"}));
        // Operators of torch's own namespaces are none, higher-order and symbolic ones included.
        for (const char* name : {"tiny.pt2", "cond.pt2", "while_loop.pt2", "sym_scalars.pt2", "cond_nested.pt2"}) {
            if (!QFile::exists(file(name))) continue;
            QCOMPARE(call({"inspect", "--json", file(name)}).json()["programs"]["model"]["custom_operators"], json::array());
        }
    }

    void kernelsAreCountedAndExplainedAsInTheWindow() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: kernels were not tried.");
        const QList<QByteArray> lines = call({"kernels", file("aoti/combined.pt2")}).out.trimmed().split('\n');
        const json kernels = call({"kernels", "--json", file("aoti/combined.pt2")}).json();
        QCOMPARE(static_cast<std::size_t>(lines.size()), kernels.size() + 1);
        for (int i = 1; i < lines.size(); ++i) QCOMPARE(lines[i].trimmed().split(' ').front(), QByteArray::number(i));
        QByteArray words;
        for (const json& kernel : kernels) {
            for (const json& link : kernel["links"])
                words = link["by"] == "named" ? "named in the source" : link["by"] == "provenance" ? "recorded by torch" : "inferred";
        }
        QVERIFY(!words.isEmpty() && lines.join('\n').contains(words));
        QVERIFY(call({"kernels", file("aoti/mlp2.pt2")}).out.contains("named in the source"));
    }

    void anUnpackedFolderIsAFile() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: folders were not tried.");
        QTemporaryDir directory;
        const auto extracted = call({"extract", tiny(), "-C", directory.path()});
        QVERIFY2(extracted.exit == 0, extracted.error.constData());
        QVERIFY(QFile::exists(directory.filePath("tiny/models/model.json")));
        QCOMPARE(call({"print", directory.filePath("tiny")}).out, call({"print", tiny()}).out);
        QCOMPARE(call({"inspect", "--json", directory.filePath("tiny")}).json()["container"].dump(), std::string("\"folder\""));
        QCOMPARE(call({"extract", tiny(), "-C", directory.path()}).exit, 2);
        QCOMPARE(call({"extract", tiny(), "-C", directory.path(), "--force"}).exit, 0);
    }

    void membersAreListedAndShown() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: members were not tried.");
        const auto names = call({"ls", tiny()});
        QCOMPARE(names.exit, 0);
        QCOMPARE(names.out.trimmed().split('\n').size(), 11);
        const auto listed = call({"ls", "-l", tiny()});
        for (const char* text : {"SIZE", "OFFSET", "METHOD", "CRC32", "KIND", "program", "weights list", "sample inputs", "65fcef9a"}) {
            QVERIFY2(listed.out.contains(text), text);
        }
        QCOMPARE(call({"cat", tiny(), "byteorder"}).out, QByteArray("little"));
        QCOMPARE(call({"cat", tiny(), "tiny/archive_format"}).out, QByteArray("pt2"));
        QCOMPARE(call({"cat", tiny(), "weight_0"}).out.size(), 512);
        const auto unknown = call({"cat", tiny(), "weight_9"});
        QCOMPARE(unknown.exit, 2);
        QVERIFY(unknown.out.isEmpty());
        QCOMPARE(call({"cat", tiny(), "config.json"}).exit, 2);  // two members end so
        QCOMPARE(call({"extract", tiny(), "nothing", "-C", "/tmp"}).exit, 2);
        QCOMPARE(call({"cat", "--json", tiny(), "byteorder"}).json()["text"].dump(), std::string("\"little\""));
    }

    void membersThatNothingRefersToAreTold() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: stray members were not tried.");
        QTemporaryDir folder;
        QVERIFY(call({"extract", file("aoti/mlp2.pt2"), "-C", folder.path()}).exit == 0);
        const QString package = folder.filePath("mlp2"), place = "/data/aotinductor/model/";
        const auto sound = call({"inspect", package, "--json"}).json();
        QCOMPARE(sound["unused_members"], json::array());
        QVERIFY(!call({"inspect", package}).out.contains("not used"));
        QVERIFY(!call({"ls", "-l", package}).out.contains("not used"));
        for (const char* name : {"old.cubin", "cold.kernel.cpp", "notes.txt"}) {
            QFile stray(package + place + name);
            QVERIFY(stray.open(QIODevice::WriteOnly) && stray.write("stray") == 5);
        }
        QCOMPARE(call({"inspect", package, "--json"}).json()["unused_members"].size(), std::size_t{3});
        const QByteArray text = call({"inspect", package}).out;
        QVERIFY2(text.contains("3 members that nothing refers to, 15 bytes: "), text.constData());
        const QList<QByteArray> rows = call({"ls", "-l", package}).out.split('\n');
        for (const QByteArray& row : rows)
            QCOMPARE(row.contains("not used"), row.contains("old.cubin") || row.contains("cold.kernel.cpp") || row.contains("notes.txt"));
        const auto verified = call({"verify", package, "--json"});
        QCOMPARE(verified.exit, 0);
        QCOMPARE(verified.json()["issues"].size(), std::size_t{3});
        for (const json& issue : verified.json()["issues"]) QCOMPARE(issue["severity"].get<std::string>(), std::string("note"));
        QCOMPARE(call({"kernels", package, "--json"}).json(), call({"kernels", file("aoti/mlp2.pt2"), "--json"}).json());
    }

    void nodesHaveFourForms() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: nodes were not tried.");
        QVERIFY(call({"nodes", tiny()}).out.contains("torch.ops.aten.linear.default(x, p_fc_weight, p_fc_bias)"));
        const auto table = call({"nodes", tiny(), "--format", "table"});
        for (const char* text : {"linear", "aten.linear.default", "float32 [s77, 8]", "fc"}) QVERIFY2(table.out.contains(text), text);
        const QList<QByteArray> tsv = call({"nodes", tiny(), "--format", "tsv"}).out.chopped(1).split('\n');
        QCOMPARE(tsv.size(), 4);
        for (const QByteArray& line : tsv) QCOMPARE(line.count('\t'), 6);
        const json list = call({"nodes", tiny(), "--format", "json"}).json();
        QVERIFY(list.is_array());
        QCOMPARE(list, call({"nodes", tiny(), "--json"}).json());
        QCOMPARE(list[0]["address"].dump(), std::string("\"program/model/node/linear\""));
        QCOMPARE(list[0]["op"].dump(), std::string("\"torch.ops.aten.linear.default\""));
        QCOMPARE(list[0]["module"].dump(), std::string("\"fc\""));
        QCOMPARE(list[0]["outputs"].dump(), std::string(R"([{"dtype":"float32","name":"linear","shape":["s77","8"]}])"));
        QCOMPARE(list[0]["inputs"][1]["value"].dump(), std::string("\"p_fc_weight\""));
        QVERIFY(list[0]["stack"][0]["line"].is_number());
    }

    void nodesAreFilteredByOperatorModuleAndGraph() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: filters of nodes were not tried.");
        QCOMPARE(call({"nodes", tiny(), "--op", "aten.linear", "--json"}).json().size(), std::size_t{1});
        QCOMPARE(call({"nodes", tiny(), "--op", "torch.ops.aten.*", "--json"}).json().size(), std::size_t{3});
        QCOMPARE(call({"nodes", tiny(), "--op", "relu", "--json"}).json().size(), std::size_t{1});
        QCOMPARE(call({"nodes", tiny(), "--module", "fc", "--json"}).json().size(), std::size_t{1});
        QCOMPARE(call({"nodes", tiny(), "--op", "aten.conv*"}).exit, 1);
        QCOMPARE(call({"nodes", tiny(), "--op", "relu", "--format", "text"}).exit, 2);
        const auto unknown = call({"nodes", tiny(), "--module", "fcc"});
        QCOMPARE(unknown.exit, 2);
        QVERIFY(unknown.error.contains("Did you mean fc?"));
        const json facts = call({"inspect", "--json", file("cond.pt2")}).json()["programs"]["model"];
        QCOMPARE(call({"nodes", file("cond.pt2"), "--json"}).json().size(), facts["node_count"].get<std::size_t>());
        QCOMPARE(call({"nodes", file("cond.pt2"), "--json", "--subgraphs"}).json().size(), facts["node_count_total"].get<std::size_t>());
    }

    void signatureIsTorchsWithRangesTiedToPlaces() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: the signature was not tried.");
        const auto result = call({"signature", tiny()});
        for (const char* text : {"p_fc_weight: PARAMETER target='fc.weight'", "x: USER_INPUT", "add: USER_OUTPUT",
                                 "Range constraints: {s77: VR[1, 1024]}", "x dimension 0"}) {
            QVERIFY2(result.out.contains(text), text);
        }
        const json document = call({"signature", tiny(), "--json"}).json();
        QCOMPARE(document["sizes"][0]["program"].dump(), std::string("[1,1024]"));
        QCOMPARE(document["sizes"][0]["at_export"].dump(), std::string("4"));
        const auto compiled = call({"signature", file("aoti/tiny.pt2")});
        QCOMPARE(compiled.exit, 0);
        QVERIFY(compiled.out.contains("1024"));
    }

    /// What the caller gives and gets with dtype and shape, the call as code, conditions as sentences, and where each fact is from.
    void signatureSaysWhatTheCallerNeeds() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: the signature was not tried.");
        const auto plain = call({"signature", tiny()});
        QVERIFY2(plain.out.contains("float32 [s77, 16]") && plain.out.contains("float32 [s77, 8]"), plain.out.constData());
        const auto equal = call({"signature", file("equal_syms.pt2")});
        QVERIFY2(equal.out.contains("a dimension 0, b dimension 0 and c dimension 0 must be equal (s20)."), equal.out.constData());
        QVERIFY(equal.out.contains("nothing notices when they are swapped"));
        const auto joined = call({"signature", file("aoti/combined.pt2")});
        QVERIFY2(joined.out.contains("the program allows 1 to 1024, the compiled code tests 2 to 1024"), joined.out.constData());

        const json document = call({"signature", file("aoti/combined.pt2"), "--json"}).json();
        QCOMPARE(document["inputs"][0]["origins"]["sizes"]["from"].get<std::string>(), std::string("program"));
        QCOMPARE(document["inputs"][0]["origins"]["dtype"]["from"].get<std::string>(), std::string("wrapper source"));
        QVERIFY(document["inputs"][0]["origins"]["dtype"]["line"].get<int>() > 0);
        QCOMPARE(document["notes"]["bounds"].size(), std::size_t{1});
        QVERIFY(document["call"]["cpp"].get<std::string>().find("AOTIModelPackageLoader") != std::string::npos);
        QCOMPARE(document["asserts"].size(), std::size_t{2});
        for (const json& found : document["asserts"]) {
            QCOMPARE(found["in_code"].get<std::string>(), std::string("kept"));
            QVERIFY(found["line"].get<int>() > 0);
        }
        const json alone = call({"signature", tiny(), "--json"}).json();
        QVERIFY(alone["call"]["cpp"].is_null() && alone["asserts"][0]["in_code"] == "unknown");
    }

    /// A compiled model without its sources: unknown is said as unknown, and a check of what is not known does not say that it is kept.
    void whatNothingSaysIsUnknown() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: packages without sources were not tried.");
        QTemporaryDir directory;
        QCOMPARE(call({"extract", file("aoti/mlp2.pt2"), "-C", directory.path()}).exit, 0);
        QDirIterator members(directory.path(), {"*.cpp", "*.h"}, QDir::Files, QDirIterator::Subdirectories);
        int removed = 0;
        while (members.hasNext()) removed += QFile::remove(members.next()) ? 1 : 0;
        QVERIFY(removed > 0);
        const QString bare = directory.filePath("mlp2");
        const auto text = call({"signature", bare});
        QCOMPARE(text.exit, 0);
        for (const char* line : {"Inputs  not known", "Outputs  not known", "Dynamic sizes  not known"}) QVERIFY2(text.out.contains(line), text.out);
        const json told = call({"signature", bare, "--json"}).json();
        QVERIFY(told["known"]["inputs"] == false && told["known"]["outputs"] == false && told["known"]["sizes"] == false);
        const auto checked = call({"check", bare, "--input", "0=randn[2000,11]"});
        QCOMPARE(checked.exit, 0);
        QVERIFY2(
            !checked.out.contains("keep the contract") && checked.out.contains("Nothing could be checked") && checked.out.contains("not checked"),
            checked.out.constData());
        const json report = call({"check", bare, "--input", "0=randn[2000,11]", "--json"}).json();
        QVERIFY(report["ok"] == true && report["complete"] == false && report["checked"].empty() && report["not_checked"].size() == 1);
        // torch 2.6 compiles no checks in: the number of inputs is all that is known.
        const auto partly = call({"check", QString(corpus() + "/eras/2.6/aoti/mlp2.pt2"), "--input", "0=randn[2000,11]"});
        QCOMPARE(partly.exit, 0);
        QVERIFY2(!partly.out.contains("keep the contract") && partly.out.contains("checked      the number of inputs") &&
                     partly.out.contains("not checked  Neither program nor wrapper source says the type and shape"),
                 partly.out.constData());
        QVERIFY(call({"check", tiny()}).out.contains("The inputs keep the contract"));
        const json whole = call({"check", tiny(), "--json"}).json();
        QVERIFY(whole["complete"] == true && whole["not_checked"].empty() && !whole["checked"].empty());
    }

    /// What a training graph changes in place, asserts with and without a compiled model, and the library's names.
    void signatureSaysWhatTorchsDoesNot() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: the signature was not tried.");
        const auto change = call({"signature", file("input_mutation.pt2")});
        QVERIFY2(change.out.contains("What a call changes") && change.out.contains("is changed in place by add_ (aten.add_.Tensor)."),
                 change.out.constData());
        const json changes = call({"signature", file("input_mutation.pt2"), "--json"}).json()["changes"];
        QCOMPARE(changes.size(), std::size_t{1});
        QVERIFY(changes[0]["what"] == "input" && changes[0]["in_place"] == true && changes[0]["nodes"][0] == "program/model/node/add_");
        QVERIFY(call({"signature", tiny(), "--json"}).json()["changes"].empty());
        const auto alone = call({"signature", file("unbacked_item.pt2")});
        QVERIFY2(alone.out.contains("Asserted by the program") && alone.out.contains("u0 must be at least 2"), alone.out.constData());
        const auto kept = call({"signature", file("aoti/combined.pt2")});
        QVERIFY2(kept.out.contains("Asserted by the program and by the compiled code") && kept.out.contains("x dimension 0 must be at most 1024."),
                 kept.out.constData());
        const auto compiled = call({"signature", file("aoti/mlp2.pt2")});
        const json input = call({"signature", file("aoti/mlp2.pt2"), "--json"}).json()["inputs"][0];
        QVERIFY(input["compiled_name"].is_string());
        QVERIFY2(compiled.out.contains(QByteArray::fromStdString(input["compiled_name"].get<std::string>())), compiled.out.constData());
        QVERIFY2(compiled.out.contains("start at 2") || compiled.out.contains("starts at 2"), compiled.out.constData());
        const auto scalars = call({"signature", file("sym_scalars.pt2")});
        QVERIFY2(scalars.out.contains("x dimension 0 is 2*s44"), scalars.out.constData());
    }

    /// Facts of a compiled model name the line they are from; what its source does not say is null, whatever a program beside it says.
    void inspectNamesOrigins() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: inspect was not tried.");
        const json compiled = call({"inspect", file("aoti/combined.pt2"), "--json"}).json()["compiled"]["model"];
        const json& input = compiled["inputs"][0];
        QCOMPARE(input["origin"].get<std::string>(), std::string("wrapper source"));
        for (const char* fact : {"name", "dtype", "sizes", "strides", "device"}) {
            QCOMPARE(input["origins"][fact]["from"].get<std::string>(), std::string("wrapper source"));
            QVERIFY2(input["origins"][fact]["line"].get<int>() > 0, fact);
        }
        QCOMPARE(compiled["origins"]["device"]["from"].get<std::string>(), std::string("metadata"));
        QCOMPARE(compiled["origins"]["in_spec"]["from"].get<std::string>(), std::string("wrapper source"));
        QCOMPARE(compiled["constants"][0]["origins"]["where"]["from"].get<std::string>(), std::string("library"));
        QCOMPARE(compiled["runtime_checks_switched_by"].get<std::string>(), std::string("AOTI_RUNTIME_CHECK_INPUTS"));
        std::set<std::string> tested;
        for (const json& check : compiled["runtime_checks"]) tested.insert(check["what"].get<std::string>());
        QCOMPARE(tested, std::set<std::string>({"dtype", "minimum", "maximum", "size", "stride", "device", "layout"}));
        const auto old = call({"inspect", corpus() + "/eras/2.6/aoti/mlp2.pt2", "--with", file("mlp2.pt2"), "--json"});
        const json unknown = old.json()["compiled"]["model"]["inputs"][0];
        QVERIFY(unknown["dtype"].is_null() && unknown["sizes"].is_null() && unknown["origin"] == "unknown");
        QVERIFY(old.json()["compiled"]["model"]["runtime_checks"].empty());
    }

    void findLooksEverywhere() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: search was not tried.");
        const auto kinds = [&](const char* pattern) {
            std::set<std::string> out;
            for (const json& hit : call({"find", tiny(), pattern, "--json"}).json()) out.insert(hit["kind"].get<std::string>());
            return out;
        };
        QVERIFY(kinds("relu").count("node") == 1);
        QVERIFY(kinds("fc.weight").count("weight") == 1);
        QVERIFY(kinds("model.json").count("member") == 1);
        QVERIFY(kinds("s77").count("symbol") == 1);
        QVERIFY(kinds("fc").count("module") == 1);
        QVERIFY(kinds("torch.relu(self.fc").count("source") == 1);
        QVERIFY(kinds("RELU").count("node") == 1);
        QVERIFY(kinds("rel*").count("node") == 1);
        const json exact = call({"find", tiny(), "add", "--json"}).json();
        QCOMPARE(exact[0]["address"].dump(), std::string("\"program/model/node/add\""));
        const auto nothing = call({"find", tiny(), "no such thing", "--json"});
        QCOMPARE(nothing.exit, 1);
        QCOMPARE(nothing.json().dump(), std::string("[]"));
        QCOMPARE(call({"find", tiny(), "no such thing"}).exit, 1);
        bool sourceLine = false;
        for (const json& hit : call({"find", file("aoti/tiny.pt2"), "run_impl", "--json"}).json()) sourceLine = sourceLine || hit["kind"] == "source";
        QVERIFY(sourceLine);
    }

    void checkSaysEveryBreach() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: the contract was not tried.");
        QCOMPARE(call({"check", tiny()}).exit, 0);
        QCOMPARE(call({"check", tiny(), "--size", "s77=512"}).exit, 0);
        QCOMPARE(call({"check", tiny(), "--size", "x:0=512"}).exit, 0);
        QCOMPARE(call({"check", tiny(), "--size", "batch=512"}).exit, 0);
        const auto what = [&](const QString& input) {
            const auto result = call({"check", tiny(), "--input", input, "--json"});
            const json document = result.json();
            if (result.exit != 1 || document["ok"] != false || document["breaches"].empty()) return std::string("no breach");
            for (const char* key : {"input", "dimension", "what", "found", "allowed", "caught_by_runtime_checks", "fix"}) {
                if (!document["breaches"][0].contains(key)) return std::string("missing ") + key;
            }
            return document["breaches"][0]["what"].get<std::string>();
        };
        QCOMPARE(what("x=randn[4,16]:float64"), std::string("dtype"));
        QCOMPARE(what("x=randn[2000,16]"), std::string("range"));
        QCOMPARE(what("x=randn[4,17]"), std::string("size"));
        QCOMPARE(what("x=randn[4]"), std::string("rank"));
        QVERIFY(call({"check", tiny(), "--input", "x=randn[2000,16]"}).out.contains("1024"));
        QCOMPARE(call({"check", tiny(), "--input", "x=randn[4,16]:float64", "--mend"}).exit, 0);
        const auto unknown = call({"check", tiny(), "--input", "y=randn[4,16]"});
        QCOMPARE(unknown.exit, 2);
        QVERIFY(unknown.error.contains("x"));
        QCOMPARE(call({"check", tiny(), "--size", "s78=4"}).exit, 2);
    }

    void runningAProgramThatIsNotCompiledSaysToRecompile() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: running was not tried.");
        const auto result = call({"run", tiny()});
        QCOMPARE(result.exit, 4);
        QVERIFY(result.error.contains("pt2 recompile"));
        QCOMPARE(call({"compare", tiny(), "--reference", "torch"}).exit, 4);
        QCOMPARE(call({"compare", file("aoti/tiny.pt2"), "--reference", "torch"}).exit, 4);
    }

    void absentWeightsAreRefused() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: absent weights were not tried.");
        const auto result = call({"run", file("aoti/weights_absent.pt2")});
        QCOMPARE(result.exit, 4);
        QVERIFY(isError(result.error));
    }

    void doctorTellsWhatIsHere() {
        const auto result = call({"doctor", "--json"});
        QCOMPARE(result.exit, 0);
        const json document = result.json();
        QCOMPARE(document["checks"].size(), std::size_t{6});
        for (const json& check : document["checks"]) QVERIFY(check["found"].is_boolean() && check["detail"].is_string());
        QCOMPARE(call({"doctor"}).exit, 0);
    }

    void damagedFilesNeverEndInASignal() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: damaged files were not tried.");
        const QDir damaged(corpus() + "/damaged");
        for (const QString& name : damaged.entryList({"*.pt2"}, QDir::Files)) {
            for (const char* command : {"inspect", "print", "signature"}) {
                const auto result = call({command, damaged.filePath(name)});
                QVERIFY2(result.exit >= 0 && result.exit <= 6, qPrintable(name + " " + command));
                QVERIFY2(result.exit == 0 || isError(result.error), qPrintable(name + ": " + result.error));
            }
        }
    }

    void outputsAreNeverHalfThere() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: output files were not tried.");
        QTemporaryDir directory;
        const QString target = directory.filePath("there.pt2");
        QFile out(target);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("mine");
        out.close();
        QCOMPARE(call({"recompile", tiny(), "-o", target}).exit, 2);
        QVERIFY(out.open(QIODevice::ReadOnly));
        QCOMPARE(out.readAll(), QByteArray("mine"));
    }
};

QTEST_GUILESS_MAIN(CliTest)
#include "tst_cli.moc"

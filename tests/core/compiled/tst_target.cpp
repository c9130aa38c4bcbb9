#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/compiled/exported_symbols.h"
#include "core/compiled/symbol_digests.h"
#include "core/compiled/target.h"
#include "core/compiled/this_machine.h"

using namespace pt2;

namespace {

/// JSON with its quotation marks written as apostrophes.
std::string quoted(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

}  // namespace

class TargetTest : public QObject {
    Q_OBJECT

private slots:
    /// All names of a library of this machine, in a text much shorter than they are; of any name it is known whether it is there.
    void digestsTellOfEveryName() {
        const std::vector<std::string> libraries = systemLibraries({"libstdc++.so.6", "libc.so.6"});
        if (libraries.empty()) QSKIP("The C++ library was not found.");
        SymbolNames symbols;
        symbols.libraries = ExportedSymbols::of({libraries.begin(), libraries.end()});
        QVERIFY(symbols.libraries);
        const std::vector<std::string> names = symbols.all();
        Target target = thisMachine();
        target.torchState = Target::Torch::Present;
        target.torch.version = "2.13.0";
        target.torch.symbols = std::make_shared<const SymbolNames>(symbols);
        const std::string text = targetText(target);
        const Result<Target> read = parseTarget(text);
        QVERIFY(read && read->torch.symbols && read->ignored.empty());
        QCOMPARE(read->torch.symbols->digests.size(), symbolDigests(names).size());
        std::size_t bytes = 0;
        for (const std::string& name : names) {
            bytes += name.size();
            QVERIFY2(read->torch.symbols->has(name) == true, name.c_str());
            QVERIFY2(read->torch.symbols->has(name + "_no") == symbols.has(name + "_no"), name.c_str());
        }
        QVERIFY(digestsText(read->torch.symbols->digests).size() * 4 < bytes);
        QCOMPARE(symbolDigests(names), *parseDigests(digestsText(symbolDigests(names)), names.size()));
    }

    void digestsThatAreNoneAreRefused() {
        const std::vector<std::uint64_t> some{0, 1, 127, 128, 300, 70000, (std::uint64_t{1} << 40) - 1};
        const std::string text = digestsText(some);
        QCOMPARE(*parseDigests(text, some.size()), some);
        QVERIFY(parseDigests("", 0)->empty());
        QVERIFY(!parseDigests(text, some.size() - 1) && !parseDigests(text + "!", 100) && !parseDigests(text.substr(0, text.size() - 2), 100));
        QVERIFY(!parseDigests(std::string(1000, '/'), 100) && !parseDigests(text + text, 100));
        for (const char* json : {R"({"libtorch": {"symbols": {"digests": 7}}})", R"({"libtorch": {"symbols": {"digests": "=="}}})"}) {
            QVERIFY(!parseTarget(json));
        }
    }

    void whatIsWrittenIsReadAgain() {
        Target target = thisMachine();
        target.torchState = Target::Torch::Present;
        target.torch.version = "2.13.0";
        target.torch.variant = "cpu";
        target.torch.devices = {"cpu"};
        target.torch.libraries = {"libc10.so"};
        SymbolNames symbols{{"_ZN3c10E", "aoti_torch_clone", "aoti_torch_empty"}, {""}};
        target.torch.symbols = std::make_shared<const SymbolNames>(symbols);
        target.torch.operators = {"aten::relu(Tensor self) -> Tensor",
                                  "aten::sort.stable(Tensor self, *, bool? stable) -> (Tensor values, Tensor indices)"};
        target.gpus = std::vector<TargetGpu>{{"cuda", "sm_90a", "H100"}, {"cuda", "", ""}};
        const Result<Target> read = parseTarget(targetText(target));
        QVERIFY(read);
        QCOMPARE(targetText(*read), targetText(target));
        QVERIFY(!read->here);
        QCOMPARE(read->platform, target.platform);
        QCOMPARE(read->machine, target.machine);
        QVERIFY(read->cpuFeatures == target.cpuFeatures);
        QCOMPARE(read->glibc, target.glibc);
        QCOMPARE(read->glibcxx, target.glibcxx);
        QVERIFY(read->libraries == librariesHere());
        QVERIFY(read->torchState == Target::Torch::Present);
        QVERIFY(read->torch.libraries == target.torch.libraries);
        QVERIFY(read->torch.schemas);
        const auto schemas = read->torch.schemas({"aten::relu", "aten::relu.default", "aten::sort.stable", "aten::sort", "corpus::none"});
        QVERIFY(schemas && schemas->size() == 3);
        QCOMPARE(schemas->at("aten::relu.default"), target.torch.operators[0]);
        QCOMPARE(schemas->at("aten::sort.stable"), target.torch.operators[1]);
        QCOMPARE(read->gpus->size(), std::size_t(2));
        QCOMPARE(read->gpus->front().architecture, std::string("sm_90a"));
        // Only the C interface is written, so of other names nothing is known any more.
        QVERIFY(read->torch.symbols->has("aoti_torch_clone") == true);
        QVERIFY(read->torch.symbols->has("aoti_torch_no") == false);
        QVERIFY(!read->torch.symbols->has("_ZN3c10E"));
        QVERIFY(read->ignored.empty());
    }

    void absentIsUnknownAndNullIsNone() {
        const Result<Target> empty = parseTarget("{}");
        QVERIFY(empty);
        QVERIFY(empty->platform.empty() && empty->machine.empty() && !empty->cpuFeatures && empty->glibc.empty() && !empty->libraries);
        QVERIFY(empty->torchState == Target::Torch::Unknown && !empty->gpus);
        QVERIFY(!empty->hasLibrary("libc.so.6"));
        const Result<Target> none = parseTarget(quoted("{'libtorch': null, 'gpus': [], 'cpu_features': [], 'libraries': []}"));
        QVERIFY(none);
        QVERIFY(none->torchState == Target::Torch::Absent && none->gpus->empty() && none->cpuFeatures->empty());
        QVERIFY(none->hasLibrary("libc.so.6") == false);
        // A list of symbols that does not say what it covers proves nothing missing.
        const Result<Target> loose = parseTarget(quoted("{'libtorch': {'symbols': {'names': ['aoti_a']}}}"));
        QVERIFY(loose && loose->torch.symbols->has("aoti_a") == true && !loose->torch.symbols->has("aoti_b"));
    }

    void namesOfPeopleAreUnderstood() {
        const Result<Target> target =
            parseTarget(quoted("{'format': 1, 'platform': 'Linux', 'machine': 'AMD64', 'cpu_features': ['SSE4.1', 'sse3', 'AVX512VNNI'],\n           "
                               " 'gpus': [{'architecture': '8.6'}], 'hobby': 1, 'libtorch': {'version': '2.14.1+cu130', 'colour': 2}}"));
        QVERIFY(target);
        QCOMPARE(target->platform, std::string("linux"));
        QCOMPARE(target->machine, std::string("x86_64"));
        QVERIFY((*target->cpuFeatures == std::set<std::string>{"sse4_1", "pni", "avx512_vnni"}));
        QCOMPARE(target->gpus->front().architecture, std::string("sm_86"));
        QCOMPARE(target->ignored, (std::vector<std::string>{"libtorch.colour", "hobby"}));
    }

    void wrongOnesAreRefusedInWords_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"",
                                 "nonsense",
                                 "[]",
                                 "3",
                                 "null",
                                 "{",
                                 "{'format': 2}",
                                 "{'format': '1'}",
                                 "{'format': 1.5}",
                                 "{'platform': 3}",
                                 "{'glibc': 'new'}",
                                 "{'glibc': 2.36}",
                                 "{'glibc': ''}",
                                 "{'glibcxx': '3.4; rm'}",
                                 "{'cpu_features': 'avx2'}",
                                 "{'cpu_features': [1]}",
                                 "{'cpu_features': {'avx2': true}}",
                                 "{'libraries': [null]}",
                                 "{'libtorch': '2.13'}",
                                 "{'libtorch': {'version': 2}}",
                                 "{'libtorch': {'symbols': []}}",
                                 "{'libtorch': {'symbols': {'names': 'aoti'}}}",
                                 "{'libtorch': {'devices': 'cpu'}}",
                                 "{'gpus': {}}",
                                 "{'gpus': ['sm_86']}",
                                 "{'gpus': [{'architecture': 'Ampere'}]}",
                                 "{'gpus': [{'architecture': 'sm_8'}]}"}) {
            QTest::newRow(text) << QByteArray::fromStdString(quoted(text));
        }
        QTest::newRow("long text") << "{\"name\": \"" + QByteArray(100000, 'x') + "\"}";
        QTest::newRow("many GPUs") << "{\"gpus\": [" + QByteArray("{},").repeated(2000) + "{}]}";
    }
    void wrongOnesAreRefusedInWords() {
        QFETCH(QByteArray, text);
        const Result<Target> target = parseTarget({text.constData(), static_cast<std::size_t>(text.size())});
        QVERIFY(!target);
        QCOMPARE(target.error().code, std::string("target.bad"));
        QVERIFY(target.error().kind == ErrorKind::Unreadable && !target.error().why.empty() && !target.error().help.empty());
    }

    void hostileFilesEndInTime() {
        for (const char* open : {"[", "{\"a\":", "{\"libtorch\":"}) {
            QVERIFY(!parseTarget(QByteArray(open).repeated(300000).toStdString()));
        }
        const std::string deep = std::string(200000, '[') + std::string(200000, ']');
        (void)parseTarget("{\"a\":" + deep + "}");
        std::string keys = "{";
        for (int i = 0; i < 200000; ++i) keys += "\"k" + std::to_string(i) + "\":0,";
        const Result<Target> many = parseTarget(keys + "\"glibc\":\"2.36\"}");
        QVERIFY(many && many->ignored.size() <= 16);
        // Any byte of a good file changed: read or refused, never worse.
        const std::string good = targetText(thisMachine()).substr(0, 1500);
        std::mt19937 random(5);
        for (int i = 0; i < 5000; ++i) {
            std::string text = good.substr(0, random() % good.size()) + "]}}";
            text[random() % text.size()] = static_cast<char>(random());
            (void)parseTarget(text);
        }
    }

    void aFileThatIsNotThereIsSaid() {
        const QTemporaryDir folder;
        QVERIFY(!readTargetFile(folder.filePath("no.json").toStdString()));
        QVERIFY(!readTargetFile(folder.path().toStdString()));
        QFile file(folder.filePath("bad.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{") == 1);
        file.close();
        const Result<Target> bad = readTargetFile(file.fileName().toStdString());
        QVERIFY(!bad);
        QCOMPARE(bad.error().where, file.fileName().toStdString());
    }
};

QTEST_GUILESS_MAIN(TargetTest)
#include "tst_target.moc"

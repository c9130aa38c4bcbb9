#include <QTemporaryDir>
#include <QtTest>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/writer.h"
#include "core/package/linked_kernels.h"
#include "core/package/package.h"
#include "core/report/kernels_json.h"
#include "tests/corpus.h"

using namespace pt2;

/// The sources of a model's kernels are those that belong to it, wherever others lie beside them.
class KernelSourcesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    struct File {
        std::string name, bytes;  ///< name below the root
    };
    static std::vector<File> filesOf(const QString& path) {
        Issues issues;
        std::vector<File> files;
        const auto source = Archive::open(path.toStdString(), issues);
        if (!source) return files;
        for (MemberIndex i = 0; i < (*source)->members().size(); ++i) {
            const auto read = (*source)->read(i);
            if (!read) return {};
            files.push_back({std::string((*source)->nameBelowRoot(i)), std::string(asText(*read))});
        }
        return files;
    }
    QString written(const std::vector<File>& files) const {
        const QString path = folder_.filePath(QStringLiteral("copy.pt2"));
        auto writer = ArchiveWriter::create(path.toStdString(), "copy", true);
        if (!writer) return {};
        for (const File& file : files) {
            if (!writer->add(file.name, asBytes(file.bytes))) return {};
        }
        return writer->finish() ? path : QString();
    }
    static std::optional<std::size_t> kernelFile(const std::vector<File>& files) {
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].name.ends_with(".kernel.cpp")) return i;
        }
        return std::nullopt;
    }
    static std::string replaced(std::string text, std::string_view what, std::string_view with) {
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
        return text;
    }
    /// The kernels of every model, in call order.
    static nlohmann::json kernelsOf(const QString& path) {
        const auto document = Document::open(path.toStdString());
        nlohmann::json all = nlohmann::json::object();
        if (!document) return all;
        for (const CompiledModel& model : document->primary->compiledModels()) {
            const auto kernels = readLinkedKernels(*document, model.name);
            all[model.name] = kernels ? nlohmann::json::parse(kernelsJson(*kernels).dump()) : nlohmann::json(kernels.error().code);
        }
        return all;
    }
    static std::vector<std::string> unusedOf(const QString& path) {
        std::vector<std::string> names;
        const auto package = Package::open(path.toStdString());
        if (!package) return names;
        for (const CompiledModel& model : (*package)->compiledModels()) {
            for (const MemberIndex member : model.unused) names.emplace_back((*package)->archive().nameBelowRoot(member));
        }
        return names;
    }

private slots:
    void init() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
    }

    void aStraySourceChangesNothing_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("stray");  // what the stray source holds
        QTest::addColumn<bool>("before");
        for (const char* file : {"/2.13.0/aoti/mlp2.pt2", "/2.13.0/aoti/combined.pt2", "/2.13.0/aoti/two_models.pt2", "/2.13.0/aoti/state_wide.pt2",
                                 "/2.13.0/aoti/mlp2_freezing.pt2", "/eras/2.8/aoti/mlp2.pt2", "/eras/2.6/aoti/mlp2.pt2"}) {
            if (!QFile::exists(tests::corpus() + file)) continue;
            for (const char* stray : {"same functions", "other functions", "one function", "no function"}) {
                for (const bool before : {true, false})
                    QTest::addRow("%s, %s, %s", file, stray, before ? "before" : "after") << tests::corpus() + file << stray << before;
            }
        }
    }
    void aStraySourceChangesNothing() {
        QFETCH(QString, file);
        QFETCH(QString, stray);
        QFETCH(bool, before);
        std::vector<File> files = filesOf(file);
        const auto kernel = kernelFile(files);
        std::size_t source = kernel.value_or(0);
        while (!kernel && source + 1 < files.size() && !files[source].name.ends_with(".cpp")) ++source;
        const std::string real = files[source].bytes;
        QVERIFY(real.find("cpp_fused") != std::string::npos);
        const std::string place = files[source].name.substr(0, files[source].name.rfind('/') + 1);
        const std::string text = stray == "same functions"    ? "\n\n\n" + real
                                 : stray == "other functions" ? replaced(real, "cpp_fused", "cpp_fused_other")
                                 : stray == "one function"
                                     ? std::string("extern \"C\" void cpp_fused_relu_0(float* a, float* b, const int64_t c)\n{\n}\n")
                                     : std::string("// left\n");
        const nlohmann::json expected = kernelsOf(file);
        QVERIFY(!expected.empty());
        const File added{place + "cold.kernel.cpp", text};
        files.insert(before ? files.begin() : files.end(), added);
        const QString copy = written(files);
        QVERIFY(!copy.isEmpty());
        QCOMPARE(QString::fromStdString(kernelsOf(copy).dump(1)), QString::fromStdString(expected.dump(1)));
        QCOMPARE(unusedOf(copy), std::vector<std::string>{added.name});
    }

    /// Where no text names the file, its functions tell.
    void aRenamedSourceIsKnownByItsFunctions_data() {
        QTest::addColumn<bool>("before");
        QTest::newRow("before") << true;
        QTest::newRow("after") << false;
    }
    void aRenamedSourceIsKnownByItsFunctions() {
        QFETCH(bool, before);
        const QString file = tests::corpus() + "/2.13.0/aoti/mlp2.pt2";
        std::vector<File> files = filesOf(file);
        const auto kernel = kernelFile(files);
        QVERIFY(kernel);
        const std::string name = files[*kernel].name, place = name.substr(0, name.rfind('/') + 1), real = files[*kernel].bytes;
        files[*kernel].name = place + "renamed.kernel.cpp";
        const std::string expected = replaced(kernelsOf(file).dump(1), name, files[*kernel].name);
        const File left{place + "cold.kernel.cpp", replaced(real, "cpp_fused_relu_0", "cpp_fused_tanh_0")};
        files.insert(before ? files.begin() : files.end(), left);
        const QString copy = written(files);
        QCOMPARE(QString::fromStdString(kernelsOf(copy).dump(1)), QString::fromStdString(expected));
        QCOMPARE(unusedOf(copy), std::vector<std::string>{left.name});
    }

    void severalSourcesAreAllUsed() {
        const QString file = tests::corpus() + "/2.13.0/aoti/mlp2.pt2";
        std::vector<File> files = filesOf(file);
        const auto kernel = kernelFile(files);
        QVERIFY(kernel);
        const File whole = files[*kernel];
        const std::string place = whole.name.substr(0, whole.name.rfind('/') + 1);
        const std::size_t second = whole.bytes.rfind("extern \"C\"");
        QVERIFY(second != std::string::npos && second > whole.bytes.find("cpp_fused_relu_0"));
        files[*kernel] = {place + "a.kernel.cpp", whole.bytes.substr(0, second)};
        files.push_back({place + "b.kernel.cpp", "#include <torch/csrc/inductor/cpp_prefix.h>\n" + whole.bytes.substr(second)});
        files.push_back({place + "c.kernel.cpp", "extern \"C\" void cpp_fused_tanh_9(float* a)\n{\n}\n"});
        const QString copy = written(files);
        const auto package = Package::open(copy.toStdString());
        QVERIFY(package);
        QCOMPARE((*package)->compiledModels().front().kernelSources.size(), std::size_t{2});
        QCOMPARE(unusedOf(copy), std::vector<std::string>{place + "c.kernel.cpp"});
        const nlohmann::json kernels = kernelsOf(copy)["model"], before = kernelsOf(file)["model"];
        QCOMPARE(kernels.size(), before.size());
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            QCOMPARE(kernels[i]["reads"], before[i]["reads"]);
            QCOMPARE(kernels[i]["writes"], before[i]["writes"]);
            const std::string called = kernels[i]["name"].get<std::string>();
            if (!called.starts_with("cpp_fused")) continue;
            QCOMPARE(kernels[i]["source"]["member"].get<std::string>(), place + (called == "cpp_fused_relu_0" ? "a.kernel.cpp" : "b.kernel.cpp"));
        }
    }
};

QTEST_GUILESS_MAIN(KernelSourcesTest)
#include "tst_kernel_sources.moc"

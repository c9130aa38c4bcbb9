#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/writer.h"
#include "core/package/package.h"
#include "core/package/unused_members.h"
#include "tests/corpus.h"

using namespace pt2;

/// What nothing refers to is found, and nothing else is called unused.
class UnusedMembersTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// A copy with more members; `change` may give a member other bytes.
    QString copyOf(const QString& file, const std::vector<std::string>& added,
                   const std::function<void(std::string_view name, std::string& bytes)>& change = {},
                   const std::vector<std::pair<std::string, std::string>>& texts = {}) const {
        Issues issues;
        const auto source = Archive::open(file.toStdString(), issues);
        const QString path = folder_.filePath(QStringLiteral("copy.pt2"));
        auto writer = source ? ArchiveWriter::create(path.toStdString(), "copy", true) : fail(source.error());
        if (!writer) return {};
        for (MemberIndex i = 0; i < (*source)->members().size(); ++i) {
            const auto read = (*source)->read(i);
            const std::string_view name = (*source)->nameBelowRoot(i);
            if (!read) return {};
            std::string bytes(asText(*read));
            if (change) change(name, bytes);
            if (!writer->add(name, asBytes(bytes))) return {};
        }
        for (const std::string& name : added) {
            if (!writer->add(name, asBytes("stray"))) return {};
        }
        for (const auto& [name, text] : texts) {
            if (!writer->add(name, asBytes(text))) return {};
        }
        return writer->finish() ? path : QString();
    }

    static QStringList unusedIn(const QString& file) {
        const auto package = Package::open(file.toStdString());
        if (!package) return {QStringLiteral("not opened")};
        QStringList names;
        for (const MemberIndex member : (*package)->unusedMembers()) {
            const std::string_view name = (*package)->archive().nameBelowRoot(member);
            names << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        }
        return names;
    }

    /// Where the notes of this kind stand.
    static QStringList notedIn(const QString& file) {
        const auto package = Package::open(file.toStdString());
        QStringList places;
        if (!package) return {QStringLiteral("not opened")};
        for (const Issue& issue : (*package)->issues()) {
            if (issue.code != "package.unused-member") continue;
            places << (issue.severity == Severity::Note ? QString::fromStdString(issue.where) : QStringLiteral("not a note"));
        }
        return places;
    }

private slots:
    void init() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
    }

    void torchWritesNoneThatIsUnused_data() {
        QTest::addColumn<QString>("file");
        for (const char* folder : {"/2.13.0", "/2.13.0/aoti", "/eras/2.8", "/eras/2.8/aoti", "/eras/2.6", "/eras/2.6/aoti", "/foreign"}) {
            for (const QFileInfo& info : QDir(tests::corpus() + folder).entryInfoList({"*.pt2"})) {
                // Among the foreign files are some that are no packages at all.
                if (QLatin1String(folder) == QLatin1String("/foreign") && !Package::open(info.filePath().toStdString())) continue;
                QTest::newRow(qPrintable(QString(folder) + "/" + info.fileName())) << info.filePath();
            }
        }
    }
    void torchWritesNoneThatIsUnused() {
        QFETCH(QString, file);
        QCOMPARE(unusedIn(file), QStringList());
        QCOMPARE(notedIn(file), QStringList());
    }

    void strayRecordsAreFound() {
        const QString file = tests::corpus() + "/2.13.0/tiny.pt2";
        QCOMPARE(unusedIn(copyOf(file, {})), QStringList());
        const QString stray =
            copyOf(file, {"data/weights/weight_7", "data/constants/tensor_0", "extra/notes.txt", "data/weights/other_weights_config.json"});
        QCOMPARE(unusedIn(stray), (QStringList{"data/weights/weight_7", "data/constants/tensor_0"}));
        QCOMPARE(notedIn(stray), (QStringList{"file/data/weights/weight_7", "file/data/constants/tensor_0"}));
    }

    void gpuCodeThatTheWrapperDoesNotLoadIsFound() {
        const QString file = tests::corpus() + "/2.13.0/aoti/mlp2.pt2";
        std::string place;
        const auto name = [&place](std::string_view member, std::string& bytes) {
            if (!member.ends_with(".wrapper.cpp")) return;
            place = std::string(member.substr(0, member.rfind('/') + 1));
            bytes += "\nstatic const char* loaded = \"/home/someone/build/used.cubin\";\n";
        };
        QVERIFY(!copyOf(file, {}, name).isEmpty() && !place.empty());
        const QString stray = copyOf(file, {place + "used.cubin", place + "stale.cubin"}, name);
        QCOMPARE(unusedIn(stray), QStringList{QString::fromStdString(place + "stale.cubin")});
    }

    void filesOfNoKnownSortBesideALibraryAreFound() {
        const QString file = tests::corpus() + "/2.13.0/aoti/mlp2.pt2";
        const std::string place = "data/aotinductor/model/";
        const std::vector<std::string> sound{place + "CMakeLists.txt", place + "script.ld", place + "kernel_information.json", place + "launcher.so"};
        QCOMPARE(unusedIn(copyOf(file, sound)), QStringList());
        const QString stray = copyOf(file, {place + "notes.txt", place + "cold.kernel.cpp", place + "cold.kernel_metadata.json"});
        QCOMPARE(unusedIn(stray).size(), 3);
        QCOMPARE(notedIn(stray).size(), 3);
    }

    /// What a compiled model's configuration names is used, though the program does not name it.
    void recordsOfCompiledModelsAreUsed() {
        const QString both = copyOf(tests::corpus() + "/2.13.0/aoti/combined.pt2", {"data/weights/weight_90", "data/weights/weight_91"}, {},
                                    {{"data/aotinductor/model/weights_config.json", R"({"config": {"w": {"path_name": "weight_90"}}})"}});
        QVERIFY(!both.isEmpty());
        QCOMPARE(unusedIn(both), QStringList{"data/weights/weight_91"});
    }

    /// Where the configuration is broken, what it would have named is not called unused.
    void aBrokenConfigurationLeavesItOpen() {
        const QString broken =
            copyOf(tests::corpus() + "/2.13.0/tiny.pt2", {"data/weights/weight_7"}, [](std::string_view member, std::string& bytes) {
                if (member.ends_with("model_weights_config.json")) bytes.resize(bytes.size() / 2);
            });
        QVERIFY(!broken.isEmpty());
        QCOMPARE(unusedIn(broken), QStringList());
    }
};

QTEST_GUILESS_MAIN(UnusedMembersTest)
#include "tst_unused_members.moc"

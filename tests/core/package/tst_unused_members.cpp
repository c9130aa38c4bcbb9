#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <string>
#include <string_view>
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
                   const std::function<void(std::string_view name, std::string& bytes)>& change = {}) const {
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
        return writer->finish() ? path : QString();
    }

    static QStringList unusedIn(const QString& file) {
        const auto package = Package::open(file.toStdString());
        if (!package) return {QStringLiteral("not opened")};
        QStringList names;
        for (const MemberIndex member : unusedMembers(**package)) {
            const std::string_view name = (*package)->archive().nameBelowRoot(member);
            names << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        }
        return names;
    }

private slots:
    void init() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
    }

    void torchWritesNoneThatIsUnused_data() {
        QTest::addColumn<QString>("file");
        for (const char* folder : {"/2.13.0", "/2.13.0/aoti", "/eras/2.8"}) {
            for (const QFileInfo& info : QDir(tests::corpus() + folder).entryInfoList({"*.pt2"}))
                QTest::newRow(qPrintable(QString(folder) + "/" + info.fileName())) << info.filePath();
        }
    }
    void torchWritesNoneThatIsUnused() {
        QFETCH(QString, file);
        QCOMPARE(unusedIn(file), QStringList());
    }

    void strayRecordsAreFound() {
        const QString file = tests::corpus() + "/2.13.0/tiny.pt2";
        QCOMPARE(unusedIn(copyOf(file, {})), QStringList());
        const QString stray =
            copyOf(file, {"data/weights/weight_7", "data/constants/tensor_0", "extra/notes.txt", "data/weights/other_weights_config.json"});
        QCOMPARE(unusedIn(stray), (QStringList{"data/weights/weight_7", "data/constants/tensor_0"}));
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

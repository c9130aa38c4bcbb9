#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/archive/archive.h"
#include "core/base/hash.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

nlohmann::json readJson(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray text = file.readAll();
    return nlohmann::json::parse(text.begin(), text.end());
}

QString message(const Error& error) { return QString::fromStdString(error.code + ": " + error.what + " " + error.why + " " + error.help); }

/// Every file of the corpus that has facts beside it.
QStringList archivesWithFacts() {
    QStringList files;
    if (tests::corpus().isEmpty()) return files;
    QDirIterator it(tests::corpus(), {"*.facts.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString facts = it.next();
        for (const char* suffix : {".pt2", ".so"}) {
            const QString archive = facts.chopped(int(strlen(".facts.json"))) + suffix;
            if (QFile::exists(archive)) files << archive;
        }
    }
    files.sort();
    return files;
}

void addRows(const QStringList& files) {
    QTest::addColumn<QString>("path");
    for (const QString& path : files) QTest::newRow(qPrintable(path.mid(tests::corpus().size() + 1))) << path;
    if (files.isEmpty()) QTest::newRow("none") << QString();
}

}  // namespace

class TestZip : public QObject {
    Q_OBJECT

private slots:
    void membersAreThoseTorchReports_data() { addRows(archivesWithFacts()); }
    void membersAreThoseTorchReports() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("The corpus is not there, so members are not compared with torch's facts.");
        const QString factsPath = path.left(path.lastIndexOf('.')) + ".facts.json";
        const nlohmann::json facts = readJson(factsPath);
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY2(archive, archive ? "" : qPrintable(message(archive.error())));
        const Archive& a = **archive;
        QCOMPARE(a.fileSize(), facts.at("size").get<std::uint64_t>());
        const auto hash = a.sha256();
        QVERIFY(hash);
        const bool sameFile = facts.value("sha256", *hash) == *hash;
        // Some compiled packages of older torch were rebuilt after their facts: same names and sizes, other bytes.
        if (!sameFile) QVERIFY2(path.contains("/eras/"), "The file differs from the one its facts describe.");
        if (path.endsWith(".so")) {
            QCOMPARE(a.kind(), ContainerKind::Library);
            QCOMPARE(a.members().size(), std::size_t{1});
            return;
        }
        const auto& expected = facts.at("members");
        QCOMPARE(a.members().size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto& fact = expected[i];
            const Member& member = a.members()[i];
            QCOMPARE(member.name, fact.at("name").get<std::string>());
            QCOMPARE(member.size, fact.at("size").get<std::uint64_t>());
            QCOMPARE(member.compressedSize, fact.at("compressed_size").get<std::uint64_t>());
            QCOMPARE(int(member.method), fact.at("method").get<int>());
            QCOMPARE(member.dataOffset, fact.at("offset_of_data").get<std::uint64_t>());
            const auto bytes = a.read(MemberIndex(i));
            QVERIFY2(bytes, bytes ? "" : qPrintable(message(bytes.error())));
            if (!sameFile) continue;
            char crc[9];
            std::snprintf(crc, sizeof crc, "%08x", member.crc32);
            QCOMPARE(std::string(crc), fact.at("crc32").get<std::string>());
            if (fact.contains("sha256")) QCOMPARE(sha256Hex(*bytes), fact.at("sha256").get<std::string>());
        }
        const bool fresh = path.contains("/2.13.0/") || path.contains("/eras/2.8/");
        if (fresh) {
            QCOMPARE(a.kind(), ContainerKind::Pt2Archive);
            QVERIFY2(issues.empty(), issues.empty() ? "" : issues.front().message.c_str());
        }
    }

    void windowsEqualTheWholeMember_data() {
        addRows(tests::corpus().isEmpty() ? QStringList()
                                          : QStringList{tests::corpus() + "/2.13.0/encoder.pt2", tests::corpus() + "/damaged/all_deflated.pt2",
                                                        tests::corpus() + "/foreign/wild_aoti_deflated.pt2"});
    }
    void windowsEqualTheWholeMember() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("The corpus is not there, so windows of real members are not read.");
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(archive);
        for (MemberIndex i = 0; i < (*archive)->members().size(); ++i) {
            const auto whole = (*archive)->read(i);
            QVERIFY(whole);
            const std::size_t size = whole->size();
            const std::pair<std::size_t, std::size_t> windows[] = {{0, 0},    {0, size},    {size / 2, size - size / 2}, {size / 3, size / 3},
                                                                   {size, 0}, {0, size / 5}};
            for (const auto& [offset, length] : windows) {
                ByteBuffer window(length);
                QVERIFY((*archive)->readAt(i, offset, window));
                QVERIFY(std::equal(window.begin(), window.end(), whole->begin() + std::ptrdiff_t(offset)));
            }
            ByteBuffer beyond(size + 1);
            QVERIFY(!(*archive)->readAt(i, 0, beyond));
            ByteBuffer one(1);
            QVERIFY(!(*archive)->readAt(i, size, one));
            QVERIFY(!(*archive)->readAt(i, ~std::uint64_t{0}, one));
        }
    }

    void membersAreFoundByNameAndSuffix() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so names are not looked up in a real archive.");
        Issues issues;
        const auto opened = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(opened);
        const Archive& a = **opened;
        QCOMPARE(a.root(), std::string("tiny"));
        const auto model = a.find("models/model.json");
        QVERIFY(model);
        QCOMPARE(a.nameBelowRoot(*model), std::string_view("models/model.json"));
        for (const char* name : {"tiny/models/model.json", "models/model.json", "model.json"}) {
            const auto resolved = a.resolve(name);
            QVERIFY2(resolved, name);
            QCOMPARE(*resolved, *model);
        }
        QVERIFY(!a.find("model.json"));
        const auto several = a.resolve("config.json");
        QVERIFY(!several);
        QCOMPARE(several.error().kind, ErrorKind::Usage);
        QVERIFY(several.error().why.find("model_weights_config.json") != std::string::npos);
        const auto typo = a.resolve("models/modle.json");
        QVERIFY(!typo);
        QCOMPARE(typo.error().kind, ErrorKind::Usage);
        QVERIFY(typo.error().why.find("models/model.json") != std::string::npos);
        QVERIFY(!a.resolve(""));
    }

    void damagedFilesOpenOrFailInWords_data() {
        QTest::addColumn<QString>("path");
        const QString folder = tests::corpus() + "/damaged";
        if (!tests::corpus().isEmpty()) {
            for (const QString& name : QDir(folder).entryList({"*.pt2"}, QDir::Files)) QTest::newRow(qPrintable(name)) << folder + "/" + name;
        } else {
            QTest::newRow("none") << QString();
        }
    }
    void damagedFilesOpenOrFailInWords() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("The corpus is not there, so damaged files are not opened.");
        // The processor's time, since other tests may run beside this one; sanitizers make everything slower.
        const std::clock_t started = std::clock();
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        if (!archive) {
            QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
            QVERIFY(!archive.error().what.empty());
            QVERIFY2(!archive.error().help.empty(), qPrintable(message(archive.error())));
        } else {
            for (MemberIndex i = 0; i < (*archive)->members().size(); ++i) {
                const auto bytes = (*archive)->read(i);
                if (!bytes) QCOMPARE(bytes.error().kind, ErrorKind::Unreadable);
                const auto& member = (*archive)->members()[i];
                ByteBuffer window(std::size_t(std::min<std::uint64_t>(member.size, 64)));
                (void)(*archive)->readAt(i, member.size - window.size(), window);
            }
        }
        const double seconds = double(std::clock() - started) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < (kSanitized ? 20 : 2), qPrintable(QString::number(seconds)));
    }

    void containerDamageIsNamed_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("code");  // of an issue, or of the Error with a leading !
        const std::pair<const char*, const char*> rows[] = {
            {"empty.pt2", "!archive.other"},
            {"not_a_zip.pt2", "!archive.other"},
            {"random_bytes.pt2", "!archive.unknown"},
            {"trunc_1_byte.pt2", "!archive.truncated"},
            {"trunc_eocd.pt2", "!archive.truncated"},
            {"trunc_cd.pt2", "!archive.truncated"},
            {"trunc_half.pt2", "!archive.truncated"},
            {"trunc_30.pt2", "!archive.truncated"},
            {"zip_empty.pt2", "!archive.empty"},
            {"zip_unknown.pt2", "!archive.other"},
            {"bad_cd_offset.pt2", "!archive.bad-directory"},
            {"encrypted_flag.pt2", "!archive.encrypted"},
            {"wrong_archive_format.pt2", "!archive.unknown-format"},
            {"bad_cd_count.pt2", "archive.bad-count"},
            {"overlap.pt2", "archive.overlap"},
            {"size_lie_large.pt2", "archive.bad-size"},
            {"size_lie_stored.pt2", "archive.size-mismatch"},
            {"local_name_differs.pt2", "archive.name-differs"},
            {"bomb_ratio.pt2", "archive.high-ratio"},
            {"bomb_json.pt2", "archive.high-ratio"},
            {"dup_json.pt2", "archive.duplicate-name"},
            {"dup_weight.pt2", "archive.duplicate-name"},
            {"name_traversal.pt2", "archive.unsafe-name"},
            {"name_absolute.pt2", "archive.unsafe-name"},
            {"name_backslash.pt2", "archive.unsafe-name"},
            {"name_drive.pt2", "archive.unsafe-name"},
            {"name_control_chars.pt2", "archive.unsafe-name"},
            {"name_nul.pt2", "archive.unsafe-name"},
            {"name_not_utf8.pt2", "archive.unsafe-name"},
            {"name_long.pt2", "archive.unsafe-name"},
            {"aoti_so_traversal.pt2", "archive.unsafe-name"},
            {"directories.pt2", "archive.directory-entry"},
            {"symlink.pt2", "archive.link"},
            {"encrypted_weight.pt2", "archive.encrypted"},
            {"all_deflated.pt2", "archive.deflated"},
            {"zip64_huge.pt2", "archive.bad-size"},
            {"zip64_no_extra.pt2", "archive.bad-size"},
            {"zip64_bad_locator.pt2", "archive.bad-zip64-locator"},
            {"data_after_end.pt2", "archive.trailing-bytes"},
            {"prefix_plain.pt2", "archive.prefix"},
            {"prefix_adjusted.pt2", "archive.prefix"},
            {"comment_eocd.pt2", "archive.two-end-records"},
            {"two_roots.pt2", "archive.beside-root"},
            {"no_root.pt2", "archive.no-root"},
            {"deep_root.pt2", "archive.deep-root"},
        };
        for (const auto& [file, code] : rows) QTest::newRow(file) << QString(file) << QString(code);
    }
    void containerDamageIsNamed() {
        QFETCH(QString, file);
        QFETCH(QString, code);
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so damaged files are not opened.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/damaged/" + file).toStdString(), issues);
        if (code.startsWith('!')) {
            QVERIFY(!archive);
            QCOMPARE(QString::fromStdString(archive.error().code), code.mid(1));
            return;
        }
        QVERIFY2(archive, archive ? "" : qPrintable(message(archive.error())));
        QStringList codes;
        for (const Issue& issue : issues) codes << QString::fromStdString(issue.code);
        QVERIFY2(codes.contains(code), qPrintable(codes.join(' ')));
    }

    void wrongChecksumIsAnErrorOrAnIssue() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so a wrong checksum is not read.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/damaged/bad_crc_weight.pt2").toStdString(), issues);
        QVERIFY(archive);
        const auto weight = (*archive)->find("data/weights/weight_0");
        QVERIFY(weight);
        const auto strict = (*archive)->read(*weight);
        QVERIFY(!strict);
        QCOMPARE(strict.error().code, std::string("archive.bad-crc"));
        const std::size_t before = issues.size();
        const auto tolerant = (*archive)->read(*weight, issues);
        QVERIFY(tolerant);
        QCOMPARE(tolerant->size(), std::size_t((*archive)->members()[*weight].size));
        QCOMPARE(issues.size(), before + 1);
        QCOMPARE(issues.back().code, std::string("archive.bad-crc"));
    }

    void tooLargeMemberIsRefusedByItsLimit() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so the limit is not tried.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(archive);
        const auto bytes = (*archive)->read(0, 511);
        QVERIFY(!bytes);
        QCOMPARE(bytes.error().code, std::string("archive.member-too-large"));
        QVERIFY((*archive)->read(0, 512));
    }

    void changeUnderneathIsNoticed() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no file is changed underneath.");
        QTemporaryDir folder;
        const QString path = folder.filePath("tiny.pt2");
        QVERIFY(QFile::copy(tests::corpus() + "/2.13.0/tiny.pt2", path));
        QFile file(path);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(archive);
        QVERIFY((*archive)->verifyUnchanged());
        QVERIFY(file.resize(5000));
        const auto changed = (*archive)->verifyUnchanged();
        QVERIFY(!changed);
        QCOMPARE(changed.error().code, std::string("file.changed"));
        const auto last = (*archive)->read(MemberIndex((*archive)->members().size() - 1));
        QVERIFY(!last);
        QCOMPARE(last.error().code, std::string("file.changed"));
        QVERIFY(!(*archive)->sha256());
    }

    void streamStopsWhenCancelled() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no stream is cancelled.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(archive);
        const CancelToken cancel;
        cancel.request();
        const Status done = (*archive)->stream(
            0, [](Bytes) -> Status { return {}; }, cancel);
        QVERIFY(!done);
        QCOMPARE(done.error().kind, ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestZip)
#include "tst_zip.moc"

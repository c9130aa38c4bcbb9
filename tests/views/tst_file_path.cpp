#include <QTemporaryDir>
#include <QUrl>
#include <QtTest>
#include <fstream>

#include "views/frame/file_path.h"

using namespace pt2::views;

/// A path is any bytes: it comes back as it went in, and people can read it.
class FilePathTest : public QObject {
    Q_OBJECT

    static void names() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* title, const char* bytes, const QString& shown) { QTest::newRow(title) << QByteArray(bytes) << shown; };
        row("plain", "model.pt2", "model.pt2");
        row("UTF-8", "Mod\xC3\xA8le \xE6\x97\xA5.pt2", QString::fromUtf8("Mod\xC3\xA8le \xE6\x97\xA5.pt2"));
        row("beyond 16 bits", "\xF0\x9F\x98\x80.pt2", QString::fromUtf8("\xF0\x9F\x98\x80.pt2"));
        row("Latin-1", "mod\xE8le.pt2", "mod\\xe8le.pt2");
        row("cut at the end", "a\xE6\x97", "a\\xe6\\x97");
        row("overlong", "a\xC0\xAF.pt2", "a\\xc0\\xaf.pt2");
        row("surrogates in UTF-8", "a\xED\xA0\x80.pt2", "a\\xed\\xa0\\x80.pt2");
        row("a real replacement character", "a\xEF\xBF\xBD.pt2", QString::fromUtf8("a\xEF\xBF\xBD.pt2"));
    }

private slots:
    void bytesComeBackAsTheyWentIn_data() { names(); }
    void bytesComeBackAsTheyWentIn() {
        QFETCH(const QByteArray, bytes);
        const QString text = pathText(bytes.constData());
        QCOMPARE(QByteArray::fromStdString(systemPath(text).native()), bytes);
        QCOMPARE(pathText(systemPath(text)), text);
        QTEST(shownFileName(QStringLiteral("/somewhere/") + text), "shown");
    }

    void aDroppedFileIsTheFile_data() { names(); }
    void aDroppedFileIsTheFile() {
        QFETCH(const QByteArray, bytes);
        const QUrl url = QUrl::fromEncoded("file:///folder/" + bytes.toPercentEncoding());
        QCOMPARE(QByteArray::fromStdString(systemPath(pathText(url)).native()), QByteArray("/folder/" + bytes));
    }

    void whatIsThereIsFound_data() { names(); }
    void whatIsThereIsFound() {
        QFETCH(const QByteArray, bytes);
        QTemporaryDir folder;
        const QString path = pathText((folder.path().toUtf8() + '/' + bytes).constData());
        QVERIFY(!pathExists(path));
        QVERIFY(!lastModified(path).isValid());
        std::ofstream(systemPath(path)) << "x";
        QVERIFY(pathExists(path));
        QVERIFY(lastModified(path).isValid());
        QCOMPARE(folderOf(path), absolutePath(folder.path()));
    }
};

QTEST_GUILESS_MAIN(FilePathTest)
#include "tst_file_path.moc"

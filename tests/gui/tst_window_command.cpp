#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <string>

#include "tests/places.h"
#include "views/frame/file_path.h"

using namespace pt2::views;

namespace {

struct Ended {
    int code = -1;
    QByteArray out, err;
};

}  // namespace

/// pt2scope from the command line, as a script calls it.
class WindowCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const QString sample_ = pt2::tests::sourceFile("resources/sample/sample.pt2");

    Ended call(const QStringList& arguments) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove("QT_QPA_PLATFORM");
        environment.remove("XDG_RUNTIME_DIR");
        process.setProcessEnvironment(environment);
        process.start(pt2::tests::builtProgram("pt2scope"), arguments);
        if (!process.waitForFinished(120'000)) return {};
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }

    QByteArray content(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void aPictureIsWrittenAndNothingElseIsSaid() {
        const QString picture = folder_.filePath("a.png");
        const Ended ended = call({sample_, "--size", "1000x700", "--screenshot", picture});
        QCOMPARE(ended.err, QByteArray());
        QCOMPARE(ended.out, QByteArray());
        QCOMPARE(ended.code, 0);
        QCOMPARE(QImage(picture).size(), QSize(1000, 700));
    }

    void aPictureThatExistsIsReplacedOnlyWithForce() {
        const QString picture = folder_.filePath("b.png");
        QFile file(picture);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        const Ended refused = call({sample_, "--screenshot", picture});
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("exists already") && refused.err.contains("--force"), refused.err.constData());
        QCOMPARE(content(picture), QByteArray("mine"));
        const Ended replaced = call({sample_, "--screenshot", picture, "--force"});
        QCOMPARE(replaced.code, 0);
        QVERIFY(!QImage(picture).isNull());
    }

    void whatIsNoPictureIsRefused() {
        const QString picture = folder_.filePath("c.pt2");
        const Ended ended = call({sample_, "--screenshot", picture});
        QCOMPARE(ended.code, 2);
        QVERIFY2(ended.err.contains(".png"), ended.err.constData());
        QVERIFY(!QFile::exists(picture));
    }

    void aPlaceThatCannotBeWrittenIsSaid() {
        const Ended ended = call({sample_, "--screenshot", folder_.filePath("nowhere/d.png")});
        QCOMPARE(ended.code, 6);
        QVERIFY(!ended.err.isEmpty());
    }

    /// The name of the file is bytes, not characters.
    void aFileWhoseNameIsNoUtf8Opens() {
        const std::string name = folder_.path().toStdString() + "/mod\xE8le.pt2";
        std::filesystem::copy_file(sample_.toStdString(), name);
        const std::string picture = folder_.path().toStdString() + "/bild\xE8.png";
        // QProcess takes characters: the shell hands the bytes on.
        QFile script(folder_.filePath("call.sh"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("exec '" + pt2::tests::builtProgram("pt2scope").toUtf8() + "' '" + QByteArray::fromStdString(name) + "' --screenshot '" +
                     QByteArray::fromStdString(picture) + "'\n");
        script.close();
        QProcess shell;
        shell.start("/bin/sh", {script.fileName()});
        QVERIFY(shell.waitForFinished(120'000));
        const QByteArray said = shell.readAllStandardError();
        QVERIFY2(shell.exitCode() == 0, said.constData());
        QVERIFY(std::filesystem::file_size(picture) > 1000);
    }

    void aFileThatIsNotThereIsSaidWithItsExitCode() {
        const Ended ended = call({folder_.filePath("none.pt2"), "--screenshot", folder_.filePath("e.png")});
        QVERIFY(ended.code == 3 || ended.code == 6);
        QVERIFY2(ended.err.contains("none.pt2"), ended.err.constData());
    }
};

QTEST_GUILESS_MAIN(WindowCommandTest)
#include "tst_window_command.moc"

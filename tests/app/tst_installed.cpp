#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <set>

#include "tests/engine_tools.h"
#include "tests/places.h"

using pt2::tests::EngineTools;

namespace {

struct Ended {
    int exit = -1;
    QByteArray out, error;
};

Ended start(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    Ended ended;
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return ended;
    }
    ended.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    ended.out = process.readAllStandardOutput();
    ended.error = process.readAllStandardError();
    return ended;
}

QByteArray textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// What cmake --install puts down is complete: the programs run from there and find what belongs to them.
class InstalledTest : public QObject {
    Q_OBJECT

    QTemporaryDir prefix_;
    std::unique_ptr<EngineTools> machine_;
    bool window_ = QFileInfo::exists(pt2::tests::builtProgram("pt2scope"));

    QString at(const QString& name) const { return prefix_.filePath(name); }

private slots:
    void initTestCase() {
        const QString cmake = QStandardPaths::findExecutable("cmake");
        if (cmake.isEmpty()) QSKIP("there is no cmake in the PATH: nothing was installed");
        // The worker of this build is a part of its own, which a package leaves out as well.
        const Ended installed = start(cmake, {"--install", pt2::tests::builtProgram(".."), "--prefix", prefix_.path(), "--component", "Unspecified"});
        QVERIFY2(installed.exit == 0, installed.error.constData());
        machine_ = std::make_unique<EngineTools>();
    }

    void theFilesAreThere() {
        std::set<QString> files;
        QDirIterator it(prefix_.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString file = it.next().mid(prefix_.path().size() + 1);
            if (!file.startsWith("share/pt2scope/worker/core/")) files.insert(file);
        }
        std::set<QString> expected = {"bin/pt2",
                                      "share/bash-completion/completions/pt2",
                                      "share/doc/pt2scope/README.md",
                                      "share/doc/pt2scope/copyright",
                                      "share/fish/vendor_completions.d/pt2.fish",
                                      "share/man/man1/pt2.1",
                                      "share/pt2scope/python/pt2scope_helper.py",
                                      "share/pt2scope/sample/sample.pt2",
                                      "share/pt2scope/worker/CMakeLists.txt",
                                      "share/pt2scope/worker/LICENSE",
                                      "share/pt2scope/worker/app/worker/main.cpp",
                                      "share/pt2scope/worker/cmake/FindLibTorch.cmake",
                                      "share/zsh/vendor-completions/_pt2"};
        if (window_) {
            expected.insert({"bin/pt2scope", "share/applications/pt2scope.desktop", "share/icons/hicolor/scalable/apps/pt2scope.svg",
                             "share/icons/hicolor/scalable/mimetypes/application-x-pytorch-pt2.svg", "share/man/man1/pt2scope.1",
                             "share/mime/packages/pt2scope.xml"});
        }
        for (const QString& file : expected) QVERIFY2(files.count(file) == 1, qPrintable(file + " is missing"));
        for (const QString& file : files) QVERIFY2(expected.count(file) == 1, qPrintable(file + " is too much"));
    }

    void theWorkersSourcesAreComplete() {
        static const QRegularExpression kInclude("^#include \"([^\"]+)\"", QRegularExpression::MultilineOption);
        const QString sources = at("share/pt2scope/worker");
        int files = 0;
        QDirIterator it(sources, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = it.next();
            ++files;
            auto matches = kInclude.globalMatch(QString::fromUtf8(textOf(path)));
            while (matches.hasNext()) {
                const QString header = matches.next().captured(1);
                QVERIFY2(QFileInfo::exists(sources + "/" + header), qPrintable(path + " includes " + header));
            }
            // Word for word what this tree has.
            QCOMPARE(textOf(path), textOf(pt2::tests::sourceFile(path.mid(sources.size() + 1).toUtf8())));
        }
        QVERIFY2(files > 20 && files < 80, qPrintable(QString::number(files)));
        QVERIFY(QFileInfo::exists(sources + "/core/engine/compiled_runner.cpp"));
    }

    void theCommandLineRunsFromThere() {
        const Ended version = start(at("bin/pt2"), {"--version"});
        QVERIFY2(version.exit == 0 && version.out.startsWith("pt2 "), version.error.constData());
        const Ended inspect = start(at("bin/pt2"), {"inspect", at("share/pt2scope/sample/sample.pt2"), "--json"});
        QVERIFY2(inspect.exit == 0 && inspect.out.contains("\"programs\""), inspect.error.constData());
    }

    void theWindowRunsFromThere() {
        if (!window_) QSKIP("the window was not built: it was not started");
        const Ended drawn = start(at("bin/pt2scope"), {at("share/pt2scope/sample/sample.pt2"), "--screenshot", at("window.png")});
        QVERIFY2(drawn.exit == 0, drawn.error.constData());
        QCOMPARE(QImage(at("window.png")).size(), QSize(1440, 900));
        QVERIFY(QFile::remove(at("window.png")));
    }

    /// Of the run engine's sources there are two here: those of the build tree and those beside the installed program.
    void anInstalledProgramTakesItsOwnSources() {
        const QString torch = machine_->torch("torch");
        QVERIFY(machine_->build("echo \"sources: $2\"; exit 1", "exit 1"));
        qunsetenv("PT2SCOPE_RESOURCES");
        const Ended ended = start(at("bin/pt2"), {"engine", "install", "--libtorch", torch, "--json"});
        QCOMPARE(ended.exit, 6);
        QVERIFY2(ended.out.contains("engine.build-failed"), ended.out.constData());
        const QByteArray log = textOf(machine_->engines() + "/build.log");
        QVERIFY2(log.contains(("sources: " + QDir(at("share/pt2scope/worker")).canonicalPath()).toLocal8Bit()) ||
                     log.contains(("sources: " + at("share/pt2scope/worker")).toLocal8Bit()),
                 log.constData());
    }

    void theManPagesTellTheOptions() {
        const QByteArray page = textOf(at("share/man/man1/pt2.1"));
        QVERIFY(page.startsWith(".TH") && page.contains("engine") && page.contains("recompile"));
        if (!window_) QSKIP("the window was not built: its man page was not compared with it");
        const QByteArray window = textOf(at("share/man/man1/pt2scope.1")).replace("\\-", "-");
        static const QRegularExpression kOption("--([a-z][a-z-]*)");
        auto options = kOption.globalMatch(QString::fromUtf8(start(at("bin/pt2scope"), {"--help"}).out));
        int count = 0;
        while (options.hasNext()) {
            const QString option = options.next().captured(0);
            if (option == "--help-all") continue;  // Qt's own, for the options of the toolkit
            ++count;
            QVERIFY2(window.contains(option.toUtf8()), qPrintable(option + " is not in the man page"));
        }
        QVERIFY(count >= 7);
    }

    void theDesktopKnowsProgramAndType() {
        if (!window_) QSKIP("the window was not built: nothing is registered");
        const QByteArray entry = textOf(at("share/applications/pt2scope.desktop")), type = textOf(at("share/mime/packages/pt2scope.xml"));
        QVERIFY(entry.contains("\nExec=pt2scope %F\n") && entry.contains("\nMimeType=application/x-pytorch-pt2;\n") &&
                entry.contains("\nIcon=pt2scope\n"));
        QVERIFY(type.contains("type=\"application/x-pytorch-pt2\"") && type.contains("pattern=\"*.pt2\""));
        for (const char* picture : {"apps/pt2scope.svg", "mimetypes/application-x-pytorch-pt2.svg"})
            QVERIFY(textOf(at("share/icons/hicolor/scalable/") + picture).contains("viewBox"));
        const QString update = QStandardPaths::findExecutable("update-mime-database", {"/usr/bin"});
        if (update.isEmpty()) QSKIP("there is no update-mime-database: the type was not registered");
        const Ended updated = start(update, {at("share/mime")});
        QVERIFY2(updated.exit == 0, updated.error.constData());
        QVERIFY(textOf(at("share/mime/globs2")).contains("60:application/x-pytorch-pt2:*.pt2"));
    }
};

QTEST_MAIN(InstalledTest)
#include "tst_installed.moc"

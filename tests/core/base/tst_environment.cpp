#include <QScopeGuard>
#include <QTest>
#include <filesystem>

#include "core/base/environment.h"

using namespace pt2;

class TestEnvironment : public QObject {
    Q_OBJECT

private slots:
    void aVariableThatIsNotSetIsEmpty() {
        qunsetenv("PT2SCOPE_TEST_VARIABLE");
        QCOMPARE(environmentValue("PT2SCOPE_TEST_VARIABLE"), std::string());
        qputenv("PT2SCOPE_TEST_VARIABLE", "a value");
        QCOMPARE(environmentValue("PT2SCOPE_TEST_VARIABLE"), std::string("a value"));
    }

    void aRelativePathNamesNoFolder() {
        qputenv("PT2SCOPE_TEST_VARIABLE", "relative/folder");
        QVERIFY(folderVariable("PT2SCOPE_TEST_VARIABLE").empty());
        qputenv("PT2SCOPE_TEST_VARIABLE", "/some/folder");
        QCOMPARE(folderVariable("PT2SCOPE_TEST_VARIABLE").string(), std::string("/some/folder"));
    }

    void theCacheIsWhereTheUserKeepsIt() {
        const QByteArray cache = qgetenv("XDG_CACHE_HOME"), home = qgetenv("HOME");
        const auto restore = qScopeGuard([&] {
            cache.isNull() ? qunsetenv("XDG_CACHE_HOME") : qputenv("XDG_CACHE_HOME", cache);
            home.isNull() ? qunsetenv("HOME") : qputenv("HOME", home);
        });
        qputenv("HOME", "/home/somebody");
        qputenv("XDG_CACHE_HOME", "/elsewhere");
        QCOMPARE(userCacheFolder().string(), std::string("/elsewhere"));
        qunsetenv("XDG_CACHE_HOME");
        QCOMPARE(userCacheFolder().string(), std::string("/home/somebody/.cache"));
        qunsetenv("HOME");
        QVERIFY(userCacheFolder().empty());
    }

    void programsAreFoundAsAShellFindsThem() {
        QVERIFY(std::filesystem::path(programOnPath("sh")).is_absolute());
        QCOMPARE(programOnPath("/bin/sh"), std::string("/bin/sh"));
        QCOMPARE(programOnPath("/no/such/program"), std::string());
        QCOMPARE(programOnPath("no-such-program-anywhere"), std::string());
        QCOMPARE(programOnPath("/usr/bin"), std::string());  // a folder is no program
        QCOMPARE(programOnPath(""), std::string());
    }

    void theBinarysFolderIsWhereItRuns() { QCOMPARE(folderOfBinary().string(), QCoreApplication::applicationDirPath().toStdString()); }
};

QTEST_GUILESS_MAIN(TestEnvironment)
#include "tst_environment.moc"

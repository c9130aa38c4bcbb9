#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QtTest>
#include <map>
#include <set>
#include <vector>

namespace {

const QString kRoot = QStringLiteral(PT2SCOPE_SOURCE_DIR);

struct Include {
    QString file;  // below the root
    int line = 0;
    QString target;  // what stands between the quotes or brackets
};

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList sourcesBelow(const QString& folder) {
    QStringList files;
    QDirIterator it(kRoot + "/" + folder, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) files << it.next().mid(kRoot.size() + 1);
    files.sort();
    return files;
}

std::vector<Include> includesOf(const QString& file) {
    static const QRegularExpression kInclude(QStringLiteral("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]"));
    std::vector<Include> includes;
    int number = 0;
    for (const QString& line : textOf(kRoot + "/" + file).split('\n')) {
        ++number;
        const QRegularExpressionMatch match = kInclude.match(line);
        if (match.hasMatch()) includes.push_back({file, number, match.captured(1)});
    }
    return includes;
}

std::vector<Include> includesBelow(const QString& folder) {
    std::vector<Include> all;
    for (const QString& file : sourcesBelow(folder)) {
        for (Include& include : includesOf(file)) all.push_back(std::move(include));
    }
    return all;
}

/// The folders of core in the order of core/CMakeLists.txt: each may use those before it.
QStringList coreFolders() {
    const QString text = textOf(kRoot + "/core/CMakeLists.txt");
    const QRegularExpressionMatch match = QRegularExpression(QStringLiteral("foreach\\(_folder ([^)]*)\\)")).match(text);
    QStringList folders = match.captured(1).split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
    folders << QStringLiteral("engine");
    return folders;
}

QString coreFolderOf(const QString& path) { return path.startsWith("core/") ? path.section('/', 1, 1) : QString(); }

bool isQt(const QString& target) { return QRegularExpression(QStringLiteral("^(Q[A-Z][A-Za-z]*|Qt[A-Z].*)(/.*)?$")).match(target).hasMatch(); }
bool isTorch(const QString& target) { return QRegularExpression(QStringLiteral("^(torch|ATen|c10|caffe2)/")).match(target).hasMatch(); }

QString at(const Include& include) { return QStringLiteral("%1:%2 includes %3").arg(include.file).arg(include.line).arg(include.target); }

void verifyNone(const QStringList& breaches) { QVERIFY2(breaches.isEmpty(), qPrintable("\n" + breaches.join('\n'))); }

}  // namespace

class TestStructure : public QObject {
    Q_OBJECT

private slots:
    void everyFolderOfCoreHasItsPlaceInTheOrder() {
        const QStringList order = coreFolders();
        QVERIFY(order.size() > 5);
        for (const QString& folder : QDir(kRoot + "/core").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QVERIFY2(order.contains(folder), qPrintable(folder));
        for (const QString& folder : order) QVERIFY2(QFileInfo(kRoot + "/core/" + folder).isDir(), qPrintable(folder));
    }

    void includesOfCoreGoDownwardOnly() {
        const QStringList order = coreFolders();
        QStringList breaches;
        for (const Include& include : includesBelow("core")) {
            const QString to = coreFolderOf(include.target);
            if (to.isEmpty()) {
                if (include.target.startsWith("views/") || include.target.startsWith("app/") || include.target.startsWith("tests/"))
                    breaches << at(include);
                continue;
            }
            if (order.indexOf(to) > order.indexOf(coreFolderOf(include.file))) breaches << at(include);
        }
        verifyNone(breaches);
    }

    void viewsIncludeNeitherAppNorEngine() {
        QStringList breaches;
        for (const Include& include : includesBelow("views")) {
            if (include.target.startsWith("app/") || include.target.startsWith("core/engine/")) breaches << at(include);
        }
        verifyNone(breaches);
    }

    void onlyTheWorkerIncludesTheEngine() {
        QStringList breaches;
        for (const char* folder : {"app", "core", "views"}) {
            for (const Include& include : includesBelow(folder)) {
                const bool allowed = include.file.startsWith("core/engine/") || include.file.startsWith("app/worker/");
                if (include.target.startsWith("core/engine/") && !allowed) breaches << at(include);
            }
        }
        verifyNone(breaches);
    }

    void coreAndTheCommandLineIncludeNoQt() {
        QStringList breaches;
        for (const char* folder : {"core", "app/pt2", "app/worker"}) {
            for (const Include& include : includesBelow(folder)) {
                if (isQt(include.target)) breaches << at(include);
            }
        }
        verifyNone(breaches);
    }

    void onlyEngineAndWorkerIncludeLibTorch() {
        QStringList breaches;
        for (const char* folder : {"app", "core", "views"}) {
            for (const Include& include : includesBelow(folder)) {
                const bool allowed = include.file.startsWith("core/engine/") || include.file.startsWith("app/worker/");
                if (isTorch(include.target) && !allowed) breaches << at(include);
            }
        }
        verifyNone(breaches);
    }

    void projectIncludesNameAFileFromTheRoot() {
        QStringList breaches;
        for (const char* folder : {"app", "core", "views", "tests"}) {
            for (const Include& include : includesBelow(folder)) {
                static const QRegularExpression kOurs(QStringLiteral("^(app|core|views|tests)/"));
                if (kOurs.match(include.target).hasMatch() && !QFileInfo::exists(kRoot + "/" + include.target)) breaches << at(include);
                if (include.target.startsWith("../") || include.target.startsWith("./")) breaches << at(include);
            }
        }
        verifyNone(breaches);
    }

    void noFileIncludesItselfThroughOthers() {
        std::map<QString, QStringList> graph;
        for (const char* folder : {"app", "core", "views"}) {
            for (const Include& include : includesBelow(folder)) {
                if (QFileInfo::exists(kRoot + "/" + include.target)) graph[include.file] << include.target;
            }
        }
        // Depth-first with a stack of our own: 0 unseen, 1 on the path, 2 done.
        std::map<QString, int> state;
        for (const auto& start : graph) {
            std::vector<std::pair<QString, int>> path{{start.first, 0}};
            while (!path.empty()) {
                const QString file = path.back().first;
                const QStringList& targets = graph[file];
                state[file] = state[file] == 2 ? 2 : 1;
                if (state[file] == 2 || path.back().second >= targets.size()) {
                    state[file] = 2;
                    path.pop_back();
                    continue;
                }
                const QString next = targets[path.back().second++];
                QVERIFY2(state[next] != 1, qPrintable(file + " and " + next + " include each other"));
                if (state[next] == 0) path.emplace_back(next, 0);
            }
        }
    }

    void namesTellWhatIsInAFile() {
        static const QRegularExpression kName(QStringLiteral("^[a-z][a-z0-9_]*\\.(h|cpp)$"));
        static const QRegularExpression kVague(QStringLiteral("(^|_)(util|utils|misc|common|helper|helpers|manager|stuff|tmp|temp)[0-9]*\\."));
        QStringList breaches;
        for (const char* folder : {"app", "core", "views", "tests"}) {
            for (const QString& file : sourcesBelow(folder)) {
                const QString name = QFileInfo(file).fileName();
                if (!kName.match(name).hasMatch() || (kVague.match(name).hasMatch() && name != "python_helper.h" && name != "python_helper.cpp"))
                    breaches << file;
            }
        }
        verifyNone(breaches);
    }

    void everyHeaderIsGuarded() {
        QStringList breaches;
        for (const char* folder : {"app", "core", "views", "tests"}) {
            for (const QString& file : sourcesBelow(folder)) {
                if (file.endsWith(".h") && !textOf(kRoot + "/" + file).contains("#pragma once")) breaches << file;
            }
        }
        verifyNone(breaches);
    }

    void noFileIsTooLongToBeOneSubject() {
        constexpr int kAim = 500;
        constexpr int kLimit = 700;
        QStringList breaches;
        for (const char* folder : {"app", "core", "views", "tests"}) {
            for (const QString& file : sourcesBelow(folder)) {
                const int lines = int(textOf(kRoot + "/" + file).count('\n'));
                if (lines > kAim) qInfo("%s has %d lines; %d is the aim", qPrintable(file), lines, kAim);
                if (lines > kLimit) breaches << QStringLiteral("%1 has %2 lines").arg(file).arg(lines);
            }
        }
        verifyNone(breaches);
    }
};

QTEST_GUILESS_MAIN(TestStructure)
#include "tst_structure.moc"

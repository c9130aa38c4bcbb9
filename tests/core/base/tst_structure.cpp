#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QtTest>
#include <map>
#include <set>
#include <vector>

#include "tests/places.h"

namespace {

const QString kRoot = pt2::tests::sourceFile(".");

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
    QDirIterator it(kRoot + "/" + folder, {"*.h", "*.hpp", "*.c", "*.cc", "*.cpp", "*.inc"}, QDir::Files, QDirIterator::Subdirectories);
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

/// "views/graph", "core/run", "app/pt2": the room a file is in; empty for one that lies directly below app, core or views.
QString roomOf(const QString& path) { return path.count('/') >= 2 ? path.section('/', 0, 1) : QString(); }

QString coreFolderOf(const QString& path) { return path.startsWith("core/") ? path.section('/', 1, 1) : QString(); }

/// <QString>, <QtCore/qglobal.h>, <qobject.h>.
bool isQt(const QString& target) {
    static const QRegularExpression kQt(QStringLiteral("^(Q[A-Z][A-Za-z0-9]*|Qt[A-Z].*|q[a-z0-9_]+\\.h)(/.*)?$"));
    return kQt.match(target).hasMatch();
}
bool isTorch(const QString& target) { return QRegularExpression(QStringLiteral("^(torch|ATen|c10|caffe2)/")).match(target).hasMatch(); }

/// The standard headers that a file reaches by its own includes and those of this tree. What other libraries bring along does not count.
std::set<QString> standardHeadersOf(const QString& file) {
    static const QRegularExpression kStandard(QStringLiteral("^[a-z_0-9]+(\\.h)?$"));
    static std::map<QString, std::vector<Include>> read;  // each file is on the way of many
    std::set<QString> seen{file}, headers;
    std::vector<QString> work{file};
    while (!work.empty()) {
        const QString next = work.back();
        work.pop_back();
        const auto [entry, isNew] = read.try_emplace(next);
        if (isNew) entry->second = includesOf(next);
        for (const Include& include : entry->second) {
            if (include.target.contains('/') && QFileInfo::exists(kRoot + "/" + include.target)) {
                if (seen.insert(include.target).second) work.push_back(include.target);
            } else if (kStandard.match(include.target).hasMatch()) {
                headers.insert(include.target);
            }
        }
    }
    return headers;
}

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

    /// Stated once more here (design, "Folders"), so that a changed CMake file does not change the rule.
    void theOrderIsTheDesigns() {
        const QStringList designed{"base",   "archive",  "tensor",  "symbol", "program", "compiled", "package",
                                   "search", "contract", "compare", "report", "layout",  "run",      "engine"};
        QCOMPARE(coreFolders(), designed);
    }

    void everyFileOfCoreIsInAFolder() {
        for (const QString& file : sourcesBelow("core")) QVERIFY2(!roomOf(file).isEmpty(), qPrintable(file));
    }

    void noTwoRoomsIncludeEachOther() {
        std::map<QString, std::set<QString>> uses;
        std::map<std::pair<QString, QString>, QString> because;
        for (const char* folder : {"app", "core", "views"}) {
            for (const Include& include : includesBelow(folder)) {
                const QString from = roomOf(include.file), to = roomOf(include.target);
                if (from.isEmpty() || to.isEmpty() || from == to || !QFileInfo::exists(kRoot + "/" + include.target)) continue;
                uses[from].insert(to);
                because[{from, to}] = at(include);
            }
        }
        // All rooms that can be reached from each.
        std::map<QString, std::set<QString>> reached = uses;
        for (bool grew = true; grew;) {
            grew = false;
            for (auto& [room, others] : reached) {
                for (const QString& other : std::set<QString>(others)) {
                    const auto next = reached.find(other);
                    if (next == reached.end()) continue;
                    for (const QString& far : next->second) grew = others.insert(far).second || grew;
                }
            }
        }
        QStringList breaches;
        for (const auto& [pair, why] : because) {
            const auto back = reached.find(pair.second);
            if (back != reached.end() && back->second.count(pair.first) > 0) breaches << why;
        }
        verifyNone(breaches);
    }

    void theCommandLineAndTheWorkerIncludeNoViews() {
        QStringList breaches;
        for (const char* folder : {"app/pt2", "app/worker"}) {
            for (const Include& include : includesBelow(folder)) {
                if (include.target.startsWith("views/") || include.target.startsWith("app/pt2scope/")) breaches << at(include);
            }
        }
        verifyNone(breaches);
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
                // A file beside the one that includes it is named from the root too.
                const bool beside = QFileInfo::exists(QFileInfo(kRoot + "/" + include.file).path() + "/" + include.target);
                if (beside && !include.target.endsWith(".moc")) breaches << at(include);
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
        static const QRegularExpression kName(QStringLiteral("^[a-z][a-z0-9_]*\\.(h|cpp|inc)$"));
        static const QRegularExpression kVague(QStringLiteral("(^|_)(util|utils|misc|common|helper|helpers|manager|stuff|tmp|temp)[0-9]*\\."));
        QStringList breaches;
        for (const char* folder : {"app", "core", "views", "tests"}) {
            for (const QString& file : sourcesBelow(folder)) {
                const QString name = QFileInfo(file).fileName();
                if (!kName.match(name).hasMatch() || kVague.match(name).hasMatch()) breaches << file;
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

    // Standard libraries differ in what one header brings of another, and each release brings less.
    void everyFileReachesTheStandardHeadersOfWhatItUses() {
        struct Use {
            QRegularExpression pattern;
            QStringList headers;  // one of these
        };
        const Use uses[] = {
            {QRegularExpression(QStringLiteral("\\bstd::u?int(8|16|32|64|ptr|max)_t\\b")), {"cstdint", "stdint.h", "cinttypes"}},
            {QRegularExpression(QStringLiteral(
                 "\\bstd::(sort|stable_sort|find|find_if|any_of|all_of|none_of|min|max|clamp|copy|copy_n|fill|fill_n|transform|reverse|unique|"
                 "remove_if|lower_bound|upper_bound|count|count_if|equal|replace|search|mismatch|min_element|max_element|rotate)[(<]")),
             {"algorithm"}},
            {QRegularExpression(QStringLiteral("\\bstd::numeric_limits\\b")), {"limits"}},
            {QRegularExpression(QStringLiteral("\\bstd::(unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)\\b")), {"memory"}},
            {QRegularExpression(QStringLiteral("\\bstd::function\\b")), {"functional"}},
            {QRegularExpression(QStringLiteral("\\b(std::)?(memcpy|memcmp|memset|memmove|memchr|strlen)\\(")), {"cstring", "string.h"}},
            {QRegularExpression(QStringLiteral("\\bstd::vector\\b")), {"vector"}},
            {QRegularExpression(QStringLiteral("\\bstd::(string|to_string)\\b")), {"string"}},
            {QRegularExpression(QStringLiteral("\\bstd::(optional|nullopt)\\b")), {"optional"}},
            {QRegularExpression(QStringLiteral("\\bstd::chrono\\b")), {"chrono"}},
        };
        static const QRegularExpression kCommentOrText(QStringLiteral("//[^\\n]*|\"(\\\\.|[^\"\\\\\\n])*\""));
        QStringList breaches;
        for (const char* folder : {"app", "core", "views", "tests"}) {
            for (const QString& file : sourcesBelow(folder)) {
                const QString code = textOf(kRoot + "/" + file).remove(kCommentOrText);
                const std::set<QString> reached = standardHeadersOf(file);
                for (const Use& use : uses) {
                    const QRegularExpressionMatch match = use.pattern.match(code);
                    bool found = !match.hasMatch();
                    for (const QString& header : use.headers) found = found || reached.count(header) > 0;
                    if (!found) breaches << QStringLiteral("%1 uses %2 without <%3>").arg(file, match.captured(0), use.headers.first());
                }
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
                if (file.endsWith(".inc")) continue;  // a table
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

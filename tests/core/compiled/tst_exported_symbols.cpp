#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/compiled/exported_symbols.h"
#include "core/compiled/this_machine.h"
#include "tests/core/compiled/built_library.h"

using namespace pt2;

/// Names are found in a library's hash table exactly when its symbol table defines them.
class ExportedSymbolsTest : public QObject {
    Q_OBJECT

    static std::vector<std::filesystem::path> runtimeLibraries() {
        std::vector<std::filesystem::path> paths;
        for (const std::string& path : systemLibraries({"libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libm.so.6"})) paths.emplace_back(path);
        return paths;
    }

    /// A library with 300 functions and the given kind of hash table.
    static QString compiled(const QTemporaryDir& folder, const QString& style) {
        QByteArray source = "extern int pt2_absent(void);\n";
        for (int i = 0; i < 300; ++i) source += QStringLiteral("int pt2_function_%1(void) { return %1 + pt2_absent(); }\n").arg(i).toUtf8();
        return tests::buildLibrary(folder, QStringLiteral("many.c"), source, {QStringLiteral("-Wl,--hash-style=") + style});
    }

private slots:
    void everyNameOfTheRuntimeLibrariesIsFoundAndNoOther() {
        const auto symbols = ExportedSymbols::of(runtimeLibraries());
        QVERIFY(symbols);
        QVERIFY(symbols->names().size() > 5000);
        std::size_t others = 0;
        for (const std::string& name : symbols->names()) {
            QVERIFY2(symbols->has(name), name.c_str());
            for (const std::string& other : {name + "_", name.substr(1), name.substr(0, name.size() - 1)}) {
                if (std::binary_search(symbols->names().begin(), symbols->names().end(), other)) continue;
                ++others;
                QVERIFY2(!symbols->has(other), other.c_str());
            }
        }
        QVERIFY(others > 5000);
        QVERIFY(!symbols->has(""));
    }

    void tablesOfBothKindsAnswerAlike_data() {
        QTest::addColumn<QString>("style");
        for (const char* style : {"gnu", "sysv", "both"}) QTest::newRow(style) << style;
    }
    void tablesOfBothKindsAnswerAlike() {
        if (tests::compiler().isEmpty()) QSKIP("There is no compiler here.");
        QFETCH(QString, style);
        QTemporaryDir folder;
        const QString library = compiled(folder, style);
        QVERIFY(!library.isEmpty());
        QCOMPARE(SymbolTable::open(library.toStdString()).has_value(), style != "sysv");
        const auto symbols = ExportedSymbols::of({library.toStdString()});
        QVERIFY(symbols);
        for (int i = 0; i < 300; ++i) QVERIFY(symbols->has("pt2_function_" + std::to_string(i)));
        QVERIFY(!symbols->has("pt2_function_300"));
        QVERIFY(!symbols->has("pt2_absent"));  // it is named there, and not defined
    }

    /// A library that was cut or overwritten gives an answer or none, in no time, and never more than it has.
    void aBrokenTableEndsTheSearch() {
        if (tests::compiler().isEmpty()) QSKIP("There is no compiler here.");
        QTemporaryDir folder;
        QFile whole(compiled(folder, QStringLiteral("gnu")));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray good = whole.readAll();
        std::mt19937 random(7);
        const QString path = folder.filePath(QStringLiteral("broken.so"));
        for (int round = 0; round < 400; ++round) {
            QByteArray bytes = good;
            if (round % 4 == 0) bytes.truncate(static_cast<qsizetype>(random() % static_cast<unsigned>(good.size())));
            for (int i = 0; i < 24 && !bytes.isEmpty(); ++i)
                bytes[static_cast<qsizetype>(random() % static_cast<unsigned>(std::min<qsizetype>(bytes.size(), 12'000)))] =
                    static_cast<char>(random());
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            file.write(bytes);
            file.close();
            if (const auto table = SymbolTable::open(path.toStdString())) {
                for (int i = 0; i < 300; i += 7) table->has("pt2_function_" + std::to_string(i));
            }
        }
    }

    void whatIsNoLibraryIsRefused() {
        QVERIFY(!ExportedSymbols::of({"/nowhere/libnothere.so"}));
        QVERIFY(!ExportedSymbols::of({"/etc/passwd"}));
    }
};

QTEST_GUILESS_MAIN(ExportedSymbolsTest)
#include "tst_exported_symbols.moc"

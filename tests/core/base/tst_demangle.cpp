#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cstddef>
#include <string>

#include "core/base/demangle.h"

using pt2::demangled;

class DemangleTest : public QObject {
    Q_OBJECT

private slots:
    void symbolsOfCxxAreReadable() {
        QCOMPARE(demangled("_ZN2at10abcdefghijERKSsb"), std::string("at::abcdefghij(std::string const&, bool)"));
        QCOMPARE(demangled("_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"),
                 std::string("c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&)"));
        QCOMPARE(demangled("_ZTVN3c103FooE"), std::string("vtable for c10::Foo"));
    }

    void otherNamesStayAsTheyAre() {
        for (const char* name : {"", "aoti_torch_clone", "_Z", "_ZN", "_ZN2at", "main", "_Z999999999999999999999x", "__Z3foov"}) {
            QCOMPARE(demangled(name), std::string(name));
        }
    }

    /// Each level names the one before twice: what is short in the file would be longer than any memory.
    void aNameThatStandsForGigabytesIsNotWrittenOut() {
        std::string doubling = "_Z1f1AIiiE", substituted = "_Z1f";
        for (int i = 0; i < 60; ++i) substituted += "1pI";
        substituted += "i";
        for (int i = 0; i < 60; ++i) substituted += "S_E";
        for (int i = 0; i < 60; ++i)
            doubling += "1AIS" + (i == 0 ? std::string() : std::string(1, static_cast<char>(i <= 10 ? '0' + i - 1 : 'A' + i - 11))) + "_S_E";
        std::string packs = "_Z1fIJ";
        packs.append(200, 'i');
        packs += "EEv";
        for (int i = 0; i < 100; ++i) packs += "Dp";
        packs += "T_";
        QElapsedTimer timer;
        timer.start();
        for (const std::string& name : {doubling, substituted, packs, std::string("_Z") + std::string(1'000'000, 'P') + "i"}) {
            QVERIFY(demangled(name).size() <= std::max<std::size_t>(name.size(), 4096));
        }
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    }

    void deepNamesEnd() {
        for (const char* part : {"P", "1aI", "N1a", "FvP", "XspL", "DTcl", "St"}) {
            std::string name = "_Z1f";
            while (name.size() + 4 < 1024) name += part;
            QVERIFY(!demangled(name).empty());
        }
    }
};

QTEST_GUILESS_MAIN(DemangleTest)
#include "tst_demangle.moc"

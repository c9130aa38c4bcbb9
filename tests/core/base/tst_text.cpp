#include <QtTest>
#include <cmath>
#include <limits>

#include "core/base/text.h"

using namespace pt2;

class TextTest : public QObject {
    Q_OBJECT
private slots:
    void numbersReadAsTheLookSays() {
        QCOMPARE(formatCount(2481), std::string("2,481"));
        QCOMPARE(formatCount(0), std::string("0"));
        QCOMPARE(formatCount(1234567), std::string("1,234,567"));
        QCOMPARE(formatCountShort(25668), std::string("25.7 k"));
        QCOMPARE(formatCountShort(6738415616ULL), std::string("6.74 B"));
        QCOMPARE(formatBytes(4826113024ULL), std::string("4.83 GB"));
        QCOMPARE(formatBytes(528), std::string("528 bytes"));
        QCOMPARE(formatBytes(999999), std::string("1.00 MB"));
        QCOMPARE(formatDuration(840e-9), std::string("840 ns"));
        QCOMPARE(formatDuration(12.4e-6), std::string("12.4 µs"));
        QCOMPARE(formatDuration(3.07e-3), std::string("3.07 ms"));
        QCOMPARE(formatDuration(1.24), std::string("1.24 s"));
        QCOMPARE(formatDuration(125), std::string("2 min 05 s"));
        QCOMPARE(formatPercent(0.124), std::string("12.4 %"));
        QCOMPARE(formatPercent(0.0001), std::string("< 0.1 %"));
        QCOMPARE(formatPercent(0), std::string("0 %"));
        QCOMPARE(formatOffset(0x3F2A10), std::string("0x003f2a10"));
    }
    void floatsAreWrittenAsPythonWritesThem() {
        QCOMPARE(pythonFloatRepr(1e-05), std::string("1e-05"));
        QCOMPARE(pythonFloatRepr(0.0001), std::string("0.0001"));
        QCOMPARE(pythonFloatRepr(0.1), std::string("0.1"));
        QCOMPARE(pythonFloatRepr(2), std::string("2.0"));
        QCOMPARE(pythonFloatRepr(1e16), std::string("1e+16"));
        QCOMPARE(pythonFloatRepr(1e15), std::string("1000000000000000.0"));
        QCOMPARE(pythonFloatRepr(-0.0), std::string("-0.0"));
        QCOMPARE(pythonFloatRepr(1.5e300), std::string("1.5e+300"));
        QCOMPARE(pythonFloatRepr(123456.789), std::string("123456.789"));
        QCOMPARE(pythonFloatRepr(5e-324), std::string("5e-324"));
        QCOMPARE(pythonFloatRepr(std::numeric_limits<double>::infinity()), std::string("inf"));
        QCOMPARE(pythonFloatRepr(std::nan("")), std::string("nan"));
    }
    void stringsAreQuotedAsPythonQuotesThem() {
        QCOMPARE(pythonStringRepr("a"), std::string("'a'"));
        QCOMPARE(pythonStringRepr("it's"), std::string("\"it's\""));
        QCOMPARE(pythonStringRepr("it's \"x\""), std::string("'it\\'s \"x\"'"));
        QCOMPARE(pythonStringRepr("a\\b\n\x07"), std::string("'a\\\\b\\n\\x07'"));
        QCOMPARE(pythonStringRepr("é"), std::string("'é'"));
    }
    void textOfAFileCannotDisturbTheScreen() {
        QCOMPARE(escapeForDisplay("a\x1b[31m"), std::string("a\\x1b[31m"));
        QCOMPARE(escapeForDisplay("a\xe2\x80\xae"
                                  "b"),
                 std::string("a\\u202eb"));
        QCOMPARE(escapeForDisplay("\xff"), std::string("\\xff"));
        QVERIFY(isValidUtf8("ünï"));
        QVERIFY(!isValidUtf8("\xc0\x80"));
    }
    void globsMatchAsInAShell() {
        QVERIFY(globMatch("*linear*", "torch.ops.aten.linear.default"));
        QVERIFY(globMatch("a?c", "abc"));
        QVERIFY(globMatch("a[0-9]*", "a7x"));
        QVERIFY(!globMatch("a[!0-9]*", "a7x"));
        QVERIFY(!globMatch("abc", "abcd"));
        QVERIFY(globMatch("a[b", "a[b"));
        QVERIFY(globMatch("**a**", "a"));
        QVERIFY(!globMatch("", "a"));
    }
    void aMistypedNameFindsItsNeighbour() {
        QCOMPARE(nearestName("ovrview", {"overview", "graph"}), std::string("overview"));
        QCOMPARE(nearestName("zzz", {"overview", "graph"}), std::string());
        QCOMPARE(elideMiddle("abcdefghij", 6), std::string("a…ghij"));
    }
};

QTEST_GUILESS_MAIN(TextTest)
#include "tst_text.moc"

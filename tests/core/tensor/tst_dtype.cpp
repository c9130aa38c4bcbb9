#include <QFile>
#include <QTest>
#include <set>
#include <string>

#include "core/tensor/dtype.h"

using namespace pt2;

class TestDtype : public QObject {
    Q_OBJECT
private slots:
    void namesReadBack() {
        std::set<std::string> names, shortNames;
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            QCOMPARE(dtypeFromName(dtypeName(dtype)), dtype);
            QCOMPARE(dtypeFromName(std::string("torch.") + dtypeName(dtype)), dtype);
            QCOMPARE(dtypeFromName(dtypeShortName(dtype)), dtype);
            QVERIFY(dtypeSize(dtype) > 0);
            names.insert(dtypeName(dtype));
            shortNames.insert(dtypeShortName(dtype));
        }
        QCOMPARE(names.size(), std::size_t{21});
        QCOMPARE(shortNames.size(), std::size_t{21});
        QVERIFY(!dtypeFromName("quint8").has_value());
        QVERIFY(!dtypeFromName("").has_value());
        QVERIFY(!dtypeFromName("unknown").has_value());
        QCOMPARE(dtypeFromName("half"), DType::Float16);
    }

    void schemaNumbersAreThoseOfTheJson() {
        const std::pair<int, const char*> rows[] = {{1, "uint8"},
                                                    {2, "int8"},
                                                    {3, "int16"},
                                                    {4, "int32"},
                                                    {5, "int64"},
                                                    {6, "float16"},
                                                    {7, "float32"},
                                                    {8, "float64"},
                                                    {9, "complex32"},
                                                    {10, "complex64"},
                                                    {11, "complex128"},
                                                    {12, "bool"},
                                                    {13, "bfloat16"},
                                                    {28, "uint16"},
                                                    {29, "float8_e4m3fn"},
                                                    {30, "float8_e5m2"},
                                                    {31, "float8_e4m3fnuz"},
                                                    {32, "float8_e5m2fnuz"},
                                                    {33, "float8_e8m0fnu"},
                                                    {34, "uint32"},
                                                    {35, "uint64"}};
        for (const auto& [number, name] : rows) {
            QCOMPARE(dtypeName(dtypeFromSchema(number)), name);
            QCOMPARE(dtypeToSchema(*dtypeFromName(name)), number);
        }
        QCOMPARE(dtypeFromSchema(14), DType::Unknown);
        QCOMPARE(dtypeFromSchema(0), DType::Unknown);
        QCOMPARE(dtypeFromSchema(-5), DType::Unknown);
    }

    void c10NumbersAreOthers() {
        const std::pair<int, const char*> rows[] = {{0, "uint8"},
                                                    {1, "int8"},
                                                    {2, "int16"},
                                                    {3, "int32"},
                                                    {4, "int64"},
                                                    {5, "float16"},
                                                    {6, "float32"},
                                                    {7, "float64"},
                                                    {8, "complex32"},
                                                    {9, "complex64"},
                                                    {10, "complex128"},
                                                    {11, "bool"},
                                                    {15, "bfloat16"},
                                                    {23, "float8_e5m2"},
                                                    {24, "float8_e4m3fn"},
                                                    {25, "float8_e5m2fnuz"},
                                                    {26, "float8_e4m3fnuz"},
                                                    {27, "uint16"},
                                                    {28, "uint32"},
                                                    {29, "uint64"},
                                                    {44, "float8_e8m0fnu"}};
        for (const auto& [number, name] : rows) {
            QCOMPARE(dtypeName(dtypeFromC10(number)), name);
            QCOMPARE(dtypeToC10(*dtypeFromName(name)), number);
        }
        QCOMPARE(dtypeFromC10(-1), DType::Unknown);
        QCOMPARE(dtypeFromC10(12), DType::Unknown);
    }

    void everyTypeHasOneNature() {
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            QCOMPARE(int{isFloating(dtype)} + int{isComplex(dtype)} + int{isInteger(dtype)} + int{dtype == DType::Bool}, 1);
        }
        QVERIFY(!isFloating(DType::Unknown) && !isComplex(DType::Unknown) && !isInteger(DType::Unknown));
    }
};

QTEST_GUILESS_MAIN(TestDtype)
#include "tst_dtype.moc"

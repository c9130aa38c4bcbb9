#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compare/compare.h"
#include "core/tensor/npy.h"

using namespace pt2;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Tensor tensor(const std::vector<double>& values, DType dtype = DType::Float32, std::vector<std::int64_t> sizes = {}) {
    if (sizes.empty()) sizes = {static_cast<std::int64_t>(values.size())};
    auto fresh = allocateTensor(DType::Float64, std::move(sizes)).value();
    if (!values.empty()) std::memcpy(fresh.bytes.data(), values.data(), fresh.bytes.size());
    return castTo(fresh.tensor, dtype).value();
}

OutputComparison compare(const Tensor& a, const Tensor& e, std::optional<Tolerance> tolerance = {}) {
    return compareTensors("y", a.view(), e.view(), tolerance).value();
}

template <typename T>
Tensor exact(DType dtype, const std::vector<T>& values) {
    ByteBuffer storage(values.size() * sizeof(T));
    std::memcpy(storage.data(), values.data(), storage.size());
    const std::int64_t n = static_cast<std::int64_t>(storage.size() / dtypeSize(dtype));
    return makeTensor({dtype, {n}, {1}, 0}, std::move(storage)).value();
}

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT
private slots:
    void defaultsAreThoseOfAssertClose() {
        const std::pair<DType, Tolerance> rows[] = {{DType::Float16, {1e-3, 1e-5}},
                                                    {DType::BFloat16, {1.6e-2, 1e-5}},
                                                    {DType::Float32, {1.3e-6, 1e-5}},
                                                    {DType::Float64, {1e-7, 1e-7}},
                                                    {DType::Complex32, {1e-3, 1e-5}},
                                                    {DType::Complex64, {1.3e-6, 1e-5}},
                                                    {DType::Complex128, {1e-7, 1e-7}},
                                                    {DType::Int64, {0, 0}},
                                                    {DType::Bool, {0, 0}},
                                                    {DType::Float8E4M3FN, {0, 0}}};
        for (const auto& [dtype, tolerance] : rows) {
            QCOMPARE(defaultTolerance(dtype).rtol, tolerance.rtol);
            QCOMPARE(defaultTolerance(dtype).atol, tolerance.atol);
        }
    }

    void equalTensorsAreIdentical() {
        const auto c = compare(tensor({1, -2, kNan, kInf, -kInf}), tensor({1, -2, kNan, kInf, -kInf}));
        QVERIFY(c.comparable && c.ok && c.identical);
        QCOMPARE(c.maxAbs, 0.0);
        QCOMPARE(c.maxRel, 0.0);
        QCOMPARE(c.cosine, 1.0);
        QVERIFY(!c.sqnrDb.has_value());
        QCOMPARE(c.mismatched, std::uint64_t{0});
        QCOMPARE(c.nanMismatch, std::uint64_t{0});
        QCOMPARE(c.total, std::uint64_t{5});
        QCOMPARE(c.neededRtol, 0.0);
        QCOMPARE((Comparison{{c}}.verdict()), std::string("identical"));
    }

    void zerosOfTwoSignsAreEqualButNotIdentical() {
        const auto c = compare(tensor({0.0}), tensor({-0.0}));
        QVERIFY(c.ok && !c.identical);
        QCOMPARE(c.neededRtol, 0.0);
        QCOMPARE((Comparison{{c}}.verdict()), std::string("within tolerance"));
    }

    void allFieldsAreRight() {
        const auto c = compare(tensor({1, 2, 3.5, 0}, DType::Float64, {2, 2}), tensor({1, 2.5, 3, 0}, DType::Float64, {2, 2}), Tolerance{0.1, 0.1});
        QVERIFY(!c.ok && !c.identical);
        QCOMPARE(c.maxAbs, 0.5);
        QCOMPARE(c.meanAbs, 0.25);
        QCOMPARE(c.maxRel, 0.2);
        QVERIFY(qFuzzyCompare(c.maxRel, std::max(0.5 / 2.5, 0.5 / 3)));
        QCOMPARE(c.mismatched, std::uint64_t{2});
        QCOMPARE(c.worstIndex, (std::vector<std::int64_t>{0, 1}));
        QCOMPARE(c.worstActual, std::string("2.0"));
        QCOMPARE(c.worstExpected, std::string("2.5"));
        QVERIFY(qFuzzyCompare(c.neededRtol, 0.4 / 2.5));
        QVERIFY(compare(tensor({1, 2, 3.5, 0}, DType::Float64), tensor({1, 2.5, 3, 0}, DType::Float64), Tolerance{c.neededRtol * 1.0000001, 0.1}).ok);
        QVERIFY(!compare(tensor({1, 2, 3.5, 0}, DType::Float64), tensor({1, 2.5, 3, 0}, DType::Float64), Tolerance{c.neededRtol * 0.999, 0.1}).ok);
        QVERIFY(std::abs(*c.sqnrDb - 10 * std::log10((1 + 6.25 + 9) / 0.5)) < 1e-12);
        QVERIFY(std::abs(c.cosine - (1 + 5 + 10.5) / std::sqrt((1 + 4 + 12.25) * (1 + 6.25 + 9))) < 1e-15);
        QCOMPARE((Comparison{{c}}.verdict()), std::string("beyond tolerance"));
        QVERIFY((Comparison{{c}}.sentence().find("2 of 4") != std::string::npos));
    }

    void theBoundItselfPasses() {
        QVERIFY(compare(tensor({1.5}, DType::Float64), tensor({1}, DType::Float64), Tolerance{0.25, 0.25}).ok);
        QVERIFY(!compare(tensor({1.5000001}, DType::Float64), tensor({1}, DType::Float64), Tolerance{0.25, 0.25}).ok);
        // rtol counts the expected value, not the actual one.
        QVERIFY(compare(tensor({1}, DType::Float64), tensor({2}, DType::Float64), Tolerance{0.5, 0}).ok);
        QVERIFY(!compare(tensor({2}, DType::Float64), tensor({1}, DType::Float64), Tolerance{0.5, 0}).ok);
    }

    void whatIsNotFiniteMustAgree() {
        const std::pair<double, double> bad[] = {{kNan, 1}, {1, kNan}, {kInf, 1}, {1, kInf}, {kInf, -kInf}, {kNan, kInf}};
        for (const auto& [a, e] : bad) {
            const auto c = compare(tensor({0, a}), tensor({0, e}), Tolerance{1e9, 1e9});
            QVERIFY(!c.ok);
            QCOMPARE(c.nanMismatch, std::uint64_t{1});
            QCOMPARE(c.mismatched, std::uint64_t{1});
            QCOMPARE(c.worstIndex, (std::vector<std::int64_t>{1}));
            QVERIFY(std::isinf(c.neededRtol));
        }
        QVERIFY(compare(tensor({kNan}), tensor({-kNan})).ok);
        // An infinite rtol must not excuse an infinite difference either.
        QVERIFY(!compare(tensor({kInf}), tensor({1}), Tolerance{kInf, kInf}).ok);
    }

    void integersCompareExactly() {
        const std::int64_t big = std::int64_t{1} << 60;
        const auto c = compare(exact<std::int64_t>(DType::Int64, {big + 1, -5}), exact<std::int64_t>(DType::Int64, {big, -5}));
        QVERIFY(!c.ok);
        QCOMPARE(c.maxAbs, 1.0);
        const auto ends = compare(exact<std::int64_t>(DType::Int64, {std::numeric_limits<std::int64_t>::min()}),
                                  exact<std::int64_t>(DType::Int64, {std::numeric_limits<std::int64_t>::max()}));
        QCOMPARE(ends.maxAbs, 18446744073709551615.0);
        const auto u =
            compare(exact<std::uint64_t>(DType::UInt64, {~std::uint64_t{0}}), exact<std::uint64_t>(DType::UInt64, {~std::uint64_t{0} - 1}));
        QCOMPARE(u.maxAbs, 1.0);
        QVERIFY(!u.ok);
        QVERIFY(compare(tensor({3, 4}, DType::UInt8), tensor({4, 4}, DType::UInt8), Tolerance{0, 1}).ok);
        QVERIFY(compare(tensor({1, 0}, DType::Bool), tensor({1, 0}, DType::Bool)).identical);
        const auto b = compare(tensor({1, 0}, DType::Bool), tensor({1, 1}, DType::Bool));
        QCOMPARE(b.mismatched, std::uint64_t{1});
        QCOMPARE(b.worstActual, std::string("False"));
    }

    void complexNumbersCompareByMagnitude() {
        const auto a = exact<float>(DType::Complex64, {3, 4, 0, 1});
        const auto e = exact<float>(DType::Complex64, {0, 0, 0, 1});
        const auto c = compare(a, e);
        QCOMPARE(c.maxAbs, 5.0);
        QCOMPARE(c.mismatched, std::uint64_t{1});
        QCOMPARE(c.worstActual, std::string("(3+4j)"));
        QVERIFY(
            compare(exact<float>(DType::Complex64, {static_cast<float>(kNan), 1}), exact<float>(DType::Complex64, {2, static_cast<float>(kNan)})).ok);
    }

    void scalarsAndEmptyTensors() {
        const auto scalar = compare(allocateTensor(DType::Float32, {})->tensor, allocateTensor(DType::Float32, {})->tensor);
        QVERIFY(scalar.ok && scalar.identical);
        QCOMPARE(scalar.total, std::uint64_t{1});
        QVERIFY(scalar.worstIndex.empty());
        QCOMPARE(scalar.worstActual, std::string("0.0"));
        QCOMPARE(scalar.cosine, 1.0);
        const auto empty = compare(allocateTensor(DType::Float32, {0, 3})->tensor, allocateTensor(DType::Float32, {0, 3})->tensor);
        QVERIFY(empty.ok && empty.identical);
        QCOMPARE(empty.total, std::uint64_t{0});
        QVERIFY(empty.worstActual.empty());
    }

    void shapeAndDtypeAreSaidFirst() {
        const auto shape = compare(tensor({1, 2}), tensor({1, 2}, DType::Float32, {2, 1}));
        QVERIFY(!shape.comparable && !shape.ok);
        QCOMPARE(shape.reason, std::string("The shape is [2] and should be [2, 1]."));
        const auto dtype = compare(tensor({1, 2}), tensor({1, 2}, DType::Float64));
        QCOMPARE(dtype.reason, std::string("The dtype is float32 and should be float64."));
        Comparison both{{compare(tensor({1}), tensor({1})), dtype}};
        QCOMPARE(both.verdict(), std::string("not comparable"));
        QVERIFY(!both.ok());
        QVERIFY(both.sentence().find("float64") != std::string::npos);
    }

    void unsignedStandInsOfNumpyAreReadAsTheOutputsDtype() {
        const auto bf16 = tensor({1, 2, 3}, DType::BFloat16);
        auto stored = bf16;
        stored.layout.dtype = DType::UInt16;
        QVERIFY(compare(bf16, stored).identical);
        QVERIFY(!compare(stored, bf16).comparable);
        auto half = tensor({1}, DType::Float16);
        auto halfBits = half;
        halfBits.layout.dtype = DType::UInt16;
        QVERIFY(!compare(half, halfBits).comparable);
    }

    void stridesDoNotMatter() {
        const auto values = tensor({1, 2, 3, 4, 5, 6}, DType::Float32, {2, 3});
        const auto moved = withStrides(values, {1, 2}).value();
        QVERIFY(compare(values, moved).identical);
    }

    void everyDtypeCompares() {
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            QVERIFY(compare(tensor({1, 1}, dtype), tensor({1, 1}, dtype)).identical);
            if (dtype != DType::Bool) QVERIFY(!compare(tensor({1, 2}, dtype), tensor({1, 1}, dtype)).ok);
        }
    }

    void toleranceMustBeANumber() {
        const auto one = tensor({1});
        for (const Tolerance t : {Tolerance{-1, 0}, Tolerance{0, -1}, Tolerance{kNan, 0}}) {
            QCOMPARE(compareTensors("y", one.view(), one.view(), t).error().kind, ErrorKind::Usage);
        }
        const CancelToken cancel;
        cancel.request();
        QCOMPARE(compareTensors("y", one.view(), one.view(), {}, cancel).error().kind, ErrorKind::Cancelled);
        QCOMPARE(compareTensors("y", {{DType::Float32, {9}, {1}, 0}, {}}, {{DType::Float32, {9}, {1}, 0}, {}}, {}).error().kind,
                 ErrorKind::Unreadable);
    }

    void nothingToCompareIsNoSuccess() {
        QVERIFY(!Comparison{}.ok());
        QCOMPARE(Comparison{}.verdict(), std::string("not comparable"));
        QVERIFY(!Comparison{}.sentence().empty());
    }

    void sentencesNameTheWorstOutput() {
        auto good = compare(tensor({1.000001}), tensor({1}));
        good.name = "good";
        auto bad = compare(tensor({2}), tensor({1}));
        bad.name = "bad";
        const Comparison all{{good, bad}};
        QVERIFY(all.sentence().find("\"bad\"") != std::string::npos);
        QCOMPARE((Comparison{{good}}.verdict()), std::string("within tolerance"));
        QVERIFY((Comparison{{good}}.sentence().find("within the tolerance") != std::string::npos));
    }
};

QTEST_GUILESS_MAIN(TestCompare)
#include "tst_compare.moc"

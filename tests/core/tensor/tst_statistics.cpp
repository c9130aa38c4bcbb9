#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/statistics.h"

using namespace pt2;

namespace {
Tensor doubles(const std::vector<double>& values, DType dtype = DType::Float64) {
    auto fresh = allocateTensor(DType::Float64, {static_cast<std::int64_t>(values.size())}).value();
    if (!values.empty()) std::memcpy(fresh.bytes.data(), values.data(), fresh.bytes.size());
    return castTo(fresh.tensor, dtype).value();
}
constexpr double kInf = std::numeric_limits<double>::infinity();
}  // namespace

class TestStatistics : public QObject {
    Q_OBJECT
private slots:
    void finiteElementsGiveTheNumbersAndAllAreCounted() {
        const auto s = computeStatistics(doubles({1, 2, std::nan(""), kInf, -kInf, -kInf, 0, -0.0, 4}).view()).value();
        QCOMPARE(s.count, std::uint64_t{9});
        QCOMPARE(s.nan, std::uint64_t{1});
        QCOMPARE(s.positiveInfinity, std::uint64_t{1});
        QCOMPARE(s.negativeInfinity, std::uint64_t{2});
        QCOMPARE(s.zeros, std::uint64_t{2});
        QCOMPARE(s.minimum, 0.0);
        QCOMPARE(s.maximum, 4.0);
        QCOMPARE(s.mean, 1.4);
        QVERIFY(std::abs(s.standardDeviation - 1.6733200530681511) < 1e-15);
        QVERIFY(s.hasFinite);
    }

    void smallAndEmptyTensors() {
        const auto one = computeStatistics(doubles({-3}).view()).value();
        QCOMPARE(one.mean, -3.0);
        QCOMPARE(one.standardDeviation, 0.0);
        const auto none = computeStatistics(doubles({}).view()).value();
        QCOMPARE(none.count, std::uint64_t{0});
        QVERIFY(!none.hasFinite);
        QVERIFY(!computeStatistics(doubles({std::nan("")}).view())->hasFinite);
    }

    void aLargeOffsetLosesNoDigits() {
        std::vector<double> values;
        for (int i = 0; i < 1000; ++i) values.push_back(1e9 + (i % 2));
        const auto s = computeStatistics(doubles(values).view()).value();
        QVERIFY(std::abs(s.standardDeviation - 0.50025018765638656) < 1e-9);
    }

    void everyDtypeIsRead() {
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            const auto s = computeStatistics(doubles({1, 1, 1, 1}, dtype).view()).value();
            QCOMPARE(s.minimum, 1.0);
            QCOMPARE(s.maximum, 1.0);
            QCOMPARE(s.mean, 1.0);
        }
        auto complex = allocateTensor(DType::Complex64, {1}).value();
        const float parts[] = {3, -4};
        std::memcpy(complex.bytes.data(), parts, 8);
        QCOMPARE(computeStatistics(complex.tensor.view())->maximum, 5.0);
    }

    void histogramsCoverTheRange() {
        const auto h = computeHistogram(doubles({0, 1, 2, 3, 4, std::nan(""), kInf}).view(), 4).value();
        QCOMPARE(h.low, 0.0);
        QCOMPARE(h.high, 4.0);
        QCOMPARE(h.counts, (std::vector<std::uint64_t>{1, 1, 1, 2}));
        QCOMPARE(computeHistogram(doubles({7, 7}).view(), 3)->counts, (std::vector<std::uint64_t>{2, 0, 0}));
        QCOMPARE(computeHistogram(doubles({}).view(), 3)->counts, (std::vector<std::uint64_t>{0, 0, 0}));
        const double most = std::numeric_limits<double>::max();
        QCOMPARE(computeHistogram(doubles({-most, most}).view(), 2)->counts, (std::vector<std::uint64_t>{1, 1}));
    }

    void piecesOfAnySizeGiveWhatTheWholeGives() {
        std::vector<double> values;
        for (int i = 0; i < 997; ++i) values.push_back(i % 13 == 0 ? std::nan("") : (i % 7 - 3) * 1.5);
        const Tensor whole = doubles(values, DType::Float16);
        const auto expected = computeStatistics(whole.view()).value();
        const auto bins = computeHistogram(whole.view(), 5).value();
        for (const std::size_t elements : {1, 3, 100, 997}) {
            StatisticsStream statistics(DType::Float16);
            HistogramStream histogram(DType::Float16, expected.minimum, expected.maximum, 5);
            for (std::size_t at = 0; at < whole.storage.size(); at += 2 * elements) {
                const Bytes piece = whole.storage.subspan(at, std::min(2 * elements, whole.storage.size() - at));
                statistics.add(piece);
                histogram.add(piece);
            }
            const auto s = statistics.result();
            QCOMPARE(s.count, expected.count);
            QCOMPARE(s.nan, expected.nan);
            QCOMPARE(s.zeros, expected.zeros);
            QCOMPARE(s.minimum, expected.minimum);
            QCOMPARE(s.maximum, expected.maximum);
            QCOMPARE(s.mean, expected.mean);
            QCOMPARE(s.standardDeviation, expected.standardDeviation);
            QCOMPARE(histogram.result().counts, bins.counts);
        }
    }

    void cancelStops() {
        const CancelToken cancel;
        cancel.request();
        QCOMPARE(computeStatistics(doubles({1}).view(), cancel).error().kind, ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"

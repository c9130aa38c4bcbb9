#include <QtTest>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/compare/float64_judge.h"

using namespace pt2;

/// Rounding is told from an error by how far torch in float64 is from both sides.
class Float64JudgeTest : public QObject {
    Q_OBJECT

    template <typename T>
    static Tensor tensorOf(DType dtype, const std::vector<double>& values) {
        auto made = allocateTensor(dtype, {static_cast<std::int64_t>(values.size())});
        for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = static_cast<T>(values[i]);
            std::memcpy(made->bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
        return made->tensor;
    }
    static std::vector<double> truth() {
        std::vector<double> values;
        for (int i = 0; i < 500; ++i) values.push_back(std::sin(i * 0.37) * 3);
        return values;
    }
    static std::vector<double> off(double relative, unsigned seed) {
        std::vector<double> values = truth();
        for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1 + relative * std::sin(static_cast<double>(i * (seed + 3)) * 1.7);
        return values;
    }
    static NamedTensors floats(const std::vector<double>& values) { return {{"y", tensorOf<float>(DType::Float32, values)}}; }
    static NamedTensors doubles(const std::vector<double>& values) { return {{"y", tensorOf<double>(DType::Float64, values)}}; }

private slots:
    void noiseOfEagersSizeIsRounding() {
        const auto judged = judgeByFloat64(floats(off(1e-5, 1)), floats(off(1e-5, 2)), doubles(truth()));
        QVERIFY(judged && judged->size() == 1);
        QVERIFY(judged->front().noFarther);
        const auto comparison = compareTensors("y", floats(off(1e-5, 1))[0].second.view(), floats(off(1e-5, 2))[0].second.view(), Tolerance{1e-7, 0});
        QVERIFY(comparison && !comparison->ok);
        QVERIFY(isRounding(Comparison{{*comparison}}, *judged));
        QVERIFY2(float64Sentence(*judged).starts_with("Normal for float32: no output is farther from float64 than eager is (y: "),
                 float64Sentence(*judged).c_str());
    }

    void aWeightTwoPercentOffIsNone() {
        const auto judged = judgeByFloat64(floats(off(2e-2, 1)), floats(off(1e-5, 2)), doubles(truth()));
        QVERIFY(judged && !judged->front().noFarther);
        QVERIFY(float64Sentence(*judged).starts_with("More than rounding"));
    }

    /// One wrong element among many does not vanish in the mean.
    void oneWrongElementIsNone() {
        std::vector<double> values = off(1e-6, 1);
        values[77] += 1e-4;
        const auto judged = judgeByFloat64(floats(values), floats(off(1e-6, 2)), doubles(truth()));
        QVERIFY(judged && !judged->front().noFarther);
    }

    /// Where eager happens to be exact, half a unit in the last place is rounding still.
    void exactEagerLeavesRoomForRounding() {
        NamedTensors exactly = floats(truth());
        std::vector<double> rounded;
        for (std::size_t i = 0; i < truth().size(); ++i) rounded.push_back(elementAsDouble(exactly[0].second.view(), i));
        const auto judged = judgeByFloat64(floats(off(3e-8, 1)), exactly, doubles(rounded));
        QVERIFY(judged && judged->front().noFarther);
    }

    void whatHasNoFloat64IsNotJudged() {
        const NamedTensors y = floats(truth());
        const auto judged = judgeByFloat64(y, y, y);
        QVERIFY(judged && judged->size() == 1 && !judged->front().why.empty() && !judged->front().noFarther);
        QVERIFY(float64Sentence(*judged).starts_with("Float64 cannot judge it"));
        const NamedTensors whole{{"n", tensorOf<std::int64_t>(DType::Int64, {1, 2, 3})}};
        QVERIFY(judgeByFloat64(whole, whole, whole)->empty());
    }
};

QTEST_APPLESS_MAIN(Float64JudgeTest)
#include "tst_float64_judge.moc"

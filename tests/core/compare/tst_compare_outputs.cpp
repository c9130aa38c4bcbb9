#include <QTest>
#include <cstring>

#include "core/compare/compare_outputs.h"

using namespace pt2;

namespace {

Tensor floats(std::vector<float> values) {
    auto made = allocateTensor(DType::Float32, {static_cast<std::int64_t>(values.size())}).value();
    std::memcpy(made.bytes.data(), values.data(), values.size() * sizeof(float));
    return made.tensor;
}

std::vector<double> firsts(const NamedTensors& tensors) {
    std::vector<double> out;
    for (const auto& [name, tensor] : tensors) out.push_back(elementAsDouble(tensor.view(), 0));
    return out;
}

}  // namespace

class TestCompareOutputs : public QObject {
    Q_OBJECT

    const NamedTensors outputs_ = {{"a", floats({1})}, {"b", floats({2})}};

private slots:
    void namesDecideWhateverTheOrder() {
        const auto paired = pairOutputs(outputs_, {{"b", floats({20})}, {"a", floats({10})}});
        QVERIFY(paired.has_value());
        QCOMPARE(firsts(*paired), (std::vector<double>{10, 20}));
        QCOMPARE((*paired)[0].first, std::string("a"));
    }

    void aReferenceMayHoldMore() {
        const auto paired = pairOutputs(outputs_, {{"n", floats({3})}, {"b", floats({20})}, {"a", floats({10})}});
        QVERIFY(paired.has_value());
        QCOMPARE(firsts(*paired), (std::vector<double>{10, 20}));
    }

    void numbersStandForPlaces() {
        QCOMPARE(firsts(pairOutputs(outputs_, {{"out_1", floats({20})}, {"out_0", floats({10})}}).value()), (std::vector<double>{10, 20}));
        QCOMPARE(firsts(pairOutputs(outputs_, {{"1", floats({20})}, {"0", floats({10})}}).value()), (std::vector<double>{10, 20}));
    }

    void otherNamesPairByPlace() {
        const auto paired = pairOutputs(outputs_, {{"x", floats({10})}, {"a", floats({20})}});
        QVERIFY(paired.has_value());
        QCOMPARE(firsts(*paired), (std::vector<double>{10, 20}));
        QCOMPARE((*paired)[1].first, std::string("b"));
    }

    void anotherCountIsNoReference() {
        for (const NamedTensors& reference :
             {NamedTensors{}, NamedTensors{{"x", floats({1})}}, NamedTensors{{"a", floats({1})}, {"x", floats({2})}, {"y", floats({3})}}}) {
            const auto paired = pairOutputs(outputs_, reference);
            QVERIFY(!paired.has_value());
            QCOMPARE(paired.error().kind, ErrorKind::Usage);
            QCOMPARE(paired.error().code, std::string("compare.names"));
            QVERIFY(!compareOutputs(outputs_, reference).has_value());
        }
    }

    /// A model may return None among its outputs; files hold none of it.
    void noneNeedsNoReferenceAndEqualsNoneOnly() {
        const NamedTensors outputs{{"a", floats({1})}, {"nothing", Tensor()}, {"b", floats({2})}};
        for (const NamedTensors& reference :
             {NamedTensors{{"a", floats({1})}, {"nothing", Tensor()}, {"b", floats({2})}}, NamedTensors{{"a", floats({1})}, {"b", floats({2})}},
              NamedTensors{{"x", floats({1})}, {"y", Tensor()}, {"z", floats({2})}}, NamedTensors{{"x", floats({1})}, {"y", floats({2})}},
              NamedTensors{{"out_0", floats({1})}, {"out_2", floats({2})}}}) {
            const auto comparison = compareOutputs(outputs, reference);
            QVERIFY(comparison.has_value());
            QVERIFY2(comparison->ok(), comparison->sentence().c_str());
            QCOMPARE(comparison->verdict(), std::string("identical"));
            QCOMPARE(comparison->outputs.size(), std::size_t{3});
        }
        QCOMPARE(withoutNone(outputs).size(), std::size_t{2});
        const auto other = compareOutputs({{"a", Tensor()}}, {{"a", floats({1})}});
        QVERIFY(other.has_value() && !other->ok());
        QVERIFY(!other->outputs[0].comparable);
        const auto back = compareOutputs({{"a", floats({1})}}, {{"a", Tensor()}});
        QVERIFY(back.has_value() && !back->outputs[0].comparable);
    }

    void carriersTakeTheOutputsDtype() {
        const NamedTensors output{{"a", allocateTensor(DType::BFloat16, {2})->tensor}};
        const auto paired = pairOutputs(output, {{"a", allocateTensor(DType::UInt16, {2})->tensor}});
        QVERIFY(paired.has_value());
        QCOMPARE((*paired)[0].second.layout.dtype, DType::BFloat16);
        // What is no stand-in stays what it is.
        const auto kept = pairOutputs(outputs_, {{"a", allocateTensor(DType::UInt16, {1})->tensor}, {"b", floats({1})}});
        QCOMPARE(kept->front().second.layout.dtype, DType::UInt16);
    }

    void tolerancesOfSingleOutputsComeFirst() {
        ToleranceChoice choice;
        QVERIFY(!choice.of("a", DType::Float32).has_value());
        choice.rtol = 0.5;
        QCOMPARE(choice.of("a", DType::Float32)->rtol, 0.5);
        QCOMPARE(choice.of("a", DType::Float32)->atol, defaultTolerance(DType::Float32).atol);
        choice.outputs["b"] = {0.25, 0.125};
        QCOMPARE(choice.of("b", DType::Float32)->rtol, 0.25);
        QCOMPARE(choice.of("a", DType::Float32)->rtol, 0.5);
        const auto comparison = compareOutputs(outputs_, {{"a", floats({1.4F})}, {"b", floats({4})}}, choice);
        QVERIFY(comparison.has_value());
        QVERIFY(comparison->outputs[0].ok);
        QVERIFY(!comparison->outputs[1].ok);
    }
};

QTEST_GUILESS_MAIN(TestCompareOutputs)
#include "tst_compare_outputs.moc"

#include <QTest>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/hash.h"
#include "core/tensor/npy.h"
#include "core/tensor/tensor.h"
#include "tests/places.h"

using namespace pt2;

namespace {

/// Elements 0, 1, 2, ... of a storage of n int32, seen with a layout.
Tensor counting(std::size_t n, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides, std::int64_t offset = 0) {
    ByteBuffer storage(4 * n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto value = static_cast<std::int32_t>(i);
        std::memcpy(storage.data() + 4 * i, &value, 4);
    }
    auto tensor = makeTensor({DType::Int32, std::move(sizes), std::move(strides), offset}, std::move(storage));
    return tensor ? *tensor : Tensor{};
}

std::vector<double> values(const Tensor& tensor) {
    std::vector<double> out;
    const auto count = tensor.layout.elementCount().value();
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(elementAsDouble(tensor.view(), i));
    return out;
}

std::vector<double> contiguousValues(const Tensor& tensor) {
    auto packed = contiguous(tensor);
    return packed ? values(*packed) : std::vector<double>{-1};
}

template <typename T>
Tensor of(DType dtype, const std::vector<T>& elements) {
    ByteBuffer storage(sizeof(T) * elements.size());
    if (!elements.empty()) std::memcpy(storage.data(), elements.data(), storage.size());
    const auto n = static_cast<std::int64_t>(elements.size());
    return makeTensor({dtype, {n}, {1}, 0}, std::move(storage)).value();
}

bool isNanPattern(const TensorView& view, std::uint64_t i) {
    const auto value = elementAsComplex(view, i);
    return std::isnan(value.real()) || std::isnan(value.imag());
}

}  // namespace

class TestTensor : public QObject {
    Q_OBJECT
private slots:
    void stridedViewsReadInRowMajorOrder() {
        const std::vector<double> transposed = {0, 3, 1, 4, 2, 5};
        QCOMPARE(contiguousValues(counting(6, {3, 2}, {1, 3})), transposed);
        QCOMPARE(values(counting(6, {3, 2}, {1, 3})), transposed);
        QCOMPARE(contiguousValues(counting(6, {2, 3}, {0, 2}, 1)), (std::vector<double>{1, 3, 5, 1, 3, 5}));
        QCOMPARE(contiguousValues(counting(8, {2, 1, 2}, {4, 77, 2}, 1)), (std::vector<double>{1, 3, 5, 7}));
        QCOMPARE(contiguousValues(counting(1, {}, {})), (std::vector<double>{0}));
        QCOMPARE(contiguousValues(counting(5, {}, {}, 4)), (std::vector<double>{4}));
        QCOMPARE(contiguousValues(counting(0, {0, 3}, {3, 1})), (std::vector<double>{}));
        QCOMPARE(contiguousValues(counting(24, {2, 3, 2, 2}, {12, 2, 6, 1})),
                 (std::vector<double>{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 12, 13, 18, 19, 14, 15, 20, 21, 16, 17, 22, 23}));
    }

    void contiguousSharesBytesWhereItCan() {
        const Tensor whole = counting(6, {2, 3}, {3, 1});
        QCOMPARE(contiguous(whole)->storage.data(), whole.storage.data());
        const Tensor part = counting(6, {2, 2}, {2, 1}, 2);
        const auto packed = contiguous(part);
        QCOMPARE(packed->storage.data(), part.storage.data() + 8);
        QCOMPARE(packed->storage.size(), std::size_t{16});
        QCOMPARE(packed->layout.storageOffset, std::int64_t{0});
    }

    void withStridesKeepsValues() {
        const Tensor tensor = counting(24, {2, 3, 4}, {12, 4, 1});
        for (const std::vector<std::int64_t>& strides : {std::vector<std::int64_t>{1, 2, 6}, {12, 4, 1}, {20, 6, 1}, {1, 8, 2}}) {
            const auto moved = withStrides(tensor, strides);
            QVERIFY(moved.has_value());
            QCOMPARE(moved->layout.strides, strides);
            QCOMPARE(values(*moved), values(tensor));
        }
        QVERIFY(withStrides(counting(0, {0, 4}, {4, 1}), {1, 1}).has_value());
        QVERIFY(!withStrides(tensor, {1, 2}).has_value());
        QVERIFY(!withStrides(tensor, {1, 2, -1}).has_value());
    }

    void largeViewsStreamInPieces() {
        // More than one chunk, in rows that do not fill whole chunks, and as one long strided run.
        const std::size_t n = 700'000;
        ByteBuffer storage(n);
        for (std::size_t i = 0; i < n; ++i) storage[i] = static_cast<std::byte>(i * 31 % 251);
        for (const TensorLayout& layout : {TensorLayout{DType::UInt8, {700, 500}, {1000, 2}, 0}, TensorLayout{DType::UInt8, {700'000}, {1}, 0},
                                           TensorLayout{DType::UInt8, {350'000}, {2}, 1}, TensorLayout{DType::UInt8, {3, 300'000}, {100'000, 1}, 7},
                                           TensorLayout{DType::UInt8, {1000, 700}, {1, 1000}, 0}}) {
            ByteBuffer expected;
            const auto count = layout.elementCount().value();
            for (std::uint64_t i = 0; i < count; ++i) {
                const auto index = unravelIndex(layout.sizes, i);
                std::int64_t at = layout.storageOffset;
                for (std::size_t k = 0; k < index.size(); ++k) at += index[k] * layout.strides[k];
                expected.push_back(storage[static_cast<std::size_t>(at)]);
            }
            QCOMPARE(tensorSha256({layout, storage}).value(), sha256Hex(expected));
        }
    }

    void impossibleLayoutsAreErrorsNotReads_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("which");
        const char* codes[] = {"tensor.storage-short", "tensor.negative-size", "tensor.negative-stride", "tensor.negative-offset", "tensor.rank",
                               "tensor.dtype",         "tensor.storage-short", "tensor.too-large",       "tensor.too-large"};
        for (int i = 0; i < 9; ++i) QTest::newRow(codes[i]) << codes[i] << i;
    }
    void impossibleLayoutsAreErrorsNotReads() {
        QFETCH(QString, code);
        QFETCH(int, which);
        const std::int64_t huge = std::int64_t{1} << 62;
        const TensorLayout layouts[] = {{DType::Float32, {2, 2}, {2, 1}, 1},
                                        {DType::Float32, {-1}, {1}, 0},
                                        {DType::Float32, {2}, {-1}, 1},
                                        {DType::Float32, {2}, {1}, -1},
                                        {DType::Float32, {2}, {}, 0},
                                        {DType::Unknown, {2}, {1}, 0},
                                        {DType::Float32, {huge}, {0}, 4},
                                        {DType::Float32, {huge, huge}, {0, 0}, 0},
                                        {DType::Float32, {3, 3}, {huge, huge}, 0}};
        const auto made = makeTensor(layouts[which], ByteBuffer(16));
        QVERIFY(!made.has_value());
        QCOMPARE(QString::fromStdString(made.error().code), code);
        QVERIFY(!forEachContiguousChunk({layouts[which], ByteBuffer(16)}, [](Bytes) -> Status { return {}; }).has_value());
        (void)elementAsDouble({layouts[which], Bytes()}, 3);
        (void)elementText({layouts[which], Bytes()}, 3);
    }

    void hugeExpandedTensorsCannotBePacked() {
        const Tensor tensor = counting(1, {std::int64_t{1} << 61}, {0});
        const auto packed = contiguous(tensor);
        QVERIFY(!packed.has_value());
        QVERIFY(!allocateTensor(DType::Float32, {std::int64_t{1} << 45}).has_value());
    }

    void contiguityIsJudgedAsTorchDoes() {
        QVERIFY((TensorLayout{DType::Int8, {2, 1, 3}, {3, 99, 1}, 0}.isContiguous()));
        QVERIFY((TensorLayout{DType::Int8, {0, 3}, {7, 7}, 0}.isContiguous()));
        QVERIFY((TensorLayout{DType::Int8, {}, {}, 0}.isContiguous()));
        QVERIFY(!(TensorLayout{DType::Int8, {2, 3}, {1, 2}, 0}.isContiguous()));
        QCOMPARE(contiguousStrides({2, 0, 3}), (std::vector<std::int64_t>{3, 3, 1}));
    }

    void elementsPrintAsPythonDoes() {
        const auto text = [](const Tensor& t) {
            std::string all;
            for (std::uint64_t i = 0; i < t.layout.elementCount().value(); ++i) all += (i ? " " : "") + elementText(t.view(), i);
            return all;
        };
        const double inf = std::numeric_limits<double>::infinity();
        QCOMPARE(text(of<float>(DType::Float32, {0.1F, -3.0F, 1e-5F, 1e20F, 16777216.0F, static_cast<float>(inf)})),
                 std::string("0.1 -3.0 1e-05 1e+20 16777216.0 inf"));
        QCOMPARE(text(of<double>(DType::Float64, {0.1, -0.0, std::nan(""), -inf})), std::string("0.1 -0.0 nan -inf"));
        QCOMPARE(text(of<std::uint8_t>(DType::Bool, {0, 1, 7})), std::string("False True True"));
        QCOMPARE(text(of<std::int64_t>(DType::Int64, {std::numeric_limits<std::int64_t>::min()})), std::string("-9223372036854775808"));
        QCOMPARE(text(of<std::uint64_t>(DType::UInt64, {~std::uint64_t{0}})), std::string("18446744073709551615"));
        QCOMPARE(text(of<std::uint16_t>(DType::Float16, {0x3C00, 0x2E66, 0xFC00, 0x7E00})), std::string("1.0 0.099975586 -inf nan"));
        QCOMPARE(text(of<std::uint16_t>(DType::BFloat16, {0x3F80, 0x4049})), std::string("1.0 3.140625"));
        QCOMPARE(text(makeTensor({DType::Complex64, {2}, {1}, 0},
                                 [] {
                                     const float parts[] = {1, 2, 0, -2.5F};
                                     ByteBuffer b(16);
                                     std::memcpy(b.data(), parts, 16);
                                     return b;
                                 }())
                          .value()),
                 std::string("(1+2j) -2.5j"));
    }

    void castsAreTorchsForEveryPairOfDtypes() {
        const auto golden = readNpzFile(pt2::tests::sourceFile("tests/data/casts.npz").toStdString());
        QVERIFY2(golden.has_value(), golden ? "" : golden.error().what.c_str());
        std::map<std::string, Tensor> arrays(golden->begin(), golden->end());
        const auto as = [&](const std::string& key, DType dtype) {
            Tensor t = arrays.at(key);
            t.layout = {dtype, {static_cast<std::int64_t>(t.storage.size() / dtypeSize(dtype))}, {1}, 0};
            return t;
        };
        int pairs = 0;
        for (int s = 1; s <= static_cast<int>(DType::Float8E8M0FNU); ++s) {
            for (int d = 1; d <= static_cast<int>(DType::Float8E8M0FNU); ++d) {
                const auto src = static_cast<DType>(s), dst = static_cast<DType>(d);
                const std::string key = std::string(dtypeName(src)) + "." + dtypeName(dst);
                QVERIFY2(arrays.count(key) == 1, key.c_str());
                const Tensor source = as(std::string("src.") + dtypeName(src), src);
                const Tensor expected = as(key, dst);
                const auto cast = castTo(source, dst);
                QVERIFY(cast.has_value());
                QCOMPARE(cast->storage.size(), expected.storage.size());
                const std::size_t size = dtypeSize(dst);
                const bool hasAlone = arrays.count(key + ".alone") == 1;
                for (std::uint64_t i = 0; i < cast->layout.elementCount().value(); ++i) {
                    const bool equal = std::memcmp(cast->storage.data() + i * size, expected.storage.data() + i * size, size) == 0;
                    const bool equalAlone =
                        hasAlone && std::memcmp(cast->storage.data() + i * size, arrays.at(key + ".alone").storage.data() + i * size, size) == 0;
                    // NaNs differ in payload only; in complex numbers the other part must still agree as text.
                    const bool bothNan = isNanPattern(cast->view(), i) && isNanPattern(expected.view(), i) &&
                                         elementText(cast->view(), i) == elementText(expected.view(), i);
                    // NaN to an integer is undefined in C++, and torch's answer for the one-byte formats is whatever its compiler folded.
                    const bool undefined = isInteger(dst) && dtypeSize(src) == 1 && isFloating(src) && isNanPattern(source.view(), i);
                    QVERIFY2(equal || equalAlone || bothNan || undefined,
                             (key + " of " + elementText(source.view(), i) + ": " + elementText(cast->view(), i) + ", torch " +
                              elementText(expected.view(), i))
                                 .c_str());
                }
                ++pairs;
            }
        }
        QCOMPARE(pairs, 21 * 21);
    }

    void typesPrintWithShape() {
        QCOMPARE(tensorTypeText({DType::Float32, {1, 128}, {128, 1}, 0}), std::string("float32 [1, 128]"));
        QCOMPARE(tensorTypeText({DType::Bool, {}, {}, 0}), std::string("bool []"));
    }
};

QTEST_GUILESS_MAIN(TestTensor)
#include "tst_tensor.moc"

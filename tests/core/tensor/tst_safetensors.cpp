#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "core/tensor/safetensors.h"

using namespace pt2;

class TestSafetensors : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;

    std::filesystem::path write(const QByteArray& header, const QByteArray& data, std::uint64_t length = 0) {
        const QString path = dir_.filePath("x.safetensors");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        if (length == 0) length = static_cast<std::uint64_t>(header.size());
        for (int i = 0; i < 8; ++i) file.putChar(static_cast<char>((length >> (8 * i)) & 0xFF));
        file.write(header);
        file.write(data);
        return path.toStdString();
    }

private slots:
    void everyDtypeOfTheFormatReadsBack() {
        NamedTensors tensors;
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            if (dtype == DType::Complex32 || dtype == DType::Complex128 || dtype == DType::Float8E4M3FNUZ || dtype == DType::Float8E5M2FNUZ) continue;
            ByteBuffer storage(6 * dtypeSize(dtype));
            for (std::size_t k = 0; k < storage.size(); ++k) storage[k] = static_cast<std::byte>(k + 3);
            tensors.emplace_back(std::string("w.") + dtypeName(dtype), makeTensor({dtype, {3, 2}, {1, 3}, 0}, std::move(storage)).value());
        }
        tensors.emplace_back("empty", allocateTensor(DType::Float32, {0, 4})->tensor);
        tensors.emplace_back("scalar é", allocateTensor(DType::Float64, {})->tensor);
        const std::filesystem::path path = dir_.filePath("all.safetensors").toStdString();
        QVERIFY(writeSafetensorsFile(path, tensors, false).has_value());
        QCOMPARE(writeSafetensorsFile(path, tensors, false).error().kind, ErrorKind::Usage);
        const auto back = readSafetensorsFile(path);
        QVERIFY(back.has_value());
        std::map<std::string, Tensor> byName(back->begin(), back->end());
        QCOMPARE(byName.size(), tensors.size());
        for (const auto& [name, tensor] : tensors) {
            QCOMPARE(byName.at(name).layout.dtype, tensor.layout.dtype);
            QCOMPARE(byName.at(name).layout.sizes, tensor.layout.sizes);
            QCOMPARE(tensorSha256(byName.at(name).view()).value(), tensorSha256(tensor.view()).value());
        }
    }

    void whatTheFormatLacksIsRefused() {
        const std::filesystem::path path = dir_.filePath("no.safetensors").toStdString();
        const auto status = writeSafetensorsFile(path, {{"a", allocateTensor(DType::Complex128, {1})->tensor}}, false);
        QCOMPARE(status.error().code, std::string("tensor.safetensors-dtype"));
        QVERIFY(status.error().why.find("complex128") != std::string::npos);
        QVERIFY(!std::filesystem::exists(path));
    }

    void damagedFilesAreErrors_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::newRow("not json") << QByteArray("{]");
        QTest::newRow("array") << QByteArray("[]");
        QTest::newRow("no dtype") << QByteArray(R"({"a":{"shape":[1],"data_offsets":[0,4]}})");
        QTest::newRow("unknown dtype") << QByteArray(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,4]}})");
        QTest::newRow("negative size") << QByteArray(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})");
        QTest::newRow("huge size") << QByteArray(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})");
        QTest::newRow("huge number") << QByteArray(R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})");
        QTest::newRow("too short") << QByteArray(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})");
        QTest::newRow("outside") << QByteArray(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})");
        QTest::newRow("reversed") << QByteArray(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})");
        QTest::newRow("overlap") << QByteArray(
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})");
        QTest::newRow("deep") << QByteArray(100000, '[');
        QTest::newRow("entry is a number") << QByteArray(R"({"a":5})");
    }
    void damagedFilesAreErrors() {
        QFETCH(QByteArray, header);
        const auto result = readSafetensorsFile(write(header, QByteArray(8, 'x')));
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::Unreadable);
        QVERIFY(!result.error().why.empty());
    }

    void lengthsAreBelievedOnlyInsideTheFile() {
        for (const std::uint64_t length : {std::uint64_t{3}, std::uint64_t{1} << 20, ~std::uint64_t{0}}) {
            QCOMPARE(readSafetensorsFile(write("{}", "", length)).error().kind, ErrorKind::Unreadable);
        }
        QFile file(dir_.filePath("short.safetensors"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("abc");
        file.close();
        QCOMPARE(readSafetensorsFile(file.fileName().toStdString()).error().kind, ErrorKind::Unreadable);
    }

    void metadataIsNoTensor() {
        const auto result =
            readSafetensorsFile(write(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab"));
        QCOMPARE(result->size(), std::size_t{1});
        QCOMPARE(elementText((*result)[0].second.view(), 1), std::string("98"));
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"

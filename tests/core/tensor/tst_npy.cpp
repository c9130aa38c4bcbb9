#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "core/tensor/npy.h"
#include "core/tensor/tensor_zip.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

ByteBuffer npy(std::string dict, std::string_view data, char major = 1) {
    std::string text = "\x93NUMPY";
    text += major;
    text += '\0';
    dict += '\n';
    const std::size_t lengthBytes = major == 1 ? 2 : 4;
    for (std::size_t i = 0; i < lengthBytes; ++i) text += static_cast<char>((dict.size() >> (8 * i)) & 0xFF);
    text += dict;
    text += data;
    const Bytes bytes = asBytes(text);
    return {bytes.begin(), bytes.end()};
}

std::string all(const Tensor& t) {
    std::string text;
    for (std::uint64_t i = 0; i < t.layout.elementCount().value(); ++i) text += (i ? " " : "") + elementText(t.view(), i);
    return text;
}

std::string codeOf(const Result<Tensor>& result) { return result ? "" : result.error().code; }

}  // namespace

class TestNpy : public QObject {
    Q_OBJECT
private slots:
    void versionsOrdersAndEndiansRead() {
        const std::string_view little("\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00", 12);
        const std::string_view big("\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06", 12);
        for (const char major : {char{1}, char{2}, char{3}}) {
            const auto t = readNpy(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", little, major));
            QVERIFY(t.has_value());
            QCOMPARE(all(*t), std::string("1 2 3 4 5 6"));
            QCOMPARE(t->layout.sizes, (std::vector<std::int64_t>{2, 3}));
        }
        QCOMPARE(all(readNpy(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3)}", big)).value()), std::string("1 2 3 4 5 6"));
        const auto fortran = readNpy(npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", little));
        QCOMPARE(all(*fortran), std::string("1 3 5 2 4 6"));
        QCOMPARE(fortran->layout.strides, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(all(readNpy(npy("{'fortran_order': False, 'shape': (), 'descr': '<u2', }", little)).value()), std::string("1"));
        QCOMPARE(all(readNpy(npy("{\"shape\": (6L,), \"descr\": \"=i2\", \"fortran_order\": False}", little)).value()), std::string("1 2 3 4 5 6"));
        QCOMPARE(all(readNpy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", std::string_view("\0\1", 2))).value()),
                 std::string("False True"));
        QCOMPARE(readNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7)}", "")).value().layout.sizes,
                 (std::vector<std::int64_t>{0, 7}));
        // Big-endian complex numbers swap each part.
        const std::string_view complex("\x3f\x80\x00\x00\x40\x00\x00\x00", 8);
        QCOMPARE(all(readNpy(npy("{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}", complex)).value()), std::string("(1+2j)"));
    }

    void whatIsNotAnArrayIsAClearError() {
        QCOMPARE(codeOf(readNpy({})), std::string("tensor.npy-magic"));
        QCOMPARE(codeOf(readNpy(asBytes("PK\3\4 something else"))), std::string("tensor.npy-magic"));
        QCOMPARE(codeOf(readNpy(npy("{}", "", 9))), std::string("tensor.npy-version"));
        for (const char* descr : {"'|O'", "'<U5'", "'|S3'", "'<M8[ns]'", "'|V2'", "'<f16'", "'<i3'", "''", "'x'", "'?i4'", "[('a', '<i4')]"}) {
            const auto t = readNpy(npy(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (1,)}", "0123456789012345"));
            QCOMPARE(codeOf(t), std::string("tensor.npy-dtype"));
            QVERIFY(!t.error().why.empty() && !t.error().help.empty());
        }
        for (const char* dict : {"", "{", "{'descr': '<i4'", "{'descr': '<i4'}", "{'shape': (1,)}",
                                 "{'descr': '<i4', 'fortran_order': 1, 'shape': (1,)}", "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}",
                                 "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                                 "{'descr': '<i4', 'fortran_order': False, 'shape': (1 2)}", "{'other': 1}"}) {
            QVERIFY2(codeOf(readNpy(npy(dict, "0123456789"))) == "tensor.npy-header", dict);
        }
        QCOMPARE(codeOf(readNpy(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", "01234567890"))), std::string("tensor.npy-short"));
        QCOMPARE(codeOf(readNpy(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", ""))),
                 std::string("tensor.too-large"));
        QCOMPARE(codeOf(readNpy(npy("{'descr': '<i4', 'fortran_order': True, 'shape': (4611686018427387904, 0, 4)}", ""))),
                 std::string("tensor.too-large"));
        ByteBuffer cut = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", "");
        for (std::size_t n = 0; n < cut.size(); ++n) QVERIFY(!readNpy(Bytes(cut).first(n)).has_value());
    }

    void everyDtypeWritesAndReads() {
        QTemporaryDir dir;
        const auto path = std::filesystem::path(dir.path().toStdString()) / "all.npz";
        NamedTensors tensors;
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            const std::size_t size = dtypeSize(dtype);
            ByteBuffer storage(12 * size);
            for (std::size_t k = 0; k < storage.size(); ++k) storage[k] = static_cast<std::byte>(k * 37 + 1);
            tensors.emplace_back(dtypeName(dtype), makeTensor({dtype, {2, 3}, {1, 4}, 1}, std::move(storage)).value());
        }
        QVERIFY(writeNpzFile(path, tensors, false).has_value());
        QVERIFY(!writeNpzFile(path, tensors, false).has_value());
        QVERIFY(writeNpzFile(path, tensors, true).has_value());
        const auto back = readNpzFile(path);
        QVERIFY(back.has_value());
        QCOMPARE(back->size(), tensors.size());
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            QCOMPARE((*back)[i].first, tensors[i].first);
            const Tensor& read = (*back)[i].second;
            QCOMPARE(dtypeSize(read.layout.dtype), dtypeSize(tensors[i].second.layout.dtype));
            QCOMPARE(read.layout.sizes, tensors[i].second.layout.sizes);
            QCOMPARE(tensorSha256(read.view()).value(), tensorSha256(tensors[i].second.view()).value());
        }
        QCOMPARE((*back)[0].second.layout.dtype, DType::UInt8);
        QCOMPARE(readNpzEntry(path, "bfloat16")->layout.dtype, DType::UInt16);
        QCOMPARE(readNpzEntry(path, "complex32")->layout.dtype, DType::UInt32);
        const auto missing = readNpzEntry(path, "flat16");
        QCOMPARE(missing.error().kind, ErrorKind::Usage);
        QVERIFY(missing.error().help.find("float16") != std::string::npos);
        const auto twice = writeNpzFile(path, {tensors[0], tensors[0]}, true);
        QCOMPARE(twice.error().kind, ErrorKind::Usage);
    }

    void npyFilesReadBack() {
        QTemporaryDir dir;
        const QString path = dir.filePath("x.npy");
        auto fresh = allocateTensor(DType::Float32, {2, 2}).value();
        const float numbers[] = {1, 2, 3, 4.5F};
        std::memcpy(fresh.bytes.data(), numbers, 16);
        const ByteBuffer bytes = writeNpy(fresh.tensor.view());
        QCOMPARE(bytes.size() % 64, std::size_t{16});
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
        file.close();
        QCOMPARE(all(readNpyFile(path.toStdString()).value()), std::string("1.0 2.0 3.0 4.5"));
        QVERIFY(!readNpyFile(dir.filePath("none.npy").toStdString()).has_value());
    }

    void damagedZipsAreErrors() {
        QTemporaryDir dir;
        const auto path = std::filesystem::path(dir.path().toStdString()) / "a.npz";
        auto fresh = allocateTensor(DType::Float32, {64}).value();
        QVERIFY(writeNpzFile(path, {{"a", fresh.tensor}, {"b", fresh.tensor}}, false).has_value());
        QFile file(QString::fromStdString(path.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray good = file.readAll();
        file.close();
        const auto readAll = [](const QByteArray& data) {
            const Bytes bytes = asBytes({data.constData(), static_cast<std::size_t>(data.size())});
            const RandomAccess source = accessTo(bytes, "test");
            auto records = readTensorZip(source);
            if (!records) return false;
            for (const TensorZipEntry& record : *records) {
                auto content = readTensorZipEntry(source, record);
                if (!content || !readNpy(*content)) return false;
            }
            return true;
        };
        QVERIFY(readAll(good));
        for (int n = 0; n < good.size(); ++n) QVERIFY(!readAll(good.left(n)));
        // Every byte turned over: an error or, where the byte does not matter, a read; never a crash.
        for (int n = 0; n < good.size(); ++n) {
            for (const char flip : {char{0x01}, static_cast<char>(0xFF)}) {
                QByteArray bad = good;
                bad[n] = static_cast<char>(bad[n] ^ flip);
                (void)readAll(bad);
            }
        }
    }

    void corpusArraysHaveTheDtypesAndShapesOfTheFacts() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here: its .npz files were not read.");
        int files = 0, arrays = 0;
        QDirIterator it(corpus, {"*.io.npz"}, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = it.next();
            const auto tensors = readNpzFile(path.toStdString());
            QVERIFY2(tensors.has_value(), qPrintable(path + ": " + (tensors ? QString() : QString::fromStdString(tensors.error().why))));
            std::map<std::string, Tensor> byName(tensors->begin(), tensors->end());
            QFile facts(path.left(path.size() - 7) + ".facts.json");
            if (!facts.open(QIODevice::ReadOnly)) continue;
            ++files;
            for (const auto& sample : QJsonDocument::fromJson(facts.readAll()).object()["io"].toArray()) {
                for (const char* side : {"inputs", "outputs"}) {
                    for (const auto& entry : sample.toObject()[side].toArray()) {
                        const auto o = entry.toObject();
                        if (!o["key"].isString()) continue;
                        const auto key = o["key"].toString().toStdString();
                        QVERIFY2(byName.count(key) == 1, qPrintable(path + " " + o["key"].toString()));
                        const Tensor& t = byName.at(key);
                        const QString dtype =
                            o.contains("npz_dtype") && o["npz_dtype"].isString() ? o["npz_dtype"].toString() : o["dtype"].toString();
                        QCOMPARE(QString("torch.") + dtypeName(t.layout.dtype), dtype.startsWith("torch.") ? dtype : "torch." + dtype);
                        std::vector<std::int64_t> shape;
                        for (const auto& d : o["shape"].toArray()) shape.push_back(d.toInteger());
                        QCOMPARE(t.layout.sizes, shape);
                        ++arrays;
                    }
                }
            }
        }
        QVERIFY(files > 60);
        QVERIFY(arrays > 300);
    }
};

QTEST_GUILESS_MAIN(TestNpy)
#include "tst_npy.moc"

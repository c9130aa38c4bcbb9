#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "core/base/file.h"
#include "core/tensor/npy.h"
#include "core/tensor/pickle.h"
#include "core/tensor/tensor_zip.h"
#include "tests/corpus.h"

using namespace pt2;
using Kind = PickleNode::Kind;

namespace {

/// The tree on one line, for comparisons.
std::string show(const PickleNode& n) {
    const auto list = [&n](const char* open, const char* close) {
        std::string text = open;
        for (std::size_t i = 0; i < n.children.size(); ++i) text += (i ? "," : "") + show(*n.children[i]);
        return text + close;
    };
    switch (n.kind) {
        case Kind::None: return "None";
        case Kind::Bool: return n.boolean ? "True" : "False";
        case Kind::Int: return std::to_string(n.integer);
        case Kind::BigInt: return n.text;
        case Kind::Float: return QString::number(n.real).toStdString();
        case Kind::String: return "'" + n.text + "'";
        case Kind::Bytes: return "b'" + n.text + "'";
        case Kind::Tuple: return list("(", ")");
        case Kind::List: return list("[", "]");
        case Kind::Dict: return list("{", "}");
        case Kind::Set: return list("<", ">");
        case Kind::Global: return "@" + n.text + (n.children.empty() ? "" : list("(", ")"));
        case Kind::Call: return n.text + list("(", ")");
        case Kind::Persistent: return "#" + list("(", ")");
        case Kind::Tensor: return "tensor " + tensorTypeText(n.layout) + " of " + n.storageKey;
        case Kind::Reference: return "...";
    }
    return "?";
}

std::string read(std::string_view pickle, PickleScan* scan = nullptr) {
    const auto root = readPickle(asBytes(pickle), scan);
    return root ? show(**root) : root.error().code;
}

std::string operator""_s(const char* text, std::size_t length) { return {text, length}; }

void tensorsIn(const PickleNode& node, std::vector<const PickleNode*>& out) {
    if (node.kind == Kind::Tensor) out.push_back(&node);
    for (const auto& child : node.children) tensorsIn(*child, out);
}

/// Members of a .pt2 by name below the root.
std::map<std::string, ByteBuffer> members(const QString& path, std::string_view part) {
    std::map<std::string, ByteBuffer> found;
    auto file = File::openForReading(path.toStdString());
    if (!file) return found;
    const RandomAccess source = accessTo(*file);
    auto records = readTensorZip(source);
    if (!records) return found;
    for (const TensorZipEntry& record : *records) {
        const std::string name = record.name.substr(record.name.find('/') + 1);
        if (name.find(part) == std::string::npos) continue;
        if (auto bytes = readTensorZipEntry(source, record)) found[name] = std::move(*bytes);
    }
    return found;
}

}  // namespace

class TestPickle : public QObject {
    Q_OBJECT
private slots:
    void valuesOfAllProtocolsRead() {
        // Protocol 0, as Python writes [1, True, 1.5, 'a\nb', None, (2, 3), {'k': 12345678901234567890}].
        QCOMPARE(read("(lp0\nI1\naI01\naF1.5\naS'a\\nb'\np1\naNa(I2\nI3\ntp2\na(dp3\nS'k'\np4\nL12345678901234567890L\nsa."),
                 "[1,True,1.5,'a\nb',None,(2,3),{'k',12345678901234567890}]"_s);
        QCOMPARE(read("V\\u00e9\\x41\n."), "'\xC3\xA9\\x41'"_s);
        // Protocol 2: BININT, BININT1, BININT2, LONG1, BINFLOAT, tuples.
        QCOMPARE(read("\x80\x02(J\xff\xff\xff\xffK\x07M\x00\x01\x8a\x01\x80\x8a\x00G\x3f\xe0\x00\x00\x00\x00\x00\x00\x88\x89Nt."_s),
                 "(-1,7,256,-128,0,0.5,True,False,None)"_s);
        QCOMPARE(read("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."_s), "18446744073709551616"_s);
        QCOMPARE(read("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff."_s), "-18446744073709551616"_s);
        // Protocol 4 and 5: frames, short strings, sets, memoize, bytearray.
        QCOMPARE(read("\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8f\x94(\x8c\x01x\x94K\x02\x90h\x01\x86."_s), "(<'x',2>,'x')"_s);
        QCOMPARE(read("\x80\x05\x96\x02\x00\x00\x00\x00\x00\x00\x00hi."_s), "b'hi'"_s);
        QCOMPARE(read("\x80\x02\x63_codecs\nencode\nX\x03\x00\x00\x00\x61\xc3\xa9X\x06\x00\x00\x00latin1\x86R."_s), "b'a\xE9'"_s);
        QCOMPARE(read("}(K\x01K\x02K\x03K\x04u."), "{1,2,3,4}"_s);
        QCOMPARE(read("ccollections\nOrderedDict\n)R(X\1\0\0\0aK\1u}X\2\0\0\0mdK\1sb."_s), "{'a',1}"_s);
        QCOMPARE(read("ctorch\nSize\nK\3K\4\x86\x85R."), "(3,4)"_s);
        QCOMPARE(read("ctorch\nfloat32\n."), "@torch.float32"_s);
        QCOMPARE(read("ctorch\ndevice\nX\3\0\0\0cpu\x85R."_s), "torch.device('cpu')"_s);
        QCOMPARE(read("ccases\nPoint\nK\1K\2\x86\x81."), "cases.Point(1,2)"_s);
        QCOMPARE(read("ccases\nPoint\n)}X\1\0\0\0kK\1s\x92}X\1\0\0\0aK\2sb."_s), "cases.Point({'k',1},{'a',2})"_s);
    }

    void objectsAreSharedNotCopied() {
        const auto root = readPickle(asBytes("]q\0h\0h\0\x86."_s));
        QVERIFY(root.has_value());
        QCOMPARE((*root)->children[0].get(), (*root)->children[1].get());
    }

    void globalsAreNamedAndTheDangerousOnesListed() {
        PickleScan scan;
        QCOMPARE(read("cos\nsystem\nX\7\0\0\0rm -rf.\x85R."_s, &scan), "os.system('rm -rf.')"_s);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"os.system"});
        QCOMPARE(read("\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02ls\x85R."_s, &scan), "posix.system('ls')"_s);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"posix.system"});
        QCOMPARE(read("(X\2\0\0\0lsios\nsystem\n."_s, &scan), "os.system('ls')"_s);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"os.system"});
        QCOMPARE(read("(cos\nsystem\nX\2\0\0\0lso."_s, &scan), "os.system('ls')"_s);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"os.system"});
        read("\x82\x07."_s, &scan);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"copyreg.extension 7"});
        read("c__builtin__\neval\nX\1\0\0\0x\x85R."_s, &scan);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"builtins.eval"});
        // Dangerous though nothing is called, and though what follows is broken.
        QCOMPARE(read("cos\nsystem\n0\xff"_s, &scan), "pickle.opcode"_s);
        QCOMPARE(scan.unsafe, std::vector<std::string>{"os.system"});
        QCOMPARE(read("ctorch._utils\n_rebuild_tensor_v2\n}b."_s, &scan), "@torch._utils._rebuild_tensor_v2({})"_s);
        QCOMPARE(scan.unsafe.size(), std::size_t{1});
        read("ctorch\nFloatStorage\nctorch\nfloat8_e8m0fnu\nctorch._utils\n_rebuild_tensor_v2\nctorch\nint3\n\x87."_s, &scan);
        QVERIFY(scan.unsafe.empty());
        QCOMPARE(scan.globals.size(), std::size_t{4});
        read("ctorch\nload\nctorch\nhub.load\nctorch.nn.parameter\nParameter.__init__\n\x87."_s, &scan);
        QCOMPARE(scan.unsafe.size(), std::size_t{3});
    }

    void hostileDepthAndSizeAreErrorsNotCrashes() {
        QCOMPARE(read(std::string("]") + std::string(2'000'000, '\x85') + "."), "pickle.too-deep"_s);
        QCOMPARE(read("]" + std::string(300, '\x85') + ".").size(), std::size_t{300 * 2 + 2});
        std::string lists;
        for (int i = 0; i < 200'000; ++i) lists += ']';
        for (int i = 0; i < 199'999; ++i) lists += 'a';
        QCOMPARE(read(lists + "."), "pickle.too-deep"_s);
        // Each level holds the level below twice: 2^60 nodes when walked.
        std::string doubling = "K\1";
        for (int i = 0; i < 60; ++i) doubling += "2\x86";
        QCOMPARE(read(doubling + "."), "pickle.too-large"_s);
        QCOMPARE(read(std::string(10'000'000, 'K') + "."), "pickle.too-large"_s);
        // A long tuple passed to very many calls would be copied into each.
        std::string copies = "(" + std::string(100'000, 'N') + "tq\0"_s + "ca\nb\nq\1"_s;
        for (int i = 0; i < 100'000; ++i) copies += "h\1h\0R0"_s;
        QCOMPARE(read(copies + "."), "pickle.too-large"_s);
        QCOMPARE(read("c" + std::string(2000, 'a') + "\nb\n."), "pickle.global"_s);
        QCOMPARE(read("\x8b\xff\xff\xff\x7f."_s), "pickle.damaged"_s);
        QCOMPARE(read("\x8b\0\x20\0\0"_s + std::string(0x2000, '\1') + "."), "pickle.integer-too-long"_s);
    }

    void cyclesAreCut() {
        QCOMPARE(read("]q\0h\0a."_s), "[...]"_s);
        QCOMPARE(read("}q\0X\1\0\0\0kh\0s."_s), "{'k',...}"_s);
        QCOMPARE(read("]q\0(K\1h\0tq\1ah\1."_s), "(1,[...])"_s);
        QCOMPARE(read("]q\0h\0a0N."_s), "None"_s);
        QCOMPARE(read("]q\0h\0a\xff"_s), "pickle.opcode"_s);
    }

    void everyPrefixOfAPickleIsAnError() {
        const std::string good =
            "\x80\x02(ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
            "0X\3\0\0\0cpuK\4tQK\0K\2K\2\x86K\2K\1\x86\x89}tR)t."_s;
        QCOMPARE(read(good), "(tensor float32 [2, 2] of 0,())"_s);
        for (std::size_t n = 0; n < good.size(); ++n) QVERIFY(!readPickle(asBytes(good.substr(0, n))).has_value());
        for (std::size_t n = 0; n < good.size(); ++n) {
            for (int value = 0; value < 256; ++value) {
                std::string bad = good;
                bad[n] = static_cast<char>(value);
                (void)readPickle(asBytes(bad));
            }
        }
    }

    void wrongInstructionsAreErrors() {
        for (const char* bad : {".", "R.", "(.", "0", "t.", "a.", "]s.", "K\1K\2a.", "h\5.", "\x93.", "K\1K\2\x93.", "Ix\n.", "S'a\n.", "}(K\1u.",
                                "e.", "b.", "\x81.", "Q.", "d."}) {
            QVERIFY2(!readPickle(asBytes(bad)).has_value(), bad);
        }
        QVERIFY(!readPickle({}).has_value());
    }

    void sampleInputsOfEveryProgramHoldTheRecordedTensors() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here: its sample inputs were not read.");
        int files = 0, compared = 0;
        QDirIterator it(corpus + "/2.13.0", {"*.pt2"}, QDir::Files);
        while (it.hasNext()) {
            const QString path = it.next();
            const QString stem = path.left(path.size() - 4);
            for (const auto& [name, bytes] : members(path, "data/sample_inputs/")) {
                const auto label = (path + ": " + QString::fromStdString(name)).toStdString();
                const auto file = TorchSaveFile::read(bytes);
                QVERIFY2(file.has_value(), (label + ": " + (file ? "" : file.error().why)).c_str());
                ++files;
                QCOMPARE(file->root()->kind, Kind::Tuple);
                QCOMPARE(file->root()->children.size(), std::size_t{2});
                QCOMPARE(file->root()->children[1]->kind, Kind::Dict);
                std::vector<const PickleNode*> tensors;
                tensorsIn(*file->root(), tensors);
                for (const PickleNode* node : tensors) QVERIFY2(file->tensor(*node).has_value(), label.c_str());
                QFile facts(stem + ".facts.json");
                if (!facts.open(QIODevice::ReadOnly) || !QFile::exists(stem + ".io.npz")) continue;
                const auto io = QJsonDocument::fromJson(facts.readAll()).object()["io"].toArray();
                if (io.isEmpty() || name.find("/model.pt") == std::string::npos) continue;
                std::size_t next = 0;
                for (const auto& entry : io[0].toObject()["inputs"].toArray()) {
                    const auto o = entry.toObject();
                    if (!o["key"].isString()) continue;
                    QVERIFY2(next < tensors.size(), label.c_str());
                    const auto expected = readNpzEntry((stem + ".io.npz").toStdString(), o["key"].toString().toStdString()).value();
                    const auto tensor = file->tensor(*tensors[next]).value();
                    QCOMPARE(QString("torch.") + dtypeName(tensor.layout.dtype),
                             o["dtype"].toString().startsWith("torch.") ? o["dtype"].toString() : "torch." + o["dtype"].toString());
                    QCOMPARE(tensor.layout.sizes, expected.layout.sizes);
                    QVERIFY2(tensorSha256(tensor.view()).value() == tensorSha256(expected.view()).value(),
                             (label + o["key"].toString().toStdString()).c_str());
                    ++next;
                    ++compared;
                }
                QCOMPARE(next, tensors.size());
            }
        }
        QVERIFY(files > 70);
        QVERIFY(compared > 80);
    }

    void weightsHaveTheShaOfTheFacts() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here: its weights were not read.");
        int compared = 0;
        QDirIterator it(corpus + "/2.13.0", {"*.pt2"}, QDir::Files);
        while (it.hasNext()) {
            const QString path = it.next();
            QFile factsFile(path.left(path.size() - 4) + ".facts.json");
            if (!factsFile.open(QIODevice::ReadOnly)) continue;
            const auto programs = QJsonDocument::fromJson(factsFile.readAll()).object()["programs"].toObject();
            const auto records = members(path, "data/");
            for (const auto& model : programs.keys()) {
                for (const char* kind : {"weights", "constants"}) {
                    const auto facts = programs[model].toObject()[kind].toObject();
                    for (const auto& fqn : facts.keys()) {
                        const auto fact = facts[fqn].toObject();
                        if (fact["use_pickle"].toBool() || !fact["sha256"].isString() || !fact["payload"].isString()) continue;
                        TensorLayout layout;
                        layout.dtype = dtypeFromName(fact["dtype"].toString().toStdString()).value_or(DType::Unknown);
                        for (const auto& d : fact["shape"].toArray()) layout.sizes.push_back(d.toInteger());
                        for (const auto& d : fact["stride"].toArray()) layout.strides.push_back(d.toInteger());
                        layout.storageOffset = fact["storage_offset"].toInteger();
                        const auto record = records.find(std::string("data/") + kind + "/" + fact["payload"].toString().toStdString());
                        QVERIFY2(record != records.end(), qPrintable(path + fqn));
                        QCOMPARE(QString::fromStdString(tensorSha256({layout, record->second}).value()), fact["sha256"].toString());
                        ++compared;
                    }
                }
            }
        }
        QVERIFY(compared > 300);
    }

    void subclassesAreLabelledCalls() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here: its pickled weights were not read.");
        const std::pair<const char*, const char*> cases[] = {{"two_tensor", "torch.testing._internal.two_tensor.TwoTensor"},
                                                             {"quant_pickled", "torchao.quantization.Int8Tensor"}};
        for (const auto& [name, type] : cases) {
            const auto records = members(corpus + "/2.13.0/" + name + ".pt2", "data/weights/weight_0");
            const auto file = TorchSaveFile::read(records.at("data/weights/weight_0"));
            QVERIFY(file.has_value());
            QCOMPARE(file->root()->kind, Kind::Call);
            QCOMPARE(file->root()->text, std::string("torch._tensor._rebuild_from_type_v2"));
            QVERIFY(show(*file->root()).find(type) != std::string::npos);
            QCOMPARE(file->scan().unsafe, std::vector<std::string>{type});
            std::vector<const PickleNode*> tensors;
            tensorsIn(*file->root(), tensors);
            QVERIFY(tensors.size() >= 2);
            for (const PickleNode* node : tensors) QVERIFY(file->tensor(*node).has_value());
        }
        const auto records = members(corpus + "/2.13.0/torchbind.pt2", "custom_obj_0");
        const auto object = TorchSaveFile::read(records.at("data/constants/custom_obj_0"));
        QVERIFY(object.has_value());
        QCOMPARE(object->root()->kind, Kind::Call);
        QVERIFY(object->root()->text.find("_Foo") != std::string::npos);
    }

    void pickledPackageWeightsRead() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here: on_disk_pickle was not read.");
        const auto records = members(corpus + "/2.13.0/aoti/on_disk_pickle.pt2", "data/weights/weight_");
        QCOMPARE(records.size(), std::size_t{3});
        for (const auto& [name, bytes] : records) {
            const auto file = TorchSaveFile::read(bytes);
            QVERIFY(file.has_value());
            QCOMPARE(file->root()->kind, Kind::Tensor);
            QVERIFY(file->root()->isParameter);
            QVERIFY(file->tensor(*file->root()).has_value());
        }
    }

    void writtenFilesReadBack() {
        QTemporaryDir dir;
        const std::filesystem::path path = dir.filePath("out.pt").toStdString();
        std::vector<std::pair<std::string, Tensor>> tensors;
        for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
            const auto dtype = static_cast<DType>(i);
            ByteBuffer storage(6 * dtypeSize(dtype));
            for (std::size_t k = 0; k < storage.size(); ++k) storage[k] = static_cast<std::byte>(k % 2);
            tensors.emplace_back(dtypeName(dtype), makeTensor({dtype, {3, 2}, {1, 3}, 0}, std::move(storage)).value());
        }
        tensors.emplace_back("empty", allocateTensor(DType::Float32, {0})->tensor);
        tensors.emplace_back("scalar", allocateTensor(DType::Float32, {})->tensor);
        QVERIFY(writeTorchSaveFile(path, tensors, false).has_value());
        QCOMPARE(writeTorchSaveFile(path, tensors, false).error().kind, ErrorKind::Usage);
        QFile raw(QString::fromStdString(path.string()));
        QVERIFY(raw.open(QIODevice::ReadOnly));
        const QByteArray data = raw.readAll();
        const Bytes bytes = asBytes({data.constData(), static_cast<std::size_t>(data.size())});
        const auto file = TorchSaveFile::read({bytes.begin(), bytes.end()});
        QVERIFY(file.has_value());
        QVERIFY(file->scan().unsafe.empty());
        QCOMPARE(file->root()->kind, Kind::Dict);
        for (const auto& [name, tensor] : tensors) {
            const PickleNode* node = file->root()->find(name);
            QVERIFY(node != nullptr);
            QCOMPARE(node->layout.dtype, tensor.layout.dtype);
            QCOMPARE(tensorSha256(file->tensor(*node)->view()).value(), tensorSha256(tensor.view()).value());
        }
        if (qEnvironmentVariableIsSet("PT2SCOPE_KEEP")) QFile::copy(raw.fileName(), qEnvironmentVariable("PT2SCOPE_KEEP"));
    }

    void otherFilesAreNamed() {
        QCOMPARE(TorchSaveFile::read({}).error().code, std::string("pickle.not-torch-save"));
        QCOMPARE(TorchSaveFile::read(ByteBuffer(100, std::byte{'x'})).error().code, std::string("pickle.not-torch-save"));
        QCOMPARE(TorchSaveFile::read(ByteBuffer{std::byte{0x80}, std::byte{2}, std::byte{'.'}, std::byte{0}}).error().code,
                 std::string("pickle.legacy"));
    }
};

QTEST_GUILESS_MAIN(TestPickle)
#include "tst_pickle.moc"

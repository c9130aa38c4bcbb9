#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/archive/archive.h"
#include "core/archive/recognise.h"
#include "tests/corpus.h"

using namespace pt2;

class TestRecognise : public QObject {
    Q_OBJECT

    static QByteArray repeated(const QByteArray& text, int count) {
        QByteArray result;
        for (int i = 0; i < count; ++i) result += text;
        return result;
    }

private slots:
    void otherFilesAreNamed_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("what");  // part of the sentence
        QTest::newRow("empty") << QByteArray() << "empty";
        QTest::newRow("text") << QByteArray("hello, this is no model\n") << "text file";
        QTest::newRow("utf-8 text") << QByteArray("größer als nötig\n") << "text file";
        QTest::newRow("json") << QByteArray("{\"graph_module\": {}}") << "JSON";
        QTest::newRow("json with byte order mark") << QByteArray("\xef\xbb\xbf [1, 2]") << "JSON";
        QTest::newRow("html") << QByteArray("\n<!DOCTYPE html><html><body>404</body></html>") << "web page";
        QTest::newRow("html upper case") << QByteArray("<HTML>") << "web page";
        QTest::newRow("xml error") << QByteArray("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>") << "XML";
        QTest::newRow("git lfs pointer") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n") << "Git LFS";
        QTest::newRow("executorch program") << QByteArrayLiteral("\x1c\0\0\0ET12\0\0\0\0") << "ExecuTorch program";
        QTest::newRow("executorch data") << QByteArrayLiteral("\x1c\0\0\0FT01\0\0\0\0") << "ExecuTorch data";
        QTest::newRow("tflite") << QByteArrayLiteral("\x1c\0\0\0TFL3\0\0\0\0") << "TensorFlow Lite";
        QTest::newRow("safetensors") << QByteArrayLiteral("\x02\0\0\0\0\0\0\0{}") << "safetensors";
        QTest::newRow("safetensors with a tensor")
            << QByteArrayLiteral("\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}           ") << "safetensors";
        QTest::newRow("onnx") << QByteArray(
                                     "\x08\x0a\x12\x07pytorch\x1a\x06"
                                     "2.13.0\x3a\x04\x0a\x02\x08\x01",
                                     25)
                              << "ONNX";
        QTest::newRow("pickle") << QByteArrayLiteral("\x80\x02}q\0.") << "pickle";
        QTest::newRow("npy") << QByteArrayLiteral("\x93NUMPY\x01\0v\0") << "NumPy";
        QTest::newRow("gzip") << QByteArrayLiteral("\x1f\x8b\x08\0\0\0") << "gzip";
        QTest::newRow("zstd") << QByteArrayLiteral("\x28\xb5\x2f\xfd\0\0") << "zstd";
        QTest::newRow("hdf5") << QByteArrayLiteral("\x89HDF\r\n\x1a\n\0") << "HDF5";
        QTest::newRow("gguf") << QByteArrayLiteral("GGUF\x03\0\0\0") << "GGUF";
        QTest::newRow("tar") << QByteArray(257, 'x') + "ustar  "
                             << "tar archive";
        QTest::newRow("windows library") << QByteArrayLiteral("MZ\x90\0\x03") << "Windows";
        QTest::newRow("zero bytes") << QByteArray(5000, '\0') << "zero bytes";
        QTest::newRow("noise") << QByteArrayLiteral("\xfe\xdc\xba\x98\x76\x54\x32\x10\xff\xfe\x00\x01") << "not recognised";
    }
    void otherFilesAreNamed() {
        QFETCH(QByteArray, content);
        QFETCH(QString, what);
        QTemporaryDir folder;
        const QString path = folder.filePath("model.pt2");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
        file.close();
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(!archive);
        QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
        QVERIFY2(QString::fromStdString(archive.error().what).contains(what), archive.error().what.c_str());
        QVERIFY(!archive.error().help.empty());
    }

    void filesOfPeoplesToolsOpenOrSayWhatTheyAre_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("root");  // or part of the error with a leading !
        const std::pair<const char*, const char*> rows[] = {
            {"wild_rezip_deflated.pt2", "peft_lora"},
            {"wild_rezip_deflated_nodirs.pt2", "peft_lora"},
            {"wild_rezip_stored.pt2", "peft_lora"},
            {"wild_rezip_noroot.pt2", ""},
            {"wild_rezip_deep_root.pt2", "exported/v1/peft_lora"},
            {"wild_folder.pt2.d", ""},
            {"wild_macos.pt2", "peft_lora"},
            {"wild_renamed.zip", "peft_lora"},
            {"wild_noext", "peft_lora"},
            {"wild_zip_of_two_pt2.zip", "!holds .pt2 files"},
            {"wild_two_in_folder", "!without an unpacked"},
            {"wild_Modèle_ñ_日本語.pt2", "wild_Modèle_ñ_日本語"},
            {"wild_my model (1).pt2", "wild_my model (1)"},
            {"wild_v1.2.3.final.pt2", "wild_v1.2.3.final"},
            {"wild_readme_added.pt2", "peft_lora"},
            {"wild_comment.pt2", "peft_lora"},
            {"wild_backslash.pt2", "peft_lora"},
            {"wild_zipfile_copy.pt2", "peft_lora"},
            {"wild_json_pretty.pt2", "peft_lora"},
            {"wild_json_bom_crlf.pt2", "peft_lora"},
            {"wild_duplicate_entry.pt2", "peft_lora"},
            {"wild_prefix_bytes.pt2", "peft_lora"},
            {"wild_trailing_bytes.pt2", "peft_lora"},
            {"wild_truncated.pt2", "!truncated: 23,832 bytes, the zip index is missing"},
            {"wild_lfs_pointer.pt2", "!Git LFS"},
            {"wild_html.pt2", "!web page"},
            {"wild_empty.pt2", "!empty"},
            {"wild_gzip.pt2.gz", "!gzip"},
            {"wild_state_dict.pt2", "!torch.save"},
            {"wild_torchscript.pt2", "!TorchScript"},
            {"wild_picoquant.pt2", "!is no .pt2 archive"},
        };
        for (const auto& [name, root] : rows) QTest::newRow(name) << QString::fromUtf8(name) << QString::fromUtf8(root);
    }
    void filesOfPeoplesToolsOpenOrSayWhatTheyAre() {
        QFETCH(QString, name);
        QFETCH(QString, root);
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so files of other tools are not opened.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/foreign/" + name).toStdString(), issues);
        if (root.startsWith('!')) {
            QVERIFY(!archive);
            QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
            QVERIFY2(QString::fromStdString(archive.error().what).contains(root.mid(1)), archive.error().what.c_str());
            QVERIFY(!archive.error().help.empty());
            return;
        }
        QVERIFY2(archive, archive ? "" : archive.error().what.c_str());
        if (QString::fromStdString((*archive)->root()) != root) {
            // The root of a file saved anew is whatever its writer made of the path; it must hold the program all the same.
            QVERIFY2(name.startsWith("wild_Mod") || name.startsWith("wild_my") || name.startsWith("wild_v1"), (*archive)->root().c_str());
        }
        const auto program = (*archive)->find("models/model.json");
        QVERIFY(program);
        QVERIFY((*archive)->read(*program));
    }

    void containersAreDecidedByContent_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("kind");
        QTest::newRow("program") << "2.13.0/tiny.pt2"
                                 << "pt2-archive";
        QTest::newRow("compiled") << "2.13.0/aoti/tiny.pt2"
                                  << "pt2-archive";
        QTest::newRow("program of 2.8") << "eras/2.8/tiny.pt2"
                                        << "pt2-archive";
        QTest::newRow("program of 2.6") << "eras/2.6/tiny.pt2"
                                        << "export-zip";
        QTest::newRow("program of 2.4") << "eras/2.4/tiny.pt2"
                                        << "export-zip";
        QTest::newRow("program of 2.2") << "eras/2.2/tiny.pt2"
                                        << "export-zip";
        QTest::newRow("compiled by 2.6") << "eras/2.6/aoti/tiny.pt2"
                                         << "aoti-zip";
        QTest::newRow("compiled by 2.4") << "eras/2.4/aoti/tiny.so"
                                         << "library";
        QTest::newRow("compiled by 2.2") << "eras/2.2/aoti/tiny.so"
                                         << "library";
        QTest::newRow("folder") << "foreign/wild_folder.pt2.d"
                                << "folder";
        QTest::newRow("packages packed again") << "foreign/stac_model_aoti.pt2"
                                               << "pt2-archive";
        QTest::newRow("executorch's old layout") << "foreign/executorch_exir_save.pt2"
                                                 << "export-zip";
    }
    void containersAreDecidedByContent() {
        QFETCH(QString, path);
        QFETCH(QString, kind);
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so containers are not opened.");
        QTemporaryDir folder;
        const QString source = tests::corpus() + "/" + path;
        QString renamed = source;
        if (!QFileInfo(source).isDir()) {  // the name says nothing
            renamed = folder.filePath("some.bin");
            QVERIFY(QFile::copy(source, renamed));
        }
        Issues issues;
        const auto archive = Archive::open(renamed.toStdString(), issues);
        QVERIFY2(archive, archive ? "" : archive.error().what.c_str());
        QCOMPARE(QString(containerName((*archive)->kind())), kind);
    }

    void placesThatAreNoFilesFailAtOnce_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("null device") << "/dev/null";
        QTest::newRow("endless device") << "/dev/zero";
        QTest::newRow("missing") << "/nowhere/at/all.pt2";
        QTest::newRow("root folder") << "/";
        QTest::newRow("kernel's folder") << "/proc/self";
        QTest::newRow("empty name") << "";
    }
    void placesThatAreNoFilesFailAtOnce() {
        QFETCH(QString, path);
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(!archive);
        QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
        QVERIFY(!archive.error().what.empty());
        QVERIFY(!archive.error().help.empty());
    }

    void namedPipeDoesNotHang() {
        QTemporaryDir folder;
        const QString pipe = folder.filePath("pipe.pt2");
        QCOMPARE(QProcess::execute("mkfifo", {pipe}), 0);
        Issues issues;
        QVERIFY(!Archive::open(pipe.toStdString(), issues));
    }

    void librariesThatAreNoModelsAreRefused() {
        QString library;
        for (const char* candidate : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6"}) {
            if (library.isEmpty() && QFile::exists(candidate)) library = candidate;
        }
        if (library.isEmpty()) QSKIP("No libc is where it usually is, so no other library is opened.");
        Issues issues;
        const auto archive = Archive::open(library.toStdString(), issues);
        QVERIFY(!archive);
        QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
        QVERIFY2(QString::fromStdString(archive.error().what).contains("no compiled model"), archive.error().what.c_str());
    }

    void cutLibrariesFailInWords() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no library is cut.");
        QFile source(tests::corpus() + "/eras/2.4/aoti/tiny.so");
        QVERIFY(source.open(QIODevice::ReadOnly));
        const QByteArray whole = source.readAll();
        QTemporaryDir folder;
        const QString path = folder.filePath("cut.so");
        for (int size = 4; size < whole.size(); size += 1 + size / 3) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(whole.left(size)) == size);
            file.close();
            Issues issues;
            const auto archive = Archive::open(path.toStdString(), issues);
            if (!archive) QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
        }
    }

    void everyCutOfAnArchiveIsRefused() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no archive is cut.");
        QFile source(tests::corpus() + "/2.13.0/tiny.pt2");
        QVERIFY(source.open(QIODevice::ReadOnly));
        const QByteArray whole = source.readAll();
        QTemporaryDir folder;
        const QString path = folder.filePath("cut.pt2");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(whole) == whole.size());
        for (int size = int(whole.size()) - 1; size >= 0; size -= size > 100 ? 7 : 1) {
            QVERIFY(file.resize(size));
            Issues issues;
            const auto archive = Archive::open(path.toStdString(), issues);
            QVERIFY2(!archive, qPrintable(QString::number(size)));
            QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
            if (size > 40) QCOMPARE(archive.error().code, std::string("archive.truncated"));
        }
    }

    void everyFlippedByteOpensOrFailsInWords() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no byte is flipped.");
        QFile source(tests::corpus() + "/damaged/all_deflated.pt2");
        QVERIFY(source.open(QIODevice::ReadOnly));
        const QByteArray whole = source.readAll();
        QTemporaryDir folder;
        const QString path = folder.filePath("flipped.pt2");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite | QIODevice::Unbuffered) && file.write(whole) == whole.size());
        const auto put = [&](int at, char value) { return file.seek(at) && file.putChar(value); };
        for (int i = 0; i < whole.size(); ++i) {
            QVERIFY(i == 0 || put(i - 1, whole[i - 1]));
            QVERIFY(put(i, char(whole[i] ^ (1 << (i % 8)))));
            Issues issues;
            const auto archive = Archive::open(path.toStdString(), issues);
            if (!archive) {
                QCOMPARE(archive.error().kind, ErrorKind::Unreadable);
                continue;
            }
            for (MemberIndex m = 0; m < (*archive)->members().size(); ++m) (void)(*archive)->read(m, std::uint64_t{1} << 22);
        }
    }
};

QTEST_GUILESS_MAIN(TestRecognise)
#include "tst_recognise.moc"

#pragma once

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include "core/base/file.h"
#include "core/compiled/code_scan.h"

namespace pt2::tests {

/// A compiler that a test may call; empty when there is none.
inline QString compiler() {
    for (const char* name : {"gcc", "cc", "clang"}) {
        const QString path = QStandardPaths::findExecutable(name);
        if (!path.isEmpty()) return path;
    }
    return {};
}

/// Builds a shared object from C (`source.c`) or assembler (`source.s`); the path, or empty with what the compiler said in the log.
inline QString buildLibrary(const QTemporaryDir& folder, const QString& name, const QByteArray& source, const QStringList& flags) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(source) != source.size()) return {};
    file.close();
    const QString library = folder.filePath(name + ".so");
    QProcess process;
    process.start(compiler(), QStringList{"-shared", "-fPIC", "-O2", "-w"} + flags + QStringList{file.fileName(), "-o", library});
    if (!process.waitForFinished(60000) || process.exitCode() != 0) {
        qInfo("%s", process.readAllStandardError().constData());
        return {};
    }
    return library;
}

inline CodeScan scanFile(const QString& path, const ScanBudget& budget = {}) {
    const Result<File> file = File::openForReading(path.toStdString());
    if (!file) return {};
    const ByteSource source{file->size(), [&](std::uint64_t offset, MutableBytes out) { return file->readAt(offset, out); }};
    ElfWanted wanted;
    wanted.code = true;
    const Result<ElfReading> elf = readElf(source, wanted);
    return elf ? scanCode(source, *elf, budget) : CodeScan{};
}

}  // namespace pt2::tests

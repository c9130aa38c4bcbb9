#pragma once

#include <QDirIterator>
#include <QFile>
#include <QString>
#include <QTest>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/program/program.h"
#include "tests/corpus.h"

namespace pt2::tests {

/// One stored program of a corpus file with what torch says about it.
struct CorpusProgram {
    QString file;      ///< path of the archive
    std::string name;  ///< of the program
    nlohmann::json facts;
    QByteArray label() const { return (QFileInfo(file).completeBaseName() + "@" + QString::fromStdString(name)).toUtf8(); }
};

/// Every program below a folder of the corpus ("2.13.0", "eras/2.8"); empty without a corpus.
inline std::vector<CorpusProgram> corpusPrograms(const QString& folder) {
    std::vector<CorpusProgram> programs;
    if (corpus().isEmpty()) return programs;
    QStringList files;
    QDirIterator walk(corpus() + "/" + folder, {"*.facts.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) files << walk.next();
    files.sort();
    for (const QString& path : files) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) continue;
        const QByteArray text = file.readAll();
        const nlohmann::json facts = nlohmann::json::parse(text.begin(), text.end());
        QString archive = path;
        archive.replace(".facts.json", ".pt2");
        if (!facts.contains("programs") || !facts["programs"].is_object()) continue;
        for (const auto& [name, program] : facts["programs"].items()) programs.push_back({archive, name, program});
    }
    return programs;
}

/// The program's JSON as it lies in its archive; empty when that cannot be read.
inline ByteBuffer programJson(const CorpusProgram& program) {
    Issues issues;
    const auto archive = Archive::open(program.file.toStdString(), issues);
    if (!archive) return {};
    const std::string wanted = program.facts.value("member", "");
    for (MemberIndex i = 0; i < (*archive)->members().size(); ++i) {
        if ((*archive)->members()[i].name != wanted) continue;
        auto bytes = (*archive)->read(i);
        return bytes ? std::move(*bytes) : ByteBuffer();
    }
    return {};
}

inline std::shared_ptr<const Program> openProgram(const CorpusProgram& program, Issues& issues) {
    auto parsed = Program::parse(programJson(program), program.name, issues);
    if (!parsed) qWarning("%s: %s %s", program.label().constData(), parsed.error().what.c_str(), parsed.error().why.c_str());
    return parsed ? *parsed : nullptr;
}

}  // namespace pt2::tests

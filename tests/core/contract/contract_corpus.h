#pragma once

#include <QFile>
#include <QStringList>
#include <nlohmann/json.hpp>

#include "core/contract/check.h"
#include "tests/corpus.h"

namespace pt2::tests {

inline nlohmann::json factsOf(const QString& path) {
    QFile file(path + ".facts.json");
    return file.open(QIODevice::ReadOnly) ? nlohmann::json::parse(file.readAll().toStdString()) : nlohmann::json();
}

/// Paths without ".pt2" of the files in a folder of the corpus that have facts.
inline QStringList corpusFiles(const QString& folder) {
    QStringList paths;
    const QDir dir(corpus() + "/" + folder);
    for (const QString& name : dir.entryList({"*.facts.json"}, QDir::Files, QDir::Name)) {
        const QString path = dir.filePath(name.left(name.size() - 11));
        if (QFileInfo::exists(path + ".pt2")) paths << path;
    }
    return paths;
}

inline Document opened(const QString& path) {
    Result<Document> document = Document::open((path + ".pt2").toStdString());
    return document ? *document : Document{};
}

/// Inputs of the given dtype, shape and stride, as facts list them, in the order the library takes them. Missing ones stay missing.
inline InputSet givenInputs(const Contract& contract, const nlohmann::json& given) {
    InputSet set;
    set.inputs.resize(contract.inputs.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        set.inputs[i].contractIndex = i;
        set.inputs[i].isTensor = !contract.inputs[i].isConstant;
        if (contract.inputs[i].isConstant || next >= given.size()) continue;
        const nlohmann::json& one = given[next++];
        const Result<NewTensor> made = allocateStrided(dtypeFromName(one["dtype"].get<std::string>()).value_or(DType::Unknown),
                                                       one["shape"].get<std::vector<std::int64_t>>(), one["stride"].get<std::vector<std::int64_t>>());
        if (made) set.inputs[i].tensor = made->tensor;
    }
    return set;
}

inline QString sentences(const CheckReport& report) {
    QStringList lines;
    for (const Breach& breach : report.breaches) lines << QString::fromStdString(breach.sentence);
    return lines.join(" | ");
}

}  // namespace pt2::tests

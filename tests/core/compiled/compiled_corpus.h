#pragma once

#include <QFile>
#include <QFileInfo>
#include <QStringList>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/archive/archive.h"
#include "core/compiled/compiled_model.h"
#include "tests/corpus.h"

namespace pt2::tests {

/// Every AOTInductor package of the corpus that has facts beside it: path without ".facts.json".
inline QStringList compiledPackages() {
    QStringList paths;
    for (const char* folder : {"/2.13.0/aoti", "/eras/2.8/aoti", "/eras/2.6/aoti", "/foreign"}) {
        const QDir dir(corpus() + folder);
        for (const QString& name : dir.entryList({"*.facts.json"}, QDir::Files, QDir::Name)) {
            QFile file(dir.filePath(name));
            if (!file.open(QIODevice::ReadOnly)) continue;
            const nlohmann::json facts = nlohmann::json::parse(file.readAll().toStdString());
            if (facts.contains("aoti") && facts["aoti"].is_object() && !facts["aoti"].empty()) paths << dir.filePath(name.left(name.size() - 11));
        }
    }
    return paths;
}

inline nlohmann::json factsOf(const QString& path) {
    QFile file(path + ".facts.json");
    return file.open(QIODevice::ReadOnly) ? nlohmann::json::parse(file.readAll().toStdString()) : nlohmann::json();
}

struct OpenedModels {
    std::shared_ptr<const Archive> archive;
    std::map<std::string, CompiledModel> models;
    Issues issues;
};

inline OpenedModels openModels(const QString& file) {
    OpenedModels opened;
    Result<std::shared_ptr<const Archive>> archive = Archive::open(file.toStdString(), opened.issues);
    if (!archive) return opened;
    opened.archive = *archive;
    const std::string prefix = "data/aotinductor/";
    std::map<std::string, std::string> folders;
    for (MemberIndex i = 0; i < opened.archive->members().size(); ++i) {
        const std::string name(opened.archive->nameBelowRoot(i));
        if (name.compare(0, prefix.size(), prefix) != 0) continue;
        const std::string folder = name.substr(0, name.rfind('/'));
        folders[folder.substr(prefix.size())] = folder;
    }
    if (opened.archive->kind() == ContainerKind::Library) folders["model"] = "";
    for (const auto& [name, folder] : folders) {
        Result<CompiledModel> model = CompiledModel::read(*opened.archive, name, folder, opened.issues);
        if (model) opened.models.emplace(name, std::move(*model));
    }
    return opened;
}

inline std::string sourceOf(const OpenedModels& opened, const CompiledModel& model) {
    if (!model.wrapperSource) return {};
    const Result<ByteBuffer> bytes = opened.archive->read(*model.wrapperSource);
    return bytes ? std::string(asText(*bytes)) : std::string();
}

}  // namespace pt2::tests

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/package/package.h"

namespace pt2 {

Result<Document> Document::open(const std::filesystem::path& path, const std::filesystem::path& with, const CancelToken& cancel,
                                const ProgressSink& progress) {
    Document document;
    Result<std::shared_ptr<const Package>> primary = Package::open(path, cancel, progress);
    if (!primary) return tl::unexpected(primary.error());
    document.primary = std::move(*primary);
    if (!with.empty()) {
        Result<std::shared_ptr<const Package>> attached = Package::open(with, cancel, progress);
        if (!attached) return tl::unexpected(attached.error());
        document.attached = std::move(*attached);
    }
    return document;
}

std::vector<std::string> Document::modelNames() const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const Package* package : {primary.get(), attached.get()}) {
        if (package == nullptr) continue;
        for (const ProgramEntry& entry : package->programs()) add(entry.name);
    }
    for (const Package* package : {primary.get(), attached.get()}) {
        if (package == nullptr) continue;
        for (const CompiledModel& model : package->compiledModels()) add(model.name);
    }
    return names;
}

std::string Document::defaultModel() const {
    const std::vector<std::string> names = modelNames();
    if (names.empty() || std::find(names.begin(), names.end(), "model") != names.end()) return "model";
    return names.front();
}

Document::ProgramRef Document::program(std::string_view model) const {
    const Package* only = nullptr;
    for (const std::shared_ptr<const Package>& package : {primary, attached}) {
        if (!package) continue;
        for (const ProgramEntry& entry : package->programs()) {
            if (entry.name == model && entry.program) return {package, &entry};
        }
        if (package->programs().size() == 1 && package->programs().front().program && only == nullptr) only = package.get();
    }
    // A program and a compiled model of two files belong together even when their names differ, if each file has just one.
    if (only != nullptr && attached && compiled(model)) return {only == primary.get() ? primary : attached, &only->programs().front()};
    return {};
}

Document::CompiledRef Document::compiled(std::string_view model) const {
    for (const std::shared_ptr<const Package>& package : {primary, attached}) {
        if (!package) continue;
        for (const CompiledModel& compiledModel : package->compiledModels()) {
            if (compiledModel.name == model) return {package, &compiledModel};
        }
    }
    return {};
}

Result<std::string> Document::resolveModel(std::string_view name) const {
    const std::vector<std::string> names = modelNames();
    if (name.empty()) return defaultModel();
    if (std::find(names.begin(), names.end(), name) != names.end()) return std::string(name);
    const std::string near = nearestName(name, names);
    return fail({ErrorKind::Usage,
                 "model.unknown",
                 fmt::format("There is no model \"{}\" in this file.", escapeForDisplay(name)),
                 {},
                 names.empty() ? "It holds no model." : "It holds " + join(names, ", ") + ".",
                 near.empty() ? "" : fmt::format("Did you mean \"{}\"?", near)});
}

Issues Document::issues() const {
    Issues all = primary->issues();
    if (attached) all.insert(all.end(), attached->issues().begin(), attached->issues().end());
    return all;
}

}  // namespace pt2

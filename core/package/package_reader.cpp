#include "core/package/package_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "core/archive/limited_issues.h"
#include "core/base/text.h"
#include "core/package/unused_members.h"
#include "core/package/weights_config.h"

namespace pt2 {

namespace {

constexpr std::uint64_t kMarkerLimit = 4096;
constexpr std::uint64_t kConfigLimit = std::uint64_t{1} << 30;
/// A torch.save record of all weights is opened to list them; larger ones are left alone (torch 2.8 and before only).
constexpr std::uint64_t kTorchSaveLimit = std::uint64_t{1} << 30;

/// "models/a/b.json" → "a/b"; empty when the name has not that form.
std::string_view between(std::string_view name, std::string_view prefix, std::string_view suffix) {
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix)) return {};
    return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

}  // namespace

PackageReader::PackageReader(std::shared_ptr<const Archive> archive, Issues issues, const CancelToken& cancel, const ProgressSink& progress)
    : package_(std::make_shared<Package>()), cancel_(cancel), progress_(progress) {
    package_->archive_ = std::move(archive);
    package_->issues_ = std::move(issues);
}

void PackageReader::note(Severity severity, const char* code, std::string where, std::string message, std::string help) {
    package_->issues_.push_back({severity, code, std::move(where), std::move(message), std::move(help)});
}

std::string PackageReader::memberAddress(MemberIndex member) const { return "file/" + std::string(package_->archive_->nameBelowRoot(member)); }

Result<std::shared_ptr<const Package>> PackageReader::read() {
    report(progress_, {"reading the archive", 0, 0, Progress::Unit::None, {}});
    readMarkers();
    if (Status done = readPrograms(); !done) return tl::unexpected(done.error());
    if (Status done = readCompiledModels(); !done) return tl::unexpected(done.error());
    readExtraFiles();
    noteUnusedMembers();
    const bool anyProgram =
        std::any_of(package_->programs_.begin(), package_->programs_.end(), [](const ProgramEntry& e) { return e.program != nullptr; });
    if (!anyProgram && package_->compiled_.empty() && !unreadable_.empty()) return fail(unreadable_.front());
    if (package_->programs_.empty() && package_->compiled_.empty()) {
        note(Severity::Error, "package.no-model", "", "The archive holds neither an exported program nor a compiled model.",
             "Write one with torch.export.save or torch._inductor.aoti_compile_and_package.");
    }
    return std::shared_ptr<const Package>(package_);
}

void PackageReader::readMarkers() {
    const Archive& archive = *package_->archive_;
    const auto marker = [&](const char* name) -> std::optional<std::string> {
        const std::optional<MemberIndex> member = archive.find(name);
        if (!member) return std::nullopt;
        const Result<ByteBuffer> bytes = archive.read(*member, kMarkerLimit);
        if (!bytes) {
            note(Severity::Error, "package.bad-marker", memberAddress(*member), fmt::format("Cannot read \"{}\": {}", name, bytes.error().why));
            return std::string();
        }
        return std::string(asText(*bytes));
    };
    const std::optional<std::string> version = marker("archive_version");
    const std::optional<std::string> order = marker("byteorder");
    package_->archiveVersion_ = version.value_or("");
    package_->byteorder_ = order.value_or("");
    const bool packed = archive.kind() == ContainerKind::Pt2Archive;
    if (!packed) return;
    if (!archive.find("archive_format")) {
        note(Severity::Error, "package.no-format", "file/archive_format",
             "The member \"archive_format\" is missing, so torch.export.load refuses the file.",
             "Recompile or export it again; pt2scope reads it all the same.");
    }
    if (!version) {
        note(Severity::Error, "package.no-version", "file/archive_version",
             "The member \"archive_version\" is missing, so torch.export.load refuses the file.", "Export it again; pt2scope reads it all the same.");
    } else if (*version != "0") {
        note(Severity::Error, "package.bad-version", "file/archive_version",
             fmt::format("The archive's version is \"{}\"; every release of torch so far writes and expects \"0\".", escapeForDisplay(*version)),
             "The file was changed by hand or comes from a newer torch.");
    }
    if (order && *order != "little" && *order != "big") {
        note(Severity::Warning, "package.bad-byteorder", "file/byteorder",
             fmt::format("The byte order is \"{}\", neither little nor big.", escapeForDisplay(*order)));
    } else if (order && *order == "big") {
        note(Severity::Warning, "package.big-endian", "file/byteorder",
             "The archive says its weights are big-endian; torch ignores this and reads them as little-endian.",
             "Compare the weights with their source before use.");
    }
    std::optional<std::string> record = marker(".data/version");
    if (!record) record = marker("version");
    const std::string digits = record ? record->substr(0, record->find_last_not_of(" \r\n") + 1) : "";
    const bool number =
        !digits.empty() && digits.size() < 4 && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!record) {
        note(Severity::Error, "package.no-record-version", "file/.data/version",
             "Neither \".data/version\" nor \"version\" is there, so torch.export.load refuses the file.",
             "Export it again; pt2scope reads it all the same.");
    } else if (!number || std::stoi(digits) < 1 || std::stoi(digits) > 10) {
        note(Severity::Error, "package.bad-record-version", "file/.data/version",
             fmt::format("The record format number is \"{}\"; torch accepts 1 to 10.", escapeForDisplay(digits)),
             "torch.export.load refuses the file.");
    }
}

Status PackageReader::readPrograms() {
    const Archive& archive = *package_->archive_;
    if (archive.kind() == ContainerKind::Library) return {};
    if (archive.kind() == ContainerKind::ExportZip) {
        if (const std::optional<MemberIndex> member = archive.find("serialized_exported_program.json")) {
            readProgram("model", *member, archive.find("serialized_example_inputs.pt"));
        }
        return {};
    }
    std::set<std::string_view> seen;
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        if (cancel_.requested()) return cancelled();
        const std::string_view name = archive.nameBelowRoot(i);
        if (!name.starts_with("models/")) continue;
        const std::string_view model = between(name, "models/", ".json");
        if (model.empty()) {
            note(Severity::Warning, "package.stray-model-file", memberAddress(i),
                 fmt::format("\"{}\" is not a program, though torch.export.load takes every member of models/ for one and fails.",
                             escapeForDisplay(name)));
            continue;
        }
        if (!seen.insert(model).second) continue;  // of duplicates, find() gives the one that counts
        readProgram(std::string(model), archive.find(name).value_or(i), archive.find(fmt::format("data/sample_inputs/{}.pt", model)));
    }
    return {};
}

void PackageReader::readProgram(std::string name, MemberIndex member, std::optional<MemberIndex> sampleInputs) {
    const Archive& archive = *package_->archive_;
    report(progress_, {"reading the program", 0, 0, Progress::Unit::None, {}});
    ProgramEntry entry;
    entry.name = std::move(name);
    entry.member = member;
    entry.sampleInputs = sampleInputs;
    const std::string where(archive.nameBelowRoot(member));
    const auto failed = [&](const Error& error) {
        note(Severity::Error, error.code.c_str(), "file/" + where, error.why.empty() ? error.what : error.what + " " + error.why, error.help);
        unreadable_.push_back(error);
    };
    Result<ByteBuffer> json = archive.read(member, package_->issues_);
    if (!json) {
        failed(json.error());
    } else {
        Result<std::shared_ptr<const Program>> program = Program::parse(std::move(*json), where, package_->issues_);
        if (program) {
            entry.program = std::move(*program);
        } else {
            failed(program.error());
        }
    }
    if (archive.kind() == ContainerKind::ExportZip) {
        readExportZipWeights(entry);
    } else {
        readArchiveWeights(entry);
    }
    checkWeightEntries(archive, entry.weights, package_->issues_);
    checkWeightEntries(archive, entry.constants, package_->issues_);
    checkSignature(entry);
    package_->programs_.push_back(std::move(entry));
}

std::vector<WeightEntry> PackageReader::readTorchSave(MemberIndex member) {
    const Archive& archive = *package_->archive_;
    if (archive.members()[member].size == 0) return {};
    Result<ByteBuffer> bytes = archive.read(member, kTorchSaveLimit);
    Result<TorchSaveFile> file = bytes ? TorchSaveFile::read(std::move(*bytes)) : tl::unexpected(bytes.error());
    if (!file) {
        note(Severity::Error, file.error().code.c_str(), memberAddress(member), "The weights cannot be listed. " + file.error().why,
             file.error().help);
        return {};
    }
    if (!file->scan().unsafe.empty()) {
        note(Severity::Warning, "pickle.unsafe", memberAddress(member),
             fmt::format("Loading these weights in Python would call {}.", escapeForDisplay(join(file->scan().unsafe, ", "))),
             "pt2scope reads the pickle as data and calls nothing; load the file in Python only if you trust its author.");
    }
    const auto kept = std::make_shared<const TorchSaveFile>(std::move(*file));
    package_->torchSaves_[member] = kept;
    return entriesOfTorchSave(*kept, member);
}

std::vector<WeightEntry> PackageReader::readWeights(const std::string& configName, std::string_view folder, const std::string& torchSaveName) {
    const Archive& archive = *package_->archive_;
    if (const std::optional<MemberIndex> config = archive.find(configName)) {
        const Result<ByteBuffer> json = archive.read(*config, package_->issues_, kConfigLimit);
        Result<std::vector<WeightEntry>> entries =
            json ? readPayloadConfig(asText(*json), archive, folder, configName, package_->issues_) : tl::unexpected(json.error());
        if (entries) return std::move(*entries);
        note(Severity::Error, entries.error().code.c_str(), memberAddress(*config), entries.error().what + " " + entries.error().why,
             entries.error().help);
        return {};
    }
    if (const std::optional<MemberIndex> all = archive.find(torchSaveName)) return readTorchSave(*all);
    note(Severity::Error, "weights.no-config", "file/" + configName,
         fmt::format("The list \"{}\" is missing, so it is not known which record is which.", escapeForDisplay(configName)),
         "torch.export.load refuses the file; the graph is readable all the same.");
    return {};
}

void PackageReader::readArchiveWeights(ProgramEntry& entry) {
    const std::string& m = entry.name;
    entry.weights = readWeights(fmt::format("data/weights/{}_weights_config.json", m), "data/weights", fmt::format("data/weights/{}.pt", m));
    entry.constants =
        readWeights(fmt::format("data/constants/{}_constants_config.json", m), "data/constants", fmt::format("data/constants/{}.pt", m));
    if (!entry.sampleInputs) {
        note(Severity::Error, "package.no-sample-inputs", fmt::format("file/data/sample_inputs/{}.pt", m),
             fmt::format("The member \"data/sample_inputs/{}.pt\" is missing, so torch.export.load refuses the file.", escapeForDisplay(m)),
             "An empty member of this name would do.");
    }
}

void PackageReader::readExportZipWeights(ProgramEntry& entry) {
    const Archive& archive = *package_->archive_;
    for (const char* name : {"serialized_state_dict.pt", "serialized_state_dict.json"}) {
        if (const std::optional<MemberIndex> member = archive.find(name)) entry.weights = readTorchSave(*member);
    }
    for (const char* name : {"serialized_constants.pt", "serialized_constants.json"}) {
        if (const std::optional<MemberIndex> member = archive.find(name)) entry.constants = readTorchSave(*member);
    }
    note(Severity::Note, "package.old-layout", "file/serialized_exported_program.json", "This is the layout of torch 2.7 and before.",
         "Export it again with a newer torch to compile it for this machine.");
}

/// The signature's weights and the weights' lists must name the same things.
void PackageReader::checkSignature(const ProgramEntry& entry) {
    if (!entry.program) return;
    std::set<std::string_view> stored;
    for (const WeightEntry& weight : entry.weights) stored.insert(weight.fqn);
    for (const WeightEntry& weight : entry.constants) stored.insert(weight.fqn);
    if (stored.empty()) return;  // a missing list has said so already
    std::set<std::string_view> wanted;
    for (const InputSpec& spec : entry.program->inputSpecs()) {
        if (spec.kind == InputKind::UserInput || spec.kind == InputKind::Token) continue;
        wanted.insert(spec.target);
        if (stored.contains(spec.target)) continue;
        note(Severity::Error, "weights.missing", "weights/" + std::string(spec.target),
             fmt::format("\"{}\" is an input of kind {} in the signature, but no record is listed for it.", escapeForDisplay(spec.target),
                         inputKindName(spec.kind)),
             "torch.export.load will refuse the file.");
    }
    for (const WeightEntry& weight : entry.weights) {
        if (!wanted.contains(weight.fqn)) {
            note(Severity::Note, "weights.unused", "weights/" + weight.fqn,
                 fmt::format("The weight \"{}\" is stored, but no input of the program uses it.", escapeForDisplay(weight.fqn)));
        }
    }
}

Status PackageReader::readCompiledModels() {
    const Archive& archive = *package_->archive_;
    std::vector<std::pair<std::string, std::string>> found;  // name, folder
    if (archive.kind() == ContainerKind::Library) {
        found.emplace_back("model", "");
    } else {
        constexpr std::string_view prefix = "data/aotinductor/";
        for (MemberIndex i = 0; i < archive.members().size(); ++i) {
            const std::string_view name = archive.nameBelowRoot(i);
            if (!name.starts_with(prefix) || archive.members()[i].isDirectory || !isSafeMemberName(name)) continue;
            const std::size_t slash = name.rfind('/');
            const std::string folder(name.substr(0, slash));
            const std::string model = folder.size() > prefix.size() ? folder.substr(prefix.size()) : "model";
            if (std::none_of(found.begin(), found.end(), [&](const auto& f) { return f.first == model; })) found.emplace_back(model, folder);
        }
    }
    for (const auto& [name, folder] : found) {
        if (cancel_.requested()) return cancelled();
        report(progress_, {"reading the compiled model", 0, 0, Progress::Unit::None, {}});
        Result<CompiledModel> model = CompiledModel::read(archive, name, folder, package_->issues_);
        if (model) {
            for (const ProgramEntry& entry : package_->programs_) {
                if (entry.name != name || !entry.program) continue;
                model->hasProgram = true;
                const std::string_view torch = entry.program->torchVersion();
                if (!torch.empty() && torch.front() != '<' && !model->torchVersion.known())
                    model->torchVersion = {std::string(torch), Origin::Program, 0};
            }
            package_->compiled_.push_back(std::move(*model));
        } else {
            note(Severity::Error, model.error().code.c_str(), "compiled/" + name, model.error().what + " " + model.error().why, model.error().help);
        }
    }
    return {};
}

void PackageReader::noteUnusedMembers() {
    const Archive& archive = *package_->archive_;
    LimitedIssues issues(package_->issues_);
    package_->unused_ = findUnusedMembers(*package_);
    for (const MemberIndex member : package_->unused_) {
        if (archive.find(archive.nameBelowRoot(member)) != member) continue;  // one of two of the same name, which has been said
        issues.add(Severity::Note, "package.unused-member", memberAddress(member),
                   fmt::format("Nothing in the archive refers to the member \"{}\" ({}).", escapeForDisplay(archive.nameBelowRoot(member)),
                               formatBytes(archive.members()[member].size)),
                   "It may be left from another build; the models do not need it.");
    }
    issues.finish();
}

void PackageReader::readExtraFiles() {
    const Archive& archive = *package_->archive_;
    const std::string_view prefix = archive.kind() == ContainerKind::ExportZip ? "extra_files/" : "extra/";
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        const std::string_view name = archive.nameBelowRoot(i);
        if (name.size() > prefix.size() && name.starts_with(prefix))
            package_->extraFiles_[std::string(name.substr(prefix.size()))] = archive.members()[i].size;
    }
}

}  // namespace pt2

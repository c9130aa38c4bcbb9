#include "core/run/program_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>

#include "core/archive/writer.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/tensor/tensor_zip.h"

namespace pt2 {

namespace {

/// One record that Python would unpickle, in pieces: the records of its zip, or one bare pickle (empty name).
struct PickledRecord {
    std::vector<std::pair<std::string, ByteBuffer>> parts;
    bool isZip = false;
    std::set<std::string> unsafe;
};

/// torchbind objects are read by torch's C++ unpickler, which makes registered classes and typed lists and nothing else.
bool isTorchbindGlobal(const std::string& name) {
    return name.compare(0, 24, "__torch__.torch.classes.") == 0 || name.compare(0, 24, "torch.jit._pickle.build_") == 0;
}

void addGlobals(Bytes pickle, bool torchbind, PickledRecord& record) {
    PickleScan scan;
    const auto tree = readPickle(pickle, &scan);
    for (const std::string& name : scan.unsafe) {
        if (!torchbind || !isTorchbindGlobal(name)) record.unsafe.insert(name);
    }
    if (!tree) record.unsafe.insert("a pickle that cannot be read");
}

bool hasSuffix(const std::string& text, std::string_view suffix) {
    return text.size() >= suffix.size() && std::string_view(text).substr(text.size() - suffix.size()) == suffix;
}

/// Torchbind zips may carry TorchScript source, which would be compiled.
bool mayBeCode(const std::string& name) { return name.find("/code/") != std::string::npos || hasSuffix(name, ".py"); }

Result<PickledRecord> scanRecord(const Archive& archive, MemberIndex member) {
    auto bytes = archive.read(member);
    if (!bytes) return tl::unexpected(bytes.error());
    PickledRecord record;
    if (bytes->empty()) return record;
    const std::string name(archive.nameBelowRoot(member));
    if (bytes->size() < 4 || loadLittle<std::uint32_t>(*bytes, 0) != 0x04034b50) {
        addGlobals(*bytes, false, record);
        record.parts.emplace_back(std::string(), std::move(*bytes));
        return record;
    }
    record.isZip = true;
    const bool torchbind = name.find("/custom_obj_") != std::string::npos;
    const RandomAccess source = accessTo(Bytes(*bytes), name);
    auto entries = readTensorZip(source);
    if (!entries) return tl::unexpected(entries.error());
    std::set<std::string> names;
    for (const TensorZipEntry& entry : *entries) {
        if (!names.insert(entry.name).second) record.unsafe.insert("two records of one name");
        auto content = readTensorZipEntry(source, entry, VerifyCrc::No);
        if (!content) return tl::unexpected(content.error());
        if (hasSuffix(entry.name, ".pkl")) addGlobals(*content, torchbind, record);
        if (mayBeCode(entry.name)) record.unsafe.insert("TorchScript code in " + entry.name);
        record.parts.emplace_back(entry.name, std::move(*content));
    }
    return record;
}

/// Records of a program that Python would unpickle, each once; sample inputs are not among them.
std::vector<MemberIndex> pickledMembers(const Archive& archive, const ProgramEntry& entry) {
    std::set<MemberIndex> members;
    for (const auto* list : {&entry.weights, &entry.constants}) {
        for (const WeightEntry& weight : *list) {
            if (weight.member && (weight.usePickle || weight.isObject || weight.inTorchSave)) members.insert(*weight.member);
        }
    }
    for (const char* folder : {"weights", "constants"}) {
        if (const auto legacy = archive.find(fmt::format("data/{}/{}.pt", folder, entry.name))) members.insert(*legacy);
    }
    if (archive.kind() == ContainerKind::ExportZip) {
        for (const char* name : {"serialized_state_dict.pt", "serialized_state_dict.json", "serialized_constants.pt", "serialized_constants.json"}) {
            if (const auto legacy = archive.find(name)) members.insert(*legacy);
        }
    }
    return {members.begin(), members.end()};
}

Status writeRecord(const std::filesystem::path& path, const PickledRecord& record) {
    auto file = AtomicFile::create(path, true);
    if (!file) return tl::unexpected(file.error());
    if (!record.isZip) {
        for (const auto& [name, bytes] : record.parts) {
            if (auto written = file->write(bytes); !written) return written;
        }
        return file->commit();
    }
    TensorZipWriter writer(*file);
    for (const auto& [name, bytes] : record.parts) {
        const Bytes content = bytes;
        auto added = writer.add(
            name, [content](const auto& sink) { return sink(content); }, 64);
        if (!added) return added;
    }
    if (auto finished = writer.finish(); !finished) return finished;
    return file->commit();
}

/// What was scanned, handed to `add` as a file, since either kind of writer takes one in without holding it in memory.
Status addRecord(const PickledRecord& record, const std::filesystem::path& folder, const std::function<Status(const std::filesystem::path&)>& add) {
    const std::filesystem::path path = folder / "record";
    if (auto written = writeRecord(path, record); !written) return written;
    auto added = add(path);
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return added;
}

Status addFile(TensorZipWriter& writer, const std::string& name, const std::filesystem::path& path) {
    const auto file = File::openForReading(path);
    if (!file) return tl::unexpected(file.error());
    ByteBuffer window(std::size_t{1} << 20);
    return writer.add(name, [&](const auto& sink) -> Status {
        for (std::uint64_t at = 0; at < file->size(); at += window.size()) {
            const MutableBytes part = MutableBytes(window).first(static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), file->size() - at)));
            if (auto read = file->readAt(at, part); !read) return read;
            if (auto taken = sink(Bytes(part)); !taken) return taken;
        }
        return {};
    });
}

/// The copy of a file of torch 2.3 to 2.7, which is a plain zip without a root.
Status copyExportZip(const Archive& archive, const std::vector<MemberIndex>& pickled, const std::vector<PickledRecord>& records,
                     const std::filesystem::path& folder, const std::filesystem::path& target, const CancelToken& cancel) {
    auto file = AtomicFile::create(target, true);
    if (!file) return tl::unexpected(file.error());
    TensorZipWriter writer(*file);
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        const std::string& name = archive.members()[i].name;
        if (archive.members()[i].isDirectory || name.compare(0, 12, "extra_files/") == 0) continue;
        const auto known = std::find(pickled.begin(), pickled.end(), i);
        if (known != pickled.end()) {
            const PickledRecord& record = records[static_cast<std::size_t>(known - pickled.begin())];
            auto added = addRecord(record, folder, [&](const std::filesystem::path& path) { return addFile(writer, name, path); });
            if (!added) return added;
            continue;
        }
        const bool samples = name == "serialized_example_inputs.pt";
        auto added = writer.add(name, [&](const auto& sink) { return samples ? Status() : archive.stream(i, sink, cancel); });
        if (!added) return added;
    }
    if (auto finished = writer.finish(); !finished) return finished;
    return file->commit();
}

}  // namespace

Error unsafePickle(const std::string& model, const std::vector<std::string>& names) {
    return {ErrorKind::CannotRun,
            "python.unsafe-pickle",
            fmt::format("Loading \"{}\" in Python would import more than tensors.", escapeForDisplay(model)),
            {},
            "Its pickled weights or constants name: " + escapeForDisplay(join(names, ", ")) + ".",
            "Such a file can run any code. If you trust where it comes from, allow it with --trust."};
}

Result<std::vector<std::string>> unsafeGlobals(const Document& document, const std::string& model) {
    auto resolved = document.resolveModel(model);
    if (!resolved) return tl::unexpected(resolved.error());
    const Document::ProgramRef ref = document.program(*resolved);
    std::set<std::string> unsafe;
    if (!ref) return std::vector<std::string>();
    for (const MemberIndex member : pickledMembers(ref.package->archive(), *ref.entry)) {
        auto record = scanRecord(ref.package->archive(), member);
        if (!record) return tl::unexpected(record.error());
        unsafe.insert(record->unsafe.begin(), record->unsafe.end());
    }
    return std::vector<std::string>(unsafe.begin(), unsafe.end());
}

Result<std::filesystem::path> copyForPython(const Document& document, const std::string& model, bool trust, const std::filesystem::path& folder,
                                            const CancelToken& cancel) {
    const Document::ProgramRef ref = document.program(model);
    if (!ref) {
        return fail({ErrorKind::CannotRun,
                     "python.no-program",
                     fmt::format("There is no program \"{}\" in the document.", escapeForDisplay(model)),
                     {},
                     "A compiled model alone cannot be compiled or run in torch eager.",
                     "Attach the .pt2 that holds the program with --with."});
    }
    const Archive& archive = ref.package->archive();
    const ProgramEntry& entry = *ref.entry;
    const std::vector<MemberIndex> pickled = pickledMembers(archive, entry);
    std::vector<PickledRecord> records;
    std::set<std::string> unsafe;
    for (const MemberIndex member : pickled) {
        if (cancel.requested()) return cancelled();
        auto record = scanRecord(archive, member);
        if (!record) return tl::unexpected(record.error());
        unsafe.insert(record->unsafe.begin(), record->unsafe.end());
        records.push_back(std::move(*record));
    }
    if (!unsafe.empty() && !trust) return fail(unsafePickle(model, {unsafe.begin(), unsafe.end()}));
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) return tl::unexpected(systemError("Cannot make a folder.", folder.string(), code.value()));
    const std::filesystem::path target = folder / "program.pt2";
    if (archive.kind() == ContainerKind::ExportZip) {
        if (auto copied = copyExportZip(archive, pickled, records, folder, target, cancel); !copied) return tl::unexpected(copied.error());
        return target;
    }
    auto writer = ArchiveWriter::create(target, "program", true);
    if (!writer) return tl::unexpected(writer.error());
    std::set<MemberIndex> done;
    const auto renamed = [&](const std::string& from, const char* to) -> Status {
        const auto member = archive.find(from);
        if (!member || !done.insert(*member).second) return {};
        const auto known = std::find(pickled.begin(), pickled.end(), *member);
        if (known == pickled.end()) return writer->copy(archive, *member, to, cancel);
        const PickledRecord& record = records[static_cast<std::size_t>(known - pickled.begin())];
        return addRecord(record, folder, [&](const std::filesystem::path& path) { return writer->addFile(to, path, cancel); });
    };
    const std::string& m = entry.name;
    const std::pair<std::string, const char*> named[] = {
        {fmt::format("data/weights/{}_weights_config.json", m), "data/weights/model_weights_config.json"},
        {fmt::format("data/constants/{}_constants_config.json", m), "data/constants/model_constants_config.json"},
        {fmt::format("data/weights/{}.pt", m), "data/weights/model.pt"},
        {fmt::format("data/constants/{}.pt", m), "data/constants/model.pt"}};
    if (auto copied = writer->copy(archive, entry.member, "models/model.json", cancel); !copied) return tl::unexpected(copied.error());
    for (const auto& [from, to] : named) {
        if (auto copied = renamed(from, to); !copied) return tl::unexpected(copied.error());
    }
    for (const auto* list : {&entry.weights, &entry.constants}) {
        for (const WeightEntry& weight : *list) {
            if (!weight.member) continue;
            const std::string name(archive.nameBelowRoot(*weight.member));
            if (auto copied = renamed(name, name.c_str()); !copied) return tl::unexpected(copied.error());
        }
    }
    if (auto added = writer->add("data/sample_inputs/model.pt", {}); !added) return tl::unexpected(added.error());
    if (auto finished = writer->finish(); !finished) return tl::unexpected(finished.error());
    return target;
}

}  // namespace pt2

#include "core/archive/archive.h"

#include <algorithm>
#include <system_error>

#include "core/archive/containers.h"
#include "core/archive/recognise.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kHead = 4096;
constexpr std::uint64_t kReserveLimit = std::uint64_t{64} << 20;

Result<std::shared_ptr<const Archive>> openFile(File file, const std::filesystem::path& path, Issues& issues) {
    ByteBuffer head(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kHead)));
    if (Status read = file.readAt(0, head); !read) return tl::unexpected(read.error());
    if (asText(head).starts_with("\x7f"
                                 "ELF")) {
        Result<bool> compiled = isCompiledLibrary(file);
        if (!compiled) return tl::unexpected(compiled.error());
        if (*compiled) return openLibraryArchive(std::move(file), path);
        return fail({ErrorKind::Unreadable, "archive.other", "\"" + file.name() + "\" is a shared library or program, but no compiled model.",
                     file.name(), "It does not name AOTInductorModelContainerCreate, where every compiled model begins.",
                     "Choose a library made by torch.export and AOTInductor. A library of custom operators goes into --op-library."});
    }
    return openZipArchive(std::move(file), head, path, issues);
}

Error noSuchMember(const Archive& archive, std::string_view name, std::string why, std::string help) {
    return {ErrorKind::Usage,        "archive.no-member", "There is no member \"" + escapeForDisplay(elideMiddle(name, 200)) + "\".",
            archive.path().string(), std::move(why),      std::move(help)};
}

}  // namespace

const char* containerName(ContainerKind kind) {
    switch (kind) {
        case ContainerKind::Pt2Archive: return "pt2-archive";
        case ContainerKind::ExportZip: return "export-zip";
        case ContainerKind::AotiZip: return "aoti-zip";
        case ContainerKind::Folder: return "folder";
        case ContainerKind::Library: return "library";
    }
    return "pt2-archive";
}

Result<std::shared_ptr<const Archive>> Archive::open(const std::filesystem::path& path, Issues& issues, const CancelToken& cancel) {
    if (path == "-") {
        Result<File> file = File::spoolStandardInput(cancel);
        if (!file) return tl::unexpected(file.error());
        return openFile(std::move(*file), path, issues);
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return openFolderArchive(path, issues);
    Result<File> file = File::openForReading(path);
    if (!file) return tl::unexpected(file.error());
    return openFile(std::move(*file), path, issues);
}

bool Archive::isBelowRoot(MemberIndex member) const {
    if (root_.empty()) return true;
    const std::string& name = members_[member].name;
    return name.size() > root_.size() && name[root_.size()] == '/' && name.starts_with(root_);
}

std::string_view Archive::nameBelowRoot(MemberIndex member) const {
    std::string_view name = members_[member].name;
    if (!root_.empty() && isBelowRoot(member)) name.remove_prefix(root_.size() + 1);
    return name;
}

void Archive::finishOpening() {
    byName_.clear();
    byName_.reserve(members_.size());
    for (MemberIndex i = 0; i < members_.size(); ++i) {
        if (isBelowRoot(i)) byName_.emplace_back(nameBelowRoot(i), i);
    }
    std::sort(byName_.begin(), byName_.end());
}

std::optional<MemberIndex> Archive::find(std::string_view nameBelowRoot) const {
    const auto after =
        std::upper_bound(byName_.begin(), byName_.end(), nameBelowRoot, [](std::string_view name, const auto& entry) { return name < entry.first; });
    if (after == byName_.begin() || std::prev(after)->first != nameBelowRoot) return std::nullopt;
    return std::prev(after)->second;
}

Result<MemberIndex> Archive::resolve(std::string_view name) const {
    for (MemberIndex i = static_cast<MemberIndex>(members_.size()); i-- > 0;) {
        if (members_[i].name == name) return i;
    }
    if (const std::optional<MemberIndex> found = find(name)) return *found;
    std::vector<MemberIndex> matches;
    for (MemberIndex i = 0; i < members_.size() && !name.empty(); ++i) {
        if (!members_[i].isDirectory && members_[i].name.ends_with(name)) matches.push_back(i);
    }
    // A suffix that begins at a folder's border beats one inside a word: "model.json" means models/model.json, not models/submodel.json.
    std::vector<MemberIndex> whole;
    for (const MemberIndex i : matches) {
        const std::string& full = members_[i].name;
        if (full.size() > name.size() && full[full.size() - name.size() - 1] == '/') whole.push_back(i);
    }
    if (whole.size() == 1) return whole.front();
    if (matches.size() == 1) return matches.front();
    if (matches.empty()) {
        std::vector<std::string> known;
        known.reserve(byName_.size());
        for (const auto& entry : byName_) known.emplace_back(entry.first);
        const std::string near = nearestName(name, known);
        return fail(
            noSuchMember(*this, name, near.empty() ? "" : "Did you mean \"" + escapeForDisplay(near) + "\"?", "List the members with pt2 ls."));
    }
    std::string candidates;
    for (std::size_t i = 0; i < matches.size() && i < 6; ++i) {
        candidates += (i == 0 ? "" : ", ") + escapeForDisplay(elideMiddle(nameBelowRoot(matches[i]), 100));
    }
    if (matches.size() > 6) candidates += " and " + formatCount(matches.size() - 6) + " more";
    Error error = noSuchMember(*this, name, "Several members end so: " + candidates + ".", "Write more of the name.");
    error.code = "archive.ambiguous-member";
    return fail(std::move(error));
}

Result<ByteBuffer> Archive::read(MemberIndex member, std::uint64_t limit) const {
    if (member >= members_.size()) return fail(noSuchMember(*this, std::to_string(member), {}, {}));
    const Member& entry = members_[member];
    if (entry.size > limit) {
        return fail({ErrorKind::Unreadable, "archive.member-too-large",
                     "Member \"" + escapeForDisplay(elideMiddle(entry.name, 200)) + "\" is too large to be read at once.",
                     "file/" + escapeForDisplay(nameBelowRoot(member)),
                     "It has " + formatCount(entry.size) + " bytes; at most " + formatCount(limit) + " are read here.",
                     "Extract it to look at it with another tool."});
    }
    ByteBuffer bytes;
    // A compressed member may claim more than it holds; what is stored has been checked against the file.
    bytes.reserve(static_cast<std::size_t>(entry.method == 0 ? entry.size : std::min(entry.size, kReserveLimit)));
    const Status done = stream(member, [&](Bytes chunk) -> Status {
        bytes.insert(bytes.end(), chunk.begin(), chunk.end());
        return {};
    });
    if (!done) return tl::unexpected(done.error());
    return bytes;
}

Result<ByteBuffer> Archive::read(MemberIndex member, Issues& issues, std::uint64_t limit) const {
    Result<ByteBuffer> bytes = read(member, limit);
    if (bytes || bytes.error().code != "archive.bad-crc") return bytes;
    const Error& error = bytes.error();
    issues.push_back({Severity::Error, error.code, "file/" + escapeForDisplay(nameBelowRoot(member)), error.what + " " + error.why, error.help});
    ByteBuffer damaged(static_cast<std::size_t>(members_[member].size));
    if (Status all = readAt(member, 0, damaged); !all) return tl::unexpected(all.error());
    return damaged;
}

Result<std::string> hashFile(const File& file, const CancelToken& cancel, const ProgressSink& progress) {
    if (Status same = file.verifyUnchanged(); !same) return tl::unexpected(same.error());
    Sha256 hash;
    std::uint64_t done = 0;
    const Status read = streamRange(
        file, 0, file.size(),
        [&](Bytes chunk) -> Status {
            hash.update(chunk);
            done += chunk.size();
            report(progress, {"hashing the file", done, file.size(), Progress::Unit::Bytes, {}});
            return {};
        },
        cancel);
    if (!read) return tl::unexpected(read.error());
    if (Status same = file.verifyUnchanged(); !same) return tl::unexpected(same.error());
    return hash.hex();
}

Status streamRange(const File& file, std::uint64_t offset, std::uint64_t size, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) {
    constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
    ByteBuffer chunk(static_cast<std::size_t>(std::min(kChunk, size)));
    while (size > 0) {
        if (cancel.requested()) return cancelled();
        const auto count = static_cast<std::size_t>(std::min(kChunk, size));
        if (Status read = file.readAt(offset, MutableBytes(chunk).first(count)); !read) return read;
        if (Status taken = sink(Bytes(chunk).first(count)); !taken) return taken;
        offset += count;
        size -= count;
    }
    return {};
}

Status checkWindow(const Member& member, std::uint64_t offset, std::uint64_t length) {
    std::uint64_t end = 0;
    if (addSafe(offset, length, end) && end <= member.size) return {};
    return fail({ErrorKind::Usage,
                 "archive.bad-window",
                 "Member \"" + escapeForDisplay(elideMiddle(member.name, 200)) + "\" is shorter than that.",
                 {},
                 "It has " + formatCount(member.size) + " bytes; " + formatCount(length) + " from byte " + formatCount(offset) + " were asked for.",
                 {}});
}

}  // namespace pt2

#include <algorithm>
#include <map>
#include <set>

#include "core/archive/limited_issues.h"
#include "core/archive/recognise.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::uint64_t kMarkerLimit = 4096;

enum Marker : unsigned {
    kFormat = 1,      // archive_format
    kVersion = 2,     // archive_version
    kOldVersion = 4,  // version
    kOldProgram = 8,  // serialized_exported_program.json
    kModels = 16,     // models/*.json
    kCompiled = 32,   // data/aotinductor/
    kData = 64,       // data/weights/, data/constants/, data/sample_inputs/
};

bool isBesideMac(std::string_view name) { return name.starts_with("__MACOSX/") || name == ".DS_Store" || name.ends_with("/.DS_Store"); }

/// Calls `found(prefix, marker)` for every prefix below which this name would mean something. The prefix ends with a slash or is empty.
template <typename Found>
void markersOf(std::string_view name, const Found& found) {
    const auto asFile = [&](std::string_view marker, unsigned bit) {
        if (!name.ends_with(marker)) return;
        const std::string_view prefix = name.substr(0, name.size() - marker.size());
        if (prefix.empty() || prefix.back() == '/') found(prefix, bit);
    };
    asFile("archive_format", kFormat);
    asFile("archive_version", kVersion);
    asFile("version", kOldVersion);
    asFile("serialized_exported_program.json", kOldProgram);
    const auto asFolder = [&](std::string_view marker, unsigned bit, std::string_view suffix) {
        const std::size_t at = name.starts_with(marker) ? 0 : name.find("/" + std::string(marker));
        if (at == std::string_view::npos || !name.ends_with(suffix)) return;
        found(name.substr(0, at == 0 && name.starts_with(marker) ? 0 : at + 1), bit);
    };
    asFolder("models/", kModels, ".json");
    asFolder("data/aotinductor/", kCompiled, "");
    asFolder("data/weights/", kData, "");
    asFolder("data/constants/", kData, "");
    asFolder("data/sample_inputs/", kData, "");
}

bool isArchiveRoot(unsigned markers) {
    if ((markers & (kFormat | kOldProgram | kCompiled)) != 0) return true;
    return (markers & kModels) != 0 && (markers & (kData | kVersion)) != 0;
}

/// Root candidates: prefix → its markers, and the prefixes in the order of the directory.
struct Roots {
    std::map<std::string, unsigned, std::less<>> markers;
    std::vector<std::string> order;

    explicit Roots(const std::vector<Member>& members) {
        for (const Member& member : members) {
            if (isBesideMac(member.name) || member.name.size() > 65535) continue;
            markersOf(member.name, [&](std::string_view prefix, unsigned bit) {
                auto [entry, isNew] = markers.try_emplace(std::string(prefix), 0U);
                entry->second |= bit;
                if (isNew) order.emplace_back(prefix);
            });
        }
    }

    /// Fewest folders wins: an archive inside data/aotinductor/ is its content. All of the same depth, in directory order.
    std::vector<std::string> best() const {
        std::vector<std::string> result;
        std::ptrdiff_t depth = 0;
        for (const std::string& prefix : order) {
            if (!isArchiveRoot(markers.find(prefix)->second)) continue;
            const std::ptrdiff_t here = std::count(prefix.begin(), prefix.end(), '/');
            if (result.empty() || here < depth) {
                result.assign(1, prefix);
                depth = here;
            } else if (here == depth) {
                result.push_back(prefix);
            }
        }
        return result;
    }
};

std::string listNames(const std::vector<Member>& members) {
    std::string list;
    for (std::size_t i = 0; i < members.size() && i < 5; ++i) {
        if (i > 0) list += ", ";
        list += escapeForDisplay(elideMiddle(members[i].name, 80));
    }
    if (members.size() > 5) list += " and " + formatCount(members.size() - 5) + " more";
    return list;
}

void reportNames(const std::vector<Member>& members, const std::string& root, Issues& issues) {
    LimitedIssues limited(issues);
    const std::string prefix = root.empty() ? "" : root + "/";
    std::set<std::string_view> seen;
    std::size_t deflated = 0;
    std::size_t files = 0;
    for (const Member& member : members) {
        // Made only where something is said: an archive may have very many members.
        const auto shown = [&member] { return "\"" + escapeForDisplay(elideMiddle(member.name, 120)) + "\""; };
        const auto where = [&member] { return "file/" + escapeForDisplay(elideMiddle(member.name, 400)); };
        const std::string& name = member.name;
        if (member.isDirectory) {
            const bool breaks = name == prefix + "models/";
            limited.add(breaks ? Severity::Warning : Severity::Note, "archive.directory-entry", where(), "Member " + shown() + " is a folder entry.",
                        breaks ? "torch takes it for a program and refuses the file; repack without folder entries (zip -D)." : "");
        } else {
            ++files;
            if (member.method != 0) ++deflated;
        }
        if (!seen.insert(name).second) {
            limited.add(Severity::Warning, "archive.duplicate-name", where(), "Two members are named " + shown() + ".",
                        "The last one is shown under this name; torch may take either. Remove one of them.");
        }
        if (member.isLink)
            limited.add(Severity::Warning, "archive.link", where(), "Member " + shown() + " is a symbolic link.", "Links are never followed.");
        if (!member.isDirectory && !isSafeMemberName(name)) {
            limited.add(Severity::Warning, "archive.unsafe-name", where(), "Member " + shown() + " has a name that is not safe as a path.",
                        "It can be looked at here, but is never written to disk; a tool that unpacks the archive may write outside of its folder.");
        }
        if (!prefix.empty() && !name.starts_with(prefix) && !isBesideMac(name)) {
            limited.add(Severity::Warning, "archive.beside-root", where(),
                        "Member " + shown() + " lies beside the root folder \"" + escapeForDisplay(root) + "\".",
                        "torch.export.load refuses such a file; keep every member below one root.");
        }
    }
    limited.finish();
    if (std::any_of(members.begin(), members.end(), [](const Member& m) { return isBesideMac(m.name); })) {
        issues.push_back({Severity::Warning, "archive.macos-extras", "file",
                          "The archive holds extra members of the macOS Finder (__MACOSX, .DS_Store).",
                          "torch refuses such a file; repack with \"zip -r -0 -D -X\" in a terminal."});
    }
    if (deflated > 0) {
        issues.push_back({Severity::Note, "archive.deflated", "file",
                          formatCount(deflated) + " of " + formatCount(files) + (deflated == 1 ? " members is" : " members are") +
                              " compressed, which torch never does.",
                          "They read more slowly; saving anew stores them plainly."});
    }
}

bool replaceBackslashes(std::vector<Member>& members) {
    std::vector<Member> changed = members;
    for (Member& member : changed) std::replace(member.name.begin(), member.name.end(), '\\', '/');
    if (Roots(changed).best().empty()) return false;
    members = std::move(changed);
    return true;
}

}  // namespace

OtherFile recogniseNames(const std::vector<Member>& members) {
    const auto count = [&](const auto& predicate) { return static_cast<std::size_t>(std::count_if(members.begin(), members.end(), predicate)); };
    const auto endsWith = [&](std::string_view end) {
        return count([&](const Member& m) { return m.name == end || m.name.ends_with("/" + std::string(end)); });
    };
    constexpr const char* kExport = "Export the model with torch.export.export and save it with torch.export.save.";
    const bool hasCode = count([](const Member& m) { return m.name.find("/code/") != std::string::npos || m.name.starts_with("code/"); }) > 0;
    if (endsWith("constants.pkl") > 0 && (hasCode || endsWith("bytecode.pkl") > 0)) {
        return {"a TorchScript model (torch.jit.save)", std::string("TorchScript is another format. ") + kExport};
    }
    if (endsWith("data.pkl") > 0) {
        return {"a torch.save file (weights or Python objects, no program)",
                std::string("Use it as --constants or --inputs; for a program: ") + kExport};
    }
    if (!members.empty() && count([](const Member& m) { return m.name.ends_with(".npy"); }) == members.size()) {
        return {"NumPy arrays (.npz)", "Arrays are inputs: use it as --inputs FILE.npz of pt2 run."};
    }
    if (count([](const Member& m) { return m.name.ends_with(".pt2"); }) > 0)
        return {"a zip that holds .pt2 files", "Unpack it and open one of them."};
    if (endsWith("MAR-INF/MANIFEST.json") > 0) return {"a TorchServe model archive (.mar)", "Unpack it and open the model inside."};
    if (count([](const Member& m) { return m.name.find(".dist-info/") != std::string::npos; }) > 0)
        return {"a Python wheel", "Choose the model file itself."};
    if (endsWith("META-INF/MANIFEST.MF") > 0) return {"a Java archive", "Choose the model file itself."};
    if (endsWith("model.weights.h5") > 0) return {"a Keras model", kExport};
    if (endsWith("[Content_Types].xml") > 0) return {"an office document", "Choose the model file itself."};
    return {};
}

Result<ZipKind> recogniseZip(std::vector<Member>& members, const std::string& where, Issues& issues) {
    const std::string name = "\"" + where + "\"";
    if (members.empty()) {
        return fail({ErrorKind::Unreadable, "archive.empty", name + " is an empty zip archive.", where, "It has no member.", "Get the file again."});
    }
    std::vector<std::string> roots = Roots(members).best();
    if (roots.empty() && replaceBackslashes(members)) {
        roots = Roots(members).best();
        issues.push_back({Severity::Warning, "archive.backslashes", "file", "Member names are written with backslashes, as old Windows tools do.",
                          "torch refuses such a file; repack it with another tool."});
    }
    if (roots.empty()) {
        const OtherFile other = recogniseNames(members);
        return fail({ErrorKind::Unreadable, "archive.other",
                     other.what.empty() ? name + " is a zip archive, but no .pt2." : name + " is no .pt2 archive; it is " + other.what + ".", where,
                     "Found: " + listNames(members) + ". Missing: archive_format, models/, data/aotinductor/ or serialized_exported_program.json.",
                     other.what.empty() ? "Choose a file made by torch.export.save or torch._inductor.aoti_compile_and_package." : other.help});
    }
    if (std::all_of(members.begin(), members.end(), [](const Member& m) { return (m.flags & 1) != 0; })) {
        return fail({ErrorKind::Unreadable, "archive.encrypted", name + " is encrypted.", where, "Every member is marked as encrypted.",
                     "Unpack it with its password and pack it again without."});
    }
    const Roots all(members);
    const std::string prefix = roots.front();
    const unsigned markers = all.markers.find(prefix)->second;
    if (roots.size() > 1) {
        issues.push_back(
            {Severity::Warning, "archive.several-roots", "file",
             "The file holds " + formatCount(roots.size()) + " archives beside each other; \"" + escapeForDisplay(prefix) + "\" is shown.",
             "Unpack it and open the other folders one by one."});
    }
    ZipKind result;
    result.root = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
    if ((markers & kOldProgram) != 0) {
        result.kind = ContainerKind::ExportZip;
    } else if (prefix.empty() && (markers & (kModels | kVersion)) == 0 && (markers & kCompiled) != 0) {
        result.kind = ContainerKind::AotiZip;
    } else {
        result.kind = ContainerKind::Pt2Archive;
        if (prefix.empty()) {
            issues.push_back({Severity::Warning, "archive.no-root", "file", "The members lie in no common root folder.",
                              "torch.export.load refuses such a file; repack it from one folder higher up."});
        } else if (result.root.find('/') != std::string::npos) {
            issues.push_back({Severity::Warning, "archive.deep-root", "file",
                              "The root folder \"" + escapeForDisplay(result.root) + "\" is several levels deep.",
                              "torch takes only the first level as the root and refuses the file; repack it from inside the upper folders."});
        }
    }
    reportNames(members, result.root, issues);
    return result;
}

Status checkFormat(const Archive& archive) {
    if (archive.kind() == ContainerKind::ExportZip || archive.kind() == ContainerKind::Library) return {};
    const std::optional<MemberIndex> member = archive.find("archive_format");
    if (!member) return {};
    Issues ignored;
    const Result<ByteBuffer> bytes = archive.read(*member, ignored, kMarkerLimit);
    if (!bytes) return {};  // whoever reads the markers says so
    std::string_view format = asText(*bytes);
    while (!format.empty() && (format.back() == '\n' || format.back() == '\r' || format.back() == ' ')) format.remove_suffix(1);
    if (format == "pt2") return {};
    return fail({ErrorKind::Unreadable, "archive.unknown-format", "\"" + archive.path().string() + "\" is in an archive format that is not known.",
                 archive.path().string(), "Its member archive_format says \"" + escapeForDisplay(elideMiddle(format, 60)) + "\" instead of \"pt2\".",
                 "Open it with the program that made it."});
}

}  // namespace pt2

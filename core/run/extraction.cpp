#include "core/run/extraction.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/environment.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/run/descriptor.h"
#include "core/run/job_folder.h"

namespace pt2 {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRootLock = "lock";
constexpr const char* kLockSuffix = ".lock";
constexpr std::uint64_t kSpareBytes = 16u << 20;

/// Opens and locks a lock file. Whoever had it may have removed it meanwhile, so the one locked must still be the one at that path.
Descriptor lockFile(const fs::path& path, int operation) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file) return {};
        while (::flock(file.get(), operation) != 0) {
            if (errno != EINTR) return {};
        }
        struct stat locked {
        }, named{};
        if (::fstat(file.get(), &locked) == 0 && ::lstat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
            locked.st_dev == named.st_dev) {
            return file;
        }
    }
    return {};
}

bool isPrivateDirectory(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

/// Creates the root if need be and locks it. Another process may remove an empty root at any moment, so this is tried again.
Descriptor lockRoot(const fs::path& root, bool create) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (create) {
            std::error_code ignored;
            fs::create_directories(root.parent_path(), ignored);
            ::mkdir(root.c_str(), 0700);
        }
        if (!isPrivateDirectory(root)) {
            if (create && errno == ENOENT) continue;
            return {};
        }
        Descriptor lock = lockFile(root / kRootLock, LOCK_EX);
        if (lock || errno != ENOENT) return lock;
    }
    return {};
}

/// With the root's lock held: removes it when nothing is left in it.
void removeRootIfEmpty(const fs::path& root) {
    std::error_code code;
    // Stepped by hand: the loop's own step throws.
    fs::directory_iterator entry(root, code);
    for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
        if (entry->path().filename() != kRootLock) return;
    }
    if (code) return;
    ::unlink((root / kRootLock).c_str());
    ::rmdir(root.c_str());
}

/// With the root's lock held: removes one directory with its lock unless someone holds it.
void removeUnlessHeld(const fs::path& directory) {
    const fs::path lockPath = directory.string() + kLockSuffix;
    const Descriptor lock(::open(lockPath.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    if (lock) ::unlink(lockPath.c_str());
}

void removeStale(const fs::path& root) {
    std::error_code code;
    if (!fs::is_directory(root, code)) return;
    const Descriptor lock = lockRoot(root, false);
    if (!lock) return;
    std::set<fs::path> directories;
    for (fs::directory_iterator entry(root, code); !code && entry != fs::directory_iterator(); entry.increment(code)) {
        const std::string name = entry->path().filename().string();
        if (name == kRootLock) continue;
        const bool isLock = entry->path().extension() == kLockSuffix;
        directories.insert(isLock ? root / name.substr(0, name.size() - std::strlen(kLockSuffix)) : entry->path());
    }
    for (const fs::path& directory : directories) removeUnlessHeld(directory);
    removeRootIfEmpty(root);
}

struct Place {
    bool fits = false;
    std::string why;
};

Place judgePlace(const fs::path& root, std::uint64_t bytes) {
    struct statvfs status {};
    if (::statvfs(root.c_str(), &status) != 0) return {false, root.string() + " cannot be used"};
    if ((status.f_flag & ST_NOEXEC) != 0) return {false, root.string() + " forbids running what lies in it"};
    std::uint64_t room = 0;
    if (!multiplySafe(status.f_bavail, status.f_frsize, room)) room = ~std::uint64_t{0};
    if (room < kSpareBytes || room - kSpareBytes < bytes) return {false, root.string() + " has " + formatBytes(room) + " left"};
    return {true, {}};
}

bool isSource(std::string_view name) {
    const std::string extension = fs::path(name).extension().string();
    return extension == ".cpp" || extension == ".h" || extension == ".o";
}

/// Extractions of this process by what they were made from, so that opening and running a package many times reads it once.
std::mutex registryMutex;
std::map<std::string, std::weak_ptr<const Extraction>>& registry() {
    static std::map<std::string, std::weak_ptr<const Extraction>> entries;
    return entries;
}

std::string registryKey(const Archive& archive, const CompiledModel& model) {
    const File* file = archive.file();
    if (file == nullptr) return {};
    const FileIdentity& id = file->identity();
    return std::to_string(id.device) + "/" + std::to_string(id.inode) + "/" + std::to_string(id.size) + "/" + std::to_string(id.modifiedNs) + "/" +
           model.folder + "/" + model.name;
}

}  // namespace

std::vector<fs::path> extractionRoots() {
    std::vector<fs::path> roots;
    if (const fs::path runtime = folderVariable("XDG_RUNTIME_DIR"); !runtime.empty()) roots.push_back(runtime / "pt2scope");
    if (const fs::path cache = userCacheFolder(); !cache.empty()) roots.push_back(cache / "pt2scope" / "run");
    const fs::path temporary = folderVariable("TMPDIR");
    roots.push_back((temporary.empty() ? fs::path("/tmp") : temporary) / ("pt2scope-" + std::to_string(::geteuid())));
    return roots;
}

void removeStaleExtractions() {
    for (const fs::path& root : extractionRoots()) removeStale(root);
}

std::uint64_t extractedBytes() {
    std::uint64_t total = 0;
    for (const fs::path& root : extractionRoots()) {
        std::error_code code;
        for (fs::recursive_directory_iterator entry(root, code), end; !code && entry != end; entry.increment(code)) {
            std::error_code unreadable;
            if (entry->is_regular_file(unreadable)) total += entry->file_size(unreadable);
        }
    }
    return total;
}

Extraction::~Extraction() {
    const Descriptor root = lockRoot(root_, false);
    ::close(lock_);
    if (!root) return;
    removeUnlessHeld(directory_);
    removeRootIfEmpty(root_);
}

/// One extraction in the making.
class Extractor {
public:
    Extractor(const Archive& archive, const CompiledModel& model, const CancelToken& cancel, const ProgressSink& progress)
        : archive_(archive), model_(model), cancel_(cancel), progress_(progress) {}
    ~Extractor();
    Extractor(const Extractor&) = delete;
    Extractor& operator=(const Extractor&) = delete;
    Result<std::shared_ptr<const Extraction>> extract();

private:
    Status chooseMembers();
    Status choosePlace();
    Status writeMembers();
    Status writeMember(MemberIndex member, Sha256& hash);
    Result<std::shared_ptr<const Extraction>> publish();

    const Archive& archive_;
    const CompiledModel& model_;
    const CancelToken& cancel_;
    const ProgressSink& progress_;
    std::vector<MemberIndex> members_;
    std::uint64_t totalBytes_ = 0, doneBytes_ = 0;
    fs::path root_, directory_;  // directory_: the unfinished one, empty when there is none
    Descriptor lock_;            // on the unfinished directory, exclusive
    std::string identity_;
};

Extractor::~Extractor() {
    if (directory_.empty()) return;
    const Descriptor root = lockRoot(root_, false);
    lock_.reset();
    if (!root) return;
    removeUnlessHeld(directory_);
    removeRootIfEmpty(root_);
}

Status Extractor::chooseMembers() {
    members_ = model_.members;
    if (model_.library && std::find(members_.begin(), members_.end(), *model_.library) == members_.end()) members_.push_back(*model_.library);
    bool hasObjects = false;
    for (const MemberIndex member : members_) {
        hasObjects = hasObjects || fs::path(archive_.members()[member].name).filename() == "custom_objs_config.json";
    }
    if (hasObjects) {
        // LibTorch looks for the pickled objects of a model two folders up (format.md 4.0).
        for (MemberIndex member = 0; member < archive_.members().size(); ++member) {
            if (archive_.nameBelowRoot(member).starts_with("data/constants/custom_obj_")) members_.push_back(member);
        }
    }
    for (const MemberIndex member : members_) {
        const Member& entry = archive_.members()[member];
        if (!isSafeMemberName(entry.name)) {
            return fail({ErrorKind::Unreadable,
                         "extract.unsafe-name",
                         "A member of the compiled model has a name that leads out of its folder.",
                         escapeForDisplay(entry.name),
                         {},
                         "The file was made to harm, or damaged. It is not run."});
        }
        if (!addSafe(totalBytes_, entry.size, totalBytes_)) {
            return fail({ErrorKind::Unreadable, "extract.too-large", "The sizes of the compiled model's members cannot be true.", {}, {}, {}});
        }
    }
    return {};
}

Status Extractor::choosePlace() {
    std::vector<std::string> reasons;
    for (const fs::path& root : extractionRoots()) {
        const Descriptor rootLock = lockRoot(root, true);
        if (!rootLock) {
            reasons.push_back(root.string() + " cannot be used");
            continue;
        }
        const Place place = judgePlace(root, totalBytes_);
        std::random_device random;
        const fs::path directory = root / ("new-" + std::to_string(::getpid()) + "-" + std::to_string(random()));
        if (place.fits) {
            lock_ = lockFile(directory.string() + kLockSuffix, LOCK_EX | LOCK_NB);
            if (lock_ && ::mkdir(directory.c_str(), 0700) == 0) {
                root_ = root;
                directory_ = directory;
                return {};
            }
            if (lock_) ::unlink((directory.string() + kLockSuffix).c_str());
            lock_.reset();
        }
        reasons.push_back(place.fits ? root.string() + " cannot be written" : place.why);
        removeRootIfEmpty(root);
    }
    return fail({ErrorKind::System,
                 "extract.no-place",
                 "There is no place to unpack the compiled model to, and it can only be loaded from a file.",
                 {},
                 "It needs " + formatBytes(totalBytes_) + ": " + join(reasons, "; ") + ".",
                 "Make room, or set XDG_RUNTIME_DIR, XDG_CACHE_HOME or TMPDIR to a folder with room from which programs may run."});
}

Status Extractor::writeMember(MemberIndex member, Sha256& hash) {
    const std::string name(archive_.nameBelowRoot(member));
    const Member& entry = archive_.members()[member];
    hash.update(asBytes(name));
    std::array<std::byte, 9> size{};
    for (std::size_t i = 0; i < 8; ++i) size[i + 1] = static_cast<std::byte>(entry.size >> (8 * i) & 0xff);
    hash.update(size);

    Descriptor file;
    const fs::path path = directory_ / name;
    if (!isSource(name)) {
        std::error_code code;
        fs::create_directories(path.parent_path(), code);
        file = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file) return fail(systemError("A member of the compiled model could not be unpacked.", path.string(), errno));
    }
    const auto sink = [&](Bytes bytes) -> Status {
        if (cancel_.requested()) return cancelled();
        hash.update(bytes);
        doneBytes_ += bytes.size();
        report(progress_, {"unpacking the compiled model", doneBytes_, totalBytes_, Progress::Unit::Bytes, {}});
        while (file && !bytes.empty()) {
            const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return fail(systemError("A member of the compiled model could not be unpacked.", path.string(), errno));
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
        return {};
    };
    if (auto status = archive_.stream(member, sink, cancel_); !status) return status;
    file.reset();
    if (fs::path(name).extension() == ".so" || member == model_.library) {
        if (auto cleared = clearExecutableStack(path); !cleared) return fail(cleared.error());
    }
    return {};
}

Status Extractor::writeMembers() {
    Sha256 hash;
    for (const MemberIndex member : members_) {
        if (archive_.members()[member].isDirectory) continue;
        if (auto status = writeMember(member, hash); !status) return status;
    }
    identity_ = hash.hex();
    return {};
}

Result<std::shared_ptr<const Extraction>> Extractor::publish() {
    const Descriptor rootLock = lockRoot(root_, false);
    if (!rootLock) return fail(systemError("The unpacked model was removed by another program.", root_.string(), errno));
    const fs::path target = root_ / identity_;
    const fs::path targetLock = target.string() + kLockSuffix;
    // With the root locked nobody removes or publishes, so what is there stays until we hold it.
    Descriptor held(::open(targetLock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!held || ::flock(held.get(), LOCK_SH) != 0) return fail(systemError("The unpacked model could not be locked.", targetLock.string(), errno));
    const fs::path unfinished = std::exchange(directory_, fs::path());
    std::error_code code;
    if (fs::is_directory(target, code)) {
        fs::remove_all(unfinished, code);
    } else if (::rename(unfinished.c_str(), target.c_str()) != 0) {
        Error error = systemError("The unpacked model could not be put in its place.", target.string(), errno);
        fs::remove_all(unfinished, code);
        ::unlink((unfinished.string() + kLockSuffix).c_str());
        ::unlink(targetLock.c_str());
        return fail(std::move(error));
    }
    ::unlink((unfinished.string() + kLockSuffix).c_str());
    lock_.reset();

    std::shared_ptr<Extraction> extraction(new Extraction);
    extraction->root_ = root_;
    extraction->directory_ = target;
    extraction->identity_ = identity_;
    extraction->bytes_ = totalBytes_;
    extraction->lock_ = ::fcntl(held.get(), F_DUPFD_CLOEXEC, 3);
    if (model_.library) extraction->library_ = target / std::string(archive_.nameBelowRoot(*model_.library));
    if (model_.blob) extraction->blob_ = target / std::string(archive_.nameBelowRoot(*model_.blob));
    return extraction;
}

Result<std::shared_ptr<const Extraction>> Extractor::extract() {
    if (auto status = chooseMembers(); !status) return fail(status.error());
    if (auto status = choosePlace(); !status) return fail(status.error());
    if (auto status = writeMembers(); !status) return fail(status.error());
    return publish();
}

Result<std::shared_ptr<const Extraction>> extractCompiled(const Archive& archive, const CompiledModel& model, const CancelToken& cancel,
                                                          const ProgressSink& progress) {
    if (auto status = archive.verifyUnchanged(); !status) return fail(status.error());
    const std::string key = registryKey(archive, model);
    if (!key.empty()) {
        const std::lock_guard lock(registryMutex);
        if (auto found = registry()[key].lock()) return found;
    }
    try {
        removeStaleExtractions();
        removeStaleJobFolders();
        auto extraction = Extractor(archive, model, cancel, progress).extract();
        if (extraction && !key.empty()) {
            const std::lock_guard lock(registryMutex);
            registry()[key] = *extraction;
        }
        return extraction;
    } catch (const fs::filesystem_error& error) {
        return fail({ErrorKind::System,
                     "extract.failed",
                     "The compiled model could not be unpacked.",
                     error.path1().string(),
                     error.code().message() + ".",
                     {}});
    }
}

Result<bool> clearExecutableStack(const fs::path& path) {
    constexpr std::uint32_t kGnuStack = 0x6474e551;
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return fail(systemError("The unpacked library could not be opened.", path.string(), errno));
    const auto readExactly = [&file](std::uint64_t offset, MutableBytes out) {
        return offset <= static_cast<std::uint64_t>(INT64_MAX) - out.size() &&
               ::pread(file.get(), out.data(), out.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(out.size());
    };
    std::array<std::byte, 64> header{};
    if (!readExactly(0, header) || asText(header).substr(0, 6) != std::string_view("\177ELF\2\1", 6)) return false;
    const auto tableOffset = loadLittle<std::uint64_t>(header, 32);
    const auto entrySize = loadLittle<std::uint16_t>(header, 54);
    const auto count = loadLittle<std::uint16_t>(header, 56);
    if (entrySize < 56) return false;
    bool wasSet = false;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::array<std::byte, 8> entry{};
        std::uint64_t offset = 0;
        if (!addSafe(tableOffset, i * entrySize, offset) || !readExactly(offset, entry)) return wasSet;
        if (loadLittle<std::uint32_t>(entry, 0) != kGnuStack || (std::to_integer<unsigned>(entry[4]) & 1u) == 0) continue;
        const std::byte cleared = entry[4] & std::byte{0xfe};
        if (::pwrite(file.get(), &cleared, 1, static_cast<off_t>(offset + 4)) != 1) {
            return fail(systemError("The unpacked library could not be changed.", path.string(), errno));
        }
        wasSet = true;
    }
    return wasSet;
}

}  // namespace pt2

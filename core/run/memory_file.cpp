#include "core/run/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/base/file.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

std::shared_ptr<void> owning(void* address, std::size_t length) {
    return {address, [length](void* mapped) { ::munmap(mapped, length); }};
}

tl::unexpected<Error> noMemory(std::uint64_t size, int code) {
    Error error = systemError("There is not enough memory to share tensors with the run engine.", {}, code);
    error.code = "memory.none";
    error.why += " Asked for: " + formatBytes(size) + ".";
    return fail(std::move(error));
}

}  // namespace

Result<MemoryFile> MemoryFile::create(std::uint64_t size) {
    MemoryFile file;
    file.descriptor_ = Descriptor(::memfd_create("pt2scope-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file.descriptor_) return noMemory(size, errno);
    if (size > static_cast<std::uint64_t>(INT64_MAX) || ::ftruncate(file.descriptor_.get(), static_cast<off_t>(size)) != 0) {
        return noMemory(size, errno);
    }
    if (size == 0) return file;
    // Without this a write to the mapping ends in SIGBUS when memory runs out.
    if (const int code = ::posix_fallocate(file.descriptor_.get(), 0, static_cast<off_t>(size)); code != 0) return noMemory(size, code);
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor_.get(), 0);
    if (address == MAP_FAILED) return noMemory(size, errno);
    file.mapping_ = owning(address, size);
    file.bytes_ = {static_cast<std::byte*>(address), static_cast<std::size_t>(size)};
    return file;
}

Result<Descriptor> MemoryFile::seal() && {
    bytes_ = {};
    mapping_.reset();
    if (::fcntl(descriptor_.get(), F_ADD_SEALS, kSeals) != 0) {
        return fail(systemError("Shared memory for tensors could not be sealed.", {}, errno));
    }
    return std::move(descriptor_);
}

Result<MappedMemory> mapSealed(const Descriptor& descriptor, std::uint64_t size) {
    const auto damaged = [](std::string why) {
        return fail({ErrorKind::System, "protocol.damaged", "The run engine and pt2scope do not understand each other.", {}, std::move(why), {}});
    };
    const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
    if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_WRITE)) != (F_SEAL_SHRINK | F_SEAL_WRITE)) {
        return damaged("Tensors came in memory that is not sealed.");
    }
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0 || status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) < size) {
        return damaged("Tensors came in memory that is shorter than they are.");
    }
    MappedMemory mapped;
    if (size == 0) return mapped;
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor.get(), 0);
    if (address == MAP_FAILED) return noMemory(size, errno);
    mapped.owner = owning(address, size);
    mapped.bytes = {static_cast<std::byte*>(address), static_cast<std::size_t>(size)};
    return mapped;
}

}  // namespace pt2

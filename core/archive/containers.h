#pragma once

#include <memory>

#include "core/archive/archive.h"

namespace pt2 {

// The kinds of Archive; Archive::open chooses one of them by content.

/// `head` is the beginning of the file, to say what it is when it is no zip.
Result<std::shared_ptr<const Archive>> openZipArchive(File file, Bytes head, const std::filesystem::path& path, Issues& issues);
Result<std::shared_ptr<const Archive>> openFolderArchive(const std::filesystem::path& path, Issues& issues);
Result<std::shared_ptr<const Archive>> openLibraryArchive(File file, const std::filesystem::path& path);

/// sha256 of a whole file, with progress in bytes.
Result<std::string> hashFile(const File& file, const CancelToken& cancel, const ProgressSink& progress);
/// Streams `size` bytes of a file from `offset` in chunks of 1 MiB.
Status streamRange(const File& file, std::uint64_t offset, std::uint64_t size, const std::function<Status(Bytes)>& sink, const CancelToken& cancel);
/// Usage error of a window that leaves the member.
Status checkWindow(const Member& member, std::uint64_t offset, std::uint64_t length);

}  // namespace pt2

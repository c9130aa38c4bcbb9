#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/archive/archive.h"

namespace pt2 {

/// Writes a PT2 archive as torch does (format.md 1.5, 1.6): members stored, data at multiples of 64 by an "FB" extra field in the
/// local header, data descriptors, zip64 end records, one root, marker records last. The file appears under its name on finish() only.
class ArchiveWriter {
public:
    static Result<ArchiveWriter> create(const std::filesystem::path& target, std::string root, bool force);
    ArchiveWriter(ArchiveWriter&&) noexcept;
    ~ArchiveWriter();

    /// `nameBelowRoot` must be safe and new.
    Status add(std::string_view nameBelowRoot, Bytes bytes);
    /// Copies a member of another archive byte for byte (inflating what was deflated), by the kernel where it can.
    Status copy(const Archive& from, MemberIndex member, std::string_view nameBelowRoot, const CancelToken& cancel = {});
    /// Streams a file of the disk in.
    Status addFile(std::string_view nameBelowRoot, const std::filesystem::path& source, const CancelToken& cancel = {});
    /// Writes archive_format, archive_version, .data/version, byteorder and .data/serialization_id where they are not yet
    /// members, then the directory; fsync, reopen and check every entry, rename.
    Status finish();

private:
    struct State;
    explicit ArchiveWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace pt2

#pragma once

#include <string>
#include <vector>

#include "core/archive/archive.h"

namespace pt2 {

/// What a file that is no archive of ours is, in words.
struct OtherFile {
    std::string what;  ///< "an ONNX model"; empty when nothing is recognised
    std::string help;
};

/// By the first bytes (at least 512 where the file has them); format.md 5b.
OtherFile recogniseBytes(Bytes head, std::uint64_t fileSize);
/// By the names in a zip: TorchScript, torch.save, npz, ...
OtherFile recogniseNames(const std::vector<Member>& members);

/// The Error for a file that cannot be opened as an archive; `zipError` is what the directory reader said.
Error notAnArchive(const File& file, Bytes head, const Error& zipError);

/// How members are arranged in a zip or folder.
struct ZipKind {
    ContainerKind kind = ContainerKind::Pt2Archive;
    std::string root;  ///< without the final slash
};

/// Finds root and kind by the names (format.md 1.1 to 1.4). Backslashes of old Windows tools become slashes in `members` when nothing is found
/// otherwise. Names that are odd, hostile or beside the root become issues. Error "archive.other" when it is another kind of zip.
Result<ZipKind> recogniseZip(std::vector<Member>& members, const std::string& where, Issues& issues);

/// The Error "archive.unknown-format" when the member archive_format says something else than "pt2".
Status checkFormat(const Archive& archive);

/// Whether an ELF file names the entry points of a compiled model (AOTInductorModelContainerCreate...) among its dynamic symbols. Every number
/// of the file is checked; Error when it is no 64-bit little-endian shared library.
Result<bool> isCompiledLibrary(const File& file);

}  // namespace pt2

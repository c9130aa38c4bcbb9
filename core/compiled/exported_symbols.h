#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/file.h"

namespace pt2 {

/// The dynamic symbols that one library defines, found by name through its hash table (DT_GNU_HASH), as the dynamic linker finds them: a few names
/// in a library of two hundred thousand cost a few reads. Safe from any thread.
class SymbolTable {
public:
    /// Nothing for what is no 64-bit little-endian ELF library, has no such table, or is cut.
    static std::optional<SymbolTable> open(const std::filesystem::path& library);
    /// Nothing when the table breaks its own rules.
    std::optional<bool> has(std::string_view name) const;

private:
    SymbolTable() = default;
    File file_;
    std::uint64_t symbols_ = 0, strings_ = 0, stringsSize_ = 0;  ///< in the file
    std::uint64_t chains_ = 0;
    std::uint32_t firstHashed_ = 0, shift_ = 0;
    std::vector<std::uint64_t> bloom_;
    std::vector<std::uint32_t> buckets_;
};

/// What several libraries export together.
class ExportedSymbols {
public:
    /// Null when one of the libraries cannot be read.
    static std::shared_ptr<const ExportedSymbols> of(std::vector<std::filesystem::path> libraries);
    bool has(std::string_view name) const;
    /// All names, ascending; read on first use, which takes some tenths of a second for a LibTorch.
    const std::vector<std::string>& names() const;

private:
    ExportedSymbols() = default;
    std::vector<std::filesystem::path> libraries_;
    std::vector<SymbolTable> tables_;
    bool complete_ = true;  ///< every library has a table
    mutable std::once_flag listed_;
    mutable std::vector<std::string> names_;
};

}  // namespace pt2

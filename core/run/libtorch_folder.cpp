#include "core/run/libtorch_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "core/base/file.h"
#include "core/run/child_process.h"
#include "core/run/python_info.h"
#include "core/run/python_process.h"

namespace pt2 {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kTextLimit = std::uint64_t{1} << 20;
constexpr int kLeastMajor = 2, kLeastMinor = 8;
constexpr const char* kAdvice =
    "Name the folder of an unpacked LibTorch (the one with include/ and lib/) with --libtorch, or a Python that has torch with --python.";

bool isFile(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code);
}

std::string textOfFile(const fs::path& path) {
    if (!isFile(path)) return {};
    auto text = readTextFile(path, kTextLimit);
    return text ? std::move(*text) : std::string();
}

/// The digits after `word`; empty when it is not there.
std::string numberAfter(const std::string& text, std::string_view word) {
    std::size_t at = text.find(word);
    if (at == std::string::npos) return {};
    at = text.find_first_not_of(" \t", at + word.size());
    if (at == std::string::npos) return {};
    return text.substr(at, text.find_first_not_of("0123456789", at) - at);
}

/// "2.13.0" of the headers: 2.9 moved them.
std::string versionOfHeaders(const fs::path& folder) {
    for (const char* name : {"torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"}) {
        const std::string text = textOfFile(folder / "include" / name);
        const std::array<std::string, 3> numbers = {numberAfter(text, "TORCH_VERSION_MAJOR"), numberAfter(text, "TORCH_VERSION_MINOR"),
                                                    numberAfter(text, "TORCH_VERSION_PATCH")};
        if (!numbers[0].empty() && !numbers[1].empty() && !numbers[2].empty()) return numbers[0] + "." + numbers[1] + "." + numbers[2];
    }
    return {};
}

/// "2.13.0+cpu": wheels have it in version.py, archives in build-version.
std::string fullVersion(const fs::path& folder) {
    std::string text = textOfFile(folder / "version.py");
    if (const std::size_t at = text.find("__version__ = '"); at != std::string::npos) {
        text.erase(0, at + std::string_view("__version__ = '").size());
        return text.substr(0, text.find('\''));
    }
    text = textOfFile(folder / "build-version");
    return text.substr(0, text.find_first_of("\r\n"));
}

/// A constructor that takes std::string tells which of libstdc++'s two string types the libraries were built with; read in pieces, since the name may
/// lie anywhere.
bool hasNewStrings(const fs::path& library) {
    auto file = File::openForReading(library);
    if (!file) return false;
    constexpr std::string_view kName = "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx11";
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    std::string window;
    for (std::uint64_t at = 0; at < file->size(); at += kPiece) {
        const std::uint64_t size = std::min(kPiece, file->size() - at);
        std::string piece(size, '\0');
        if (!file->readAt(at, {reinterpret_cast<std::byte*>(piece.data()), piece.size()})) return false;
        window += piece;
        if (window.find(kName) != std::string::npos) return true;
        window.erase(0, window.size() - std::min(window.size(), kName.size()));
    }
    return false;
}

Result<fs::path> folderOfPython(const PythonInfo& python, const CancelToken& cancel) {
    static constexpr const char* kAsk =
        "import importlib.util as u; s = u.find_spec('torch'); print('pt2scope-torch', list(s.submodule_search_locations)[0])";
    auto output = captureOutput({python.executable, {"-c", kAsk}, {}, {}}, 30, cancel);
    if (!output) return tl::unexpected(output.error());
    constexpr std::string_view kMark = "pt2scope-torch ";
    const std::size_t at = output->find(kMark);
    if (at == std::string::npos) {
        return fail({ErrorKind::System, "libtorch.not-found", "This Python does not say where its torch is.", python.executable, {}, kAdvice});
    }
    std::string folder = output->substr(at + kMark.size());
    folder.erase(std::min(folder.size(), folder.find_first_of("\r\n")));
    return fs::path(folder);
}

}  // namespace

std::array<int, 3> versionNumbers(std::string_view version) {
    std::array<int, 3> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (int& number : numbers) {
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number < 0) return {};
        at = next;
        if (at == end || *at != '.') break;
        ++at;
    }
    return numbers;
}

Result<LibTorchFolder> readLibTorchFolder(const fs::path& named) {
    std::error_code code;
    const fs::path folder = fs::absolute(named, code).lexically_normal();
    const std::string where = folder.string();
    if (code || !isFile(folder / "lib" / "libtorch_cpu.so") || !isFile(folder / "lib" / "libc10.so")) {
        return fail({ErrorKind::Usage, "libtorch.none", "There is no LibTorch in this folder.", where,
                     fs::is_directory(folder, code) ? "It has no lib/libtorch_cpu.so." : "There is no such folder.", kAdvice});
    }
    if (!isFile(folder / "include" / "torch" / "csrc" / "inductor" / "aoti_runner" / "model_container_runner.h")) {
        return fail({ErrorKind::CannotRun, "libtorch.headers", "A run engine cannot be built for this LibTorch: its headers are missing.", where,
                     "include/ does not hold the headers of the AOTInductor runner, which the engine is compiled with.",
                     "Take the torch wheel of PyPI or a LibTorch archive: both bring their headers."});
    }
    LibTorchFolder found{folder, versionOfHeaders(folder), {}};
    const std::string full = fullVersion(folder);
    const std::size_t plus = full.find('+');
    if (plus != std::string::npos) found.variant = full.substr(plus + 1);
    if (found.version.empty()) found.version = full.substr(0, plus);
    // Both become part of a folder's name.
    for (std::string* text : {&found.version, &found.variant}) {
        if (text->find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-") != std::string::npos) text->clear();
    }
    if (versionNumbers(found.version) < std::array<int, 3>{kLeastMajor, kLeastMinor, 0}) {
        return fail({ErrorKind::CannotRun, "libtorch.old",
                     fmt::format("A run engine cannot be built for this LibTorch: {}.",
                                 found.version.empty() ? "it does not say its version" : "it is version " + found.version),
                     where, fmt::format("{}.{} or later is needed.", kLeastMajor, kLeastMinor), "Install a later torch, or name another LibTorch."});
    }
    if (!hasNewStrings(folder / "lib" / "libc10.so")) {
        return fail({ErrorKind::CannotRun, "libtorch.abi", "A run engine cannot be built for this LibTorch: it was built with another std::string.",
                     where, "Its libraries have _GLIBCXX_USE_CXX11_ABI=0, and no library of this system has.",
                     "Take the archive whose name has \"cxx11-abi\", or the torch wheel of PyPI."});
    }
    return found;
}

Result<LibTorchFolder> findLibTorch(const LibTorchWish& wish, const CancelToken& cancel) {
    if (!wish.folder.empty()) return readLibTorchFolder(wish.folder);
    auto python = findPython(wish.python, cancel);
    if (!python) {
        Error error = python.error();
        if (error.code == "python.none") {
            error.code = "libtorch.not-found";
            error.what = "No LibTorch was found to build a run engine for.";
            error.help = kAdvice;
        }
        return fail(std::move(error));
    }
    const auto folder = folderOfPython(*python, cancel);
    if (!folder) return tl::unexpected(folder.error());
    auto found = readLibTorchFolder(*folder);
    // The folder was not the user's word.
    if (!found && found.error().kind == ErrorKind::Usage) found.error().kind = ErrorKind::CannotRun;
    return found;
}

}  // namespace pt2

#include "core/run/engine_install.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/environment.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/run/child_process.h"
#include "core/run/job_folder.h"
#include "core/run/resources.h"

namespace pt2 {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBuildSpace = std::uint64_t{300} << 20;  // objects and the compiler's temporary files
constexpr std::uint64_t kEngineLimit = std::uint64_t{256} << 20;
constexpr unsigned kMostCompilers = 8;  // one takes up to a gigabyte with LibTorch's headers
constexpr std::string_view kPackages = "g++ cmake make nlohmann-json3-dev libfmt-dev libexpected-dev libssl-dev";

std::string installAdvice() { return fmt::format("On Debian: apt install {}", kPackages); }

/// What the engine is built with.
struct Tools {
    std::string cmake, generator;
    std::string compiler;  ///< empty: the one that the variable CXX names
};

Result<Tools> findTools() {
    Tools tools;
    const std::string named = environmentValue("CXX");
    // It may have arguments, or be a cache before the compiler: CMake reads it by itself.
    if (!named.empty() && programOnPath(named.substr(0, named.find(' '))).empty()) {
        return fail({ErrorKind::System, "engine.no-compiler", "There is no C++ compiler to build the run engine with.", named,
                     "The variable CXX names it, and there is no such program.", "Unset CXX, or let it name a C++ compiler."});
    }
    for (const char* name : {"g++", "c++", "clang++"}) {
        if (named.empty() && tools.compiler.empty()) tools.compiler = programOnPath(name);
    }
    if (named.empty() && tools.compiler.empty()) {
        return fail({ErrorKind::System,
                     "engine.no-compiler",
                     "There is no C++ compiler to build the run engine with.",
                     {},
                     "None of g++, c++ and clang++ is in the PATH, and CXX names none.",
                     installAdvice()});
    }
    tools.cmake = programOnPath("cmake");
    if (tools.cmake.empty()) {
        return fail({ErrorKind::System,
                     "engine.no-cmake",
                     "There is no CMake to build the run engine with.",
                     {},
                     "There is no cmake in the PATH.",
                     installAdvice()});
    }
    if (!programOnPath("make").empty()) {
        tools.generator = "Unix Makefiles";
    } else if (!programOnPath("ninja").empty()) {
        tools.generator = "Ninja";
    } else {
        return fail({ErrorKind::System,
                     "engine.no-build-tool",
                     "There is neither make nor ninja to build the run engine with.",
                     {},
                     "CMake needs one of them, and neither is in the PATH.",
                     installAdvice()});
    }
    return tools;
}

/// Share of a build that make ("[ 37%] ...") or ninja ("[3/17] ...") tells at the start of a line.
void readSteps(std::string_view line, Progress& progress) {
    if (line.empty() || line[0] != '[') return;
    std::size_t at = line.find_first_not_of(' ', 1);
    if (at == std::string_view::npos) return;
    std::uint64_t done = 0, total = 100;
    const char* const end = line.data() + line.size();
    auto [next, error] = std::from_chars(line.data() + at, end, done);
    if (error != std::errc() || next == end) return;
    if (*next == '/') {
        const auto second = std::from_chars(next + 1, end, total);
        if (second.ec != std::errc()) return;
        next = second.ptr;
    } else if (*next == '%') {
        ++next;
    }
    if (next == end || *next != ']' || done > total) return;
    progress.done = done;
    progress.total = total;
    progress.unit = Progress::Unit::Steps;
}

/// The first line that says what went wrong, else the last one. CMake writes "CMake Error at PLACE:" and the words below it.
std::string cause(const std::string& output) {
    std::string last;
    bool cmakeError = false;
    for (const std::string_view line : splitView(output, '\n')) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) continue;
        last = std::string(line.substr(begin));
        if (cmakeError || line.find("error:") != std::string_view::npos || line.find("Error:") != std::string_view::npos) break;
        cmakeError = line.substr(0, 14) == "CMake Error at";
    }
    return escapeForDisplay(elideMiddle(last, 400));
}

/// The text between a mark that the sources' CMakeLists.txt prints and the end of its line; empty when it is not there.
std::string marked(const std::string& output, std::string_view mark) {
    const std::size_t at = output.find(mark);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + mark.size();
    return output.substr(begin, output.find('\n', begin) - begin);
}

Error buildError(const ChildEnd& end, const std::string& doing, const fs::path& log) {
    const std::string where = log.string(), seeLog = log.empty() ? std::string() : " The log says more.";
    const std::string what = fmt::format("The run engine could not be built: {} failed.", doing);
    if (end.output.find(std::strerror(ENOSPC)) != std::string::npos || end.output.find("No space left on device") != std::string::npos) {
        return {ErrorKind::System, "engine.no-space", what, where, "The disk is full.", "Make room, or name another temporary folder in TMPDIR."};
    }
    if (const std::string missing = marked(end.output, "pt2scope: missing headers: "); !missing.empty()) {
        return {ErrorKind::System,
                "engine.no-headers",
                "The run engine could not be built: headers of libraries are missing.",
                where,
                "Not found: " + escapeForDisplay(missing),
                installAdvice()};
    }
    std::string why = end.signal != 0 ? fmt::format("It was ended by signal {} ({}).", end.signal, ::strsignal(end.signal)) : cause(end.output);
    if (end.signal == SIGKILL || end.output.find("Killed signal terminated") != std::string::npos)
        why += " The system does this when memory runs out.";
    return {ErrorKind::System, "engine.build-failed", what, where, why, "Check that compiler and LibTorch fit together, then try again." + seeLog};
}

/// Keeps what the tools said; without a place for it the error has to do.
fs::path keepLog(const fs::path& engines, const std::string& text) {
    const fs::path path = engines / "build.log";
    auto file = AtomicFile::create(path, true);
    if (!file || !file->write(asBytes(text)) || !file->commit()) return {};
    return path;
}

class Build {
public:
    Build(fs::path engines, const CancelToken& cancel, const ProgressSink& progress)
        : engines_(std::move(engines)), cancel_(cancel), progress_(progress) {}

    /// Runs one tool to its end; a failure becomes the Error that says why.
    Status run(const std::string& stage, const std::string& doing, ChildStart how) {
        Progress state{stage, 0, 0, Progress::Unit::None, {}};
        report(progress_, state);
        how.environment.emplace_back("LC_ALL", "C");
        how.environment.emplace_back("NINJA_STATUS", "[%f/%t] ");
        how.environment.emplace_back("MAKEFLAGS", "");  // of a make that started us
        const auto end = runChild(how, cancel_, [this, &state](const std::string& line) {
            readSteps(line, state);
            state.line = line;
            report(progress_, state);
        });
        if (!end) return tl::unexpected(end.error());
        said_ += end->output;
        if (end->ok()) return {};
        return fail(buildError(*end, doing, keepLog(engines_, said_)));
    }
    const std::string& said() const { return said_; }

private:
    fs::path engines_;
    const CancelToken& cancel_;
    const ProgressSink& progress_;
    std::string said_;
};

/// Copies the finished engine to its place, complete or not at all.
Status putInPlace(const fs::path& built, const fs::path& place) {
    auto program = File::openForReading(built);
    if (!program) return tl::unexpected(program.error());
    if (program->size() > kEngineLimit) {
        return fail({ErrorKind::System, "engine.build-failed", "The run engine that was built is larger than it can be.", built.string(), {}, {}});
    }
    ByteBuffer bytes(program->size());
    if (auto read = program->readAt(0, bytes); !read) return read;
    auto file = AtomicFile::create(place, true);
    if (!file) return tl::unexpected(file.error());
    if (auto written = file->write(bytes); !written) return written;
    if (::fchmod(file->descriptor(), 0755) != 0) return tl::unexpected(systemError("Cannot make the run engine a program.", place.string(), errno));
    return file->commit();
}

Status writeRecord(const fs::path& path, const LibTorchFolder& torch) {
    const nlohmann::json record = {{"format", 1}, {"torch_version", torch.version}, {"variant", torch.variant}, {"libtorch", torch.folder.string()}};
    auto file = AtomicFile::create(path, true);
    if (!file) return tl::unexpected(file.error());
    if (auto written = file->write(asBytes(record.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n")); !written) return written;
    return file->commit();
}

}  // namespace

Result<EngineInfo> installEngine(const LibTorchWish& wish, const CancelToken& cancel, const ProgressSink& progress) {
    report(progress, {"looking for LibTorch", 0, 0, Progress::Unit::None, {}});
    const auto torch = findLibTorch(wish, cancel);
    if (!torch) return tl::unexpected(torch.error());
    const std::string name = torch->variant.empty() ? torch->version : torch->version + "+" + torch->variant;
    const std::string forTorch = fmt::format("for LibTorch {}", name);
    report(progress, {"looking for LibTorch", 0, 0, Progress::Unit::None, fmt::format("LibTorch {} in {}", name, torch->folder.string())});
    const auto sources = findResource("worker/CMakeLists.txt");
    if (!sources) {
        return fail({ErrorKind::System, "engine.no-sources", "The sources of the run engine are missing.", "worker/CMakeLists.txt",
                     "They are part of pt2scope's resources (share/pt2scope/worker).",
                     "Install pt2scope again, or name its resources folder in PT2SCOPE_RESOURCES."});
    }
    const auto tools = findTools();
    if (!tools) return tl::unexpected(tools.error());
    const fs::path engines = engineFolder();
    if (engines.empty()) {
        return fail({ErrorKind::System,
                     "engine.no-home",
                     "There is no folder to put the run engine into.",
                     {},
                     "Neither XDG_DATA_HOME nor HOME names an absolute folder.",
                     "Set HOME or XDG_DATA_HOME."});
    }
    // Before minutes of work: whether the result can be kept.
    const fs::path home = engines / (torch->variant.empty() ? torch->version : torch->version + "-" + torch->variant);
    std::error_code code;
    fs::create_directories(home, code);
    if (code) return tl::unexpected(systemError("Cannot make the folder for the run engine.", home.string(), code.value()));
    const fs::path place = home / "pt2-worker";
    const auto removeEmpty = [&home] {
        std::error_code ignored;
        fs::remove(home, ignored);  // only when nothing is in it
    };
    if (auto writable = checkOutputPlace(place, true); !writable) return tl::unexpected(writable.error());
    auto job = JobFolder::create(kBuildSpace);
    if (!job) {
        removeEmpty();
        Error error = job.error();
        if (error.code == "python.no-space") error.code = "engine.no-space";
        return fail(std::move(error));
    }

    const fs::path tree = job->path() / "build";
    Build build(engines, cancel, progress);
    const unsigned compilers = std::clamp(std::thread::hardware_concurrency(), 1U, kMostCompilers);
    std::vector<std::string> options = {"-S",
                                        sources->parent_path().string(),
                                        "-B",
                                        tree.string(),
                                        "-G",
                                        tools->generator,
                                        "-DCMAKE_BUILD_TYPE=Release",
                                        "-DLIBTORCH=" + torch->folder.string()};
    if (!tools->compiler.empty()) options.push_back("-DCMAKE_CXX_COMPILER=" + tools->compiler);
    Status made = build.run("configuring " + forTorch, "CMake", {tools->cmake, std::move(options), {{"TMPDIR", job->path().string()}}, {}});
    if (made) {
        made = build.run("compiling " + forTorch, "the compiler",
                         {tools->cmake,
                          {"--build", tree.string(), "--target", "pt2-worker", "--parallel", std::to_string(compilers)},
                          {{"TMPDIR", job->path().string()}},
                          {}});
    }
    if (!made) {
        removeEmpty();
        return tl::unexpected(made.error());
    }
    report(progress, {"trying the run engine", 0, 0, Progress::Unit::None, {}});
    auto info = describeWorker((tree / "pt2-worker").string(), cancel);
    if (info && !info->problem.empty()) {
        info = fail({ErrorKind::CannotRun, "engine.unusable", "The run engine was built, but it does not work here.", torch->folder.string(),
                     info->problem, "Check that this LibTorch works on this machine, or name another one."});
    }
    if (!info) {
        removeEmpty();
        return info;
    }
    if (auto recorded = writeRecord(home / "engine.json", *torch); !recorded) return tl::unexpected(recorded.error());
    if (auto placed = putInPlace(tree / "pt2-worker", place); !placed) return tl::unexpected(placed.error());
    info->workerPath = place.string();
    return info;
}

}  // namespace pt2

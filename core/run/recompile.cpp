#include "core/run/recompile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <system_error>

#include "core/archive/writer.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/run/job_folder.h"
#include "core/run/known_refusals.h"
#include "core/run/program_copy.h"
#include "core/run/protocol.h"
#include "core/run/python_session.h"

namespace pt2 {

namespace {

constexpr std::uint64_t kMostWeightBytes = std::uint64_t{1} << 56;

namespace fs = std::filesystem;

constexpr std::string_view kCompiledFolder = "data/aotinductor/";

struct Job {
    std::vector<std::string> models;
    std::shared_ptr<const Package> package;  ///< holds all programs of the job
    std::uint64_t weightBytes = 0;
};

Result<Job> chooseModels(const Document& document, const RecompileRequest& request) {
    Job job;
    for (const std::string& name : request.models) {
        auto resolved = document.resolveModel(name);
        if (!resolved) return tl::unexpected(resolved.error());
        if (std::find(job.models.begin(), job.models.end(), *resolved) == job.models.end()) job.models.push_back(*resolved);
    }
    if (request.models.empty()) {
        for (const std::string& name : document.modelNames()) {
            if (document.program(name)) job.models.push_back(name);
        }
    }
    if (job.models.empty()) {
        return fail({ErrorKind::CannotRun,
                     "recompile.no-program",
                     "There is no program to compile.",
                     {},
                     "The file holds compiled models only.",
                     "Attach the .pt2 that holds the program with --with, or export it again."});
    }
    std::set<MemberIndex> records;
    for (const std::string& name : job.models) {
        const Document::ProgramRef ref = document.program(name);
        if (!ref || !ref.entry->program) {
            return fail({ErrorKind::CannotRun,
                         "recompile.no-program",
                         fmt::format("\"{}\" has no readable program to compile.", escapeForDisplay(name)),
                         {},
                         {},
                         "Attach the .pt2 that holds the program with --with."});
        }
        if (job.package && job.package != ref.package) {
            return fail({ErrorKind::Usage,
                         "recompile.two-files",
                         "The programs are in two files.",
                         {},
                         "One run compiles the programs of one file.",
                         "Name the models of one file with --model."});
        }
        job.package = ref.package;
        for (const auto* list : {&ref.entry->weights, &ref.entry->constants}) {
            for (const WeightEntry& weight : *list) {
                if (weight.member) records.insert(*weight.member);
            }
        }
    }
    for (const MemberIndex member : records) {
        // Sizes of a file may be lies; what is too large for 64 bits is refused for lack of room.
        if (!addSafe(job.weightBytes, job.package->archive().members()[member].size, job.weightBytes)) job.weightBytes = kMostWeightBytes;
        job.weightBytes = std::min(job.weightBytes, kMostWeightBytes);
    }
    return job;
}

Status checkRefusals(const Document& document, const Job& job) {
    for (const std::string& name : job.models) {
        const auto reasons = knownRefusals(*document.program(name).entry->program);
        if (reasons.empty()) continue;
        return fail({ErrorKind::CannotRun,
                     "recompile.refused",
                     fmt::format("AOTInductor does not compile \"{}\".", escapeForDisplay(name)),
                     {},
                     join(reasons, " "),
                     "Change the model and export it again."});
    }
    return {};
}

/// The copies are scanned again when they are made; this says it before a Python is looked for and large weights are copied.
Status checkPickles(const Document& document, const Job& job, bool trust) {
    for (const std::string& name : job.models) {
        if (trust) break;
        auto unsafe = unsafeGlobals(document, name);
        if (!unsafe) return tl::unexpected(unsafe.error());
        if (!unsafe->empty()) return fail(unsafePickle(name, *unsafe));
    }
    return {};
}

Status checkOutput(const fs::path& output, const RecompileRequest& request, const Job& job) {
    if (output.extension() != ".pt2") {
        return fail({ErrorKind::Usage, "recompile.extension", fmt::format("The output \"{}\" does not end in .pt2.", output.string()),
                     output.string(), "torch.export and AOTInductor expect that ending.", "Choose a name such as model.pt2."});
    }
    if (Status place = checkOutputPlace(output, request.force); !place) return place;
    if (job.package->archive().kind() == ContainerKind::ExportZip && !request.compiledOnly) {
        return fail({ErrorKind::CannotRun, "recompile.old-archive",
                     "A program saved by torch before 2.8 cannot share an archive with a compiled model.", job.package->archive().path().string(),
                     "Its container has no place for compiled members.",
                     "Write the compiled model alone with --compiled-only, and open both with --with."});
    }
    const std::uint64_t needed = job.weightBytes + (request.compiledOnly ? 0 : job.package->archive().fileSize()) + 8'000'000;
    const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    std::error_code code;
    const fs::space_info space = fs::space(folder, code);
    if (!code && space.available < needed) {
        return fail({ErrorKind::System, "recompile.no-space", fmt::format("There is not enough room in \"{}\".", folder.string()), folder.string(),
                     fmt::format("About {} are needed and {} are free.", formatBytes(needed), formatBytes(space.available)),
                     "Make room, or choose another folder."});
    }
    return {};
}

/// The first complaint of compiler or linker in torch's message about a failed compile: not collect2's, which only counts.
std::string firstCompilerError(const std::string& message) {
    std::string linker, last;
    for (const std::string_view line : splitView(message, '\n')) {
        const auto has = [line](std::string_view words) { return line.find(words) != std::string_view::npos; };
        if (has("collect2:")) {
            last = line;
        } else if (has("error:")) {
            return std::string(line);
        } else if (linker.empty() && (has("undefined reference") || has("ld: "))) {
            linker = line;
        }
    }
    return linker.empty() ? last : linker;
}

/// torch's reason without its hints about debugging torch itself.
std::string reasonOf(const std::string& message) {
    std::string reason;
    for (const std::string_view line : splitView(message, '\n')) {
        if (line.starts_with("Set TORCHDYNAMO_VERBOSE") || line.starts_with("Set TORCH_LOGS") ||
            line.find("<CREATE_ISSUE_LINK>") != std::string_view::npos)
            continue;
        if (reason.empty() && line.empty()) continue;
        if (!reason.empty()) reason += '\n';
        reason += line;
        if (reason.size() > 2000) break;
    }
    while (!reason.empty() && reason.back() == '\n') reason.pop_back();
    return escapeForDisplay(reason);
}

/// The last frame of torch's own code, for failures that carry no words ("AssertionError").
std::string lastFrame(const std::string& trace) {
    std::string frame;
    const auto lines = splitView(trace, '\n');
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        const std::size_t file = lines[i].find("File \"");
        if (file == std::string_view::npos) continue;
        std::string_view code = lines[i + 1];
        while (!code.empty() && code.front() == ' ') code.remove_prefix(1);
        if (code.empty() || code.front() == '^') continue;
        frame = fmt::format("It failed at: {}", code);
    }
    return escapeForDisplay(frame);
}

Error compileError(const nlohmann::json& answer, const std::string& model, const std::string& stage) {
    Error error = errorFromAnswer(answer, stage.empty() ? "compiling" : stage);
    const nlohmann::json detail = answer.value("error", nlohmann::json::object());
    const std::string kind = textOf(detail, "kind"), message = textOf(detail, "message"), type = textOf(detail, "type");
    if (kind == "no-compiler") {
        return {ErrorKind::System,
                "recompile.no-compiler",
                "No working C++ compiler was found.",
                {},
                reasonOf(message),
                "Install one (Debian: apt install g++), or name it in the variable CXX."};
    }
    if (kind == "compiler") {
        const std::string first = firstCompilerError(message);
        return {ErrorKind::System,
                "recompile.compiler",
                fmt::format("The C++ compiler refused the code generated for \"{}\".", escapeForDisplay(model)),
                {},
                first.empty() ? reasonOf(message) : escapeForDisplay(first),
                "The log has the compiler's whole output (pt2 recompile --json prints it). A compiler that torch supports helps: g++ 11 or later."};
    }
    if (kind != "torch") return error;
    error.code = "recompile.refused";
    error.what = stage == "loading the program" ? fmt::format("torch cannot load \"{}\".", escapeForDisplay(model))
                                                : fmt::format("AOTInductor does not compile \"{}\".", escapeForDisplay(model));
    error.why = reasonOf(type + ": " + message);
    // Some assertions of torch have no words of their own.
    if (const std::string own = reasonOf(message); own.empty() || own.back() == ':') error.why += " " + lastFrame(textOf(detail, "trace"));
    error.help = "The reason is torch's own; the log says more. Changing the model and exporting it again may help.";
    return error;
}

struct CompiledPackage {
    std::string model;
    std::shared_ptr<const Archive> archive;
};

/// What one member of a compiled package is called in the output.
std::string nameInOutput(std::string_view name, const std::string& model) {
    constexpr std::string_view from = "data/aotinductor/model/";
    if (!name.starts_with(from)) return std::string(name);
    return fmt::format("{}{}/{}", kCompiledFolder, model, name.substr(from.size()));
}

bool isMarker(std::string_view name) {
    return name == "archive_format" || name == "archive_version" || name == "byteorder" || name == "version" || name.starts_with(".data/");
}

class OutputWriter {
public:
    OutputWriter(ArchiveWriter writer, const CancelToken& cancel) : writer_(std::move(writer)), cancel_(cancel) {}

    Status copy(const Archive& from, MemberIndex member, const std::string& name) {
        if (cancel_.requested()) return cancelled();
        const Member& m = from.members()[member];
        const auto known = written_.find(name);
        if (known != written_.end()) {
            // Objects that several models share come once.
            if (known->second == std::pair(m.crc32, m.size)) return {};
            return fail({ErrorKind::CannotRun,
                         "recompile.name-taken",
                         fmt::format("The compiled model and the file both have a member \"{}\".", escapeForDisplay(name)),
                         {},
                         "Program and compiled model keep different data under one name.",
                         "Write the compiled model alone with --compiled-only."});
        }
        written_.emplace(name, std::pair(m.crc32, m.size));
        return writer_.copy(from, member, name, cancel_);
    }
    Status finish() { return writer_.finish(); }

private:
    ArchiveWriter writer_;
    const CancelToken& cancel_;
    std::map<std::string, std::pair<std::uint32_t, std::uint64_t>> written_;
};

/// Copies members of the source that `wanted` accepts, by name below the root.
template <typename Wanted>
Status copyWhere(OutputWriter& out, const Archive& source, Wanted&& wanted) {
    for (MemberIndex i = 0; i < source.members().size(); ++i) {
        const std::string name(source.nameBelowRoot(i));
        if (source.members()[i].isDirectory || name.empty() || isMarker(name) || !wanted(name)) continue;
        if (auto copied = out.copy(source, i, name); !copied) return copied;
    }
    return {};
}

/// Members in torch's order of records (format.md 1.3): programs, compiled models, their weights, extra files, markers.
Status writeOutput(const Archive& source, const std::vector<CompiledPackage>& compiled, const fs::path& output, const RecompileRequest& request,
                   const CancelToken& cancel) {
    std::string root = request.compiledOnly ? std::string() : source.root();
    if (root.empty() || !isSafeMemberName(root)) root = output.stem().string();
    if (!isSafeMemberName(root)) root = "archive";
    auto writer = ArchiveWriter::create(output, root, request.force);
    if (!writer) return tl::unexpected(writer.error());
    OutputWriter out(std::move(*writer), cancel);
    const auto isProgram = [](const std::string& name) {
        for (const std::string_view folder : {"models/", "data/weights/", "data/constants/", "data/sample_inputs/"}) {
            if (name.starts_with(folder)) return true;
        }
        return false;
    };
    const auto isReplaced = [&compiled](const std::string& name) {
        return std::any_of(compiled.begin(), compiled.end(),
                           [&name](const CompiledPackage& c) { return name.starts_with(fmt::format("{}{}/", kCompiledFolder, c.model)); });
    };
    const auto isCompiled = [](const std::string& name) { return name.starts_with(kCompiledFolder); };
    if (!request.compiledOnly) {
        if (auto copied = copyWhere(out, source, isProgram); !copied) return copied;
        auto kept = copyWhere(out, source, [&](const std::string& name) { return isCompiled(name) && !isReplaced(name); });
        if (!kept) return kept;
    }
    for (const bool libraries : {true, false}) {
        for (const CompiledPackage& c : compiled) {
            for (MemberIndex i = 0; i < c.archive->members().size(); ++i) {
                const std::string name(c.archive->nameBelowRoot(i));
                if (c.archive->members()[i].isDirectory || !name.starts_with("data/") || isCompiled(name) != libraries) continue;
                if (auto copied = out.copy(*c.archive, i, nameInOutput(name, c.model)); !copied) return copied;
            }
        }
    }
    if (!request.compiledOnly) {
        auto rest = copyWhere(out, source, [&](const std::string& name) { return !isProgram(name) && !isCompiled(name); });
        if (!rest) return rest;
    }
    return out.finish();
}

const char* placeName(ConstantsPlace place) {
    switch (place) {
        case ConstantsPlace::Disk: return "disk";
        case ConstantsPlace::None: return "none";
        default: return "library";
    }
}

/// What cannot be asked for together, said before anything is looked for.
Status checkOptions(const RecompileRequest& request) {
    const auto refuse = [](std::string what, std::string help) {
        return fail({ErrorKind::Usage, "recompile.options", std::move(what), {}, {}, std::move(help)});
    };
    if (request.discardParameters && !request.freezing) return refuse("Parameters are discarded by freezing only.", "Add --freezing.");
    if (request.minify && request.keepOnFailure.empty()) return refuse("The minifier's files need a folder.", "Add --keep-on-failure DIR.");
    const auto& names = cpuIsaNames();
    if (!request.cpuIsa.empty() && std::find(names.begin(), names.end(), request.cpuIsa) == names.end()) {
        return refuse("\"" + escapeForDisplay(request.cpuIsa) + "\" is no instruction set that AOTInductor makes code for.",
                      "There are " + join(names, ", ") + ".");
    }
    if (request.keepOnFailure.empty()) return {};
    std::error_code code;
    if (fs::exists(request.keepOnFailure, code) && (!fs::is_directory(request.keepOnFailure, code) || !fs::is_empty(request.keepOnFailure, code))) {
        return refuse("The folder for what a failure leaves is not empty.", "Name a new one.");
    }
    return {};
}

/// Copies what the compilation left: programs, sources, log, settings, and the script that does it again.
Status keepFailure(const fs::path& work, const fs::path& target, const Error& error, const std::string& log) {
    std::error_code code;
    fs::create_directories(target, code);
    for (const fs::directory_entry& entry : fs::directory_iterator(work, code)) {
        if (code) break;
        const std::string name = entry.path().filename().string();
        if (name == "pt2scope_helper.py") continue;
        fs::copy(entry.path(), target / name, fs::copy_options::recursive | fs::copy_options::skip_symlinks, code);
        if (code) break;
    }
    if (code) return fail(systemError("What the failed compilation left could not be kept.", target.string(), code.value()));
    auto file = AtomicFile::create(target / "failure.txt", true);
    if (!file) return fail(file.error());
    const std::string text = error.what + "\n\n" + error.why + "\n\n" + error.help + "\n\n--- log\n" + log + "\n";
    if (auto written = file->write(asBytes(text)); !written) return written;
    return file->commit();
}

nlohmann::json compileMessage(const RecompileRequest& request, const fs::path& program, const fs::path& package, bool several,
                              const std::vector<std::pair<std::string, std::string>>& environment) {
    nlohmann::json message = {{"do", "compile"},
                              {"archive", program.string()},
                              {"package", package.string()},
                              {"device", request.device},
                              {"max_autotune", request.maxAutotune},
                              {"freezing", request.freezing},
                              {"discard_parameters", request.discardParameters},
                              {"cpp_only", request.cppOnly},
                              {"constants", placeName(request.constants)},
                              {"cpu_isa", request.cpuIsa},
                              {"minify", request.minify},
                              {"several", several},
                              {"config", request.config}};
    if (!environment.empty()) {
        const nlohmann::json recorded(std::map<std::string, std::string>(environment.begin(), environment.end()));
        message["metadata"] = {{"pt2scope.environment", recorded.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)}};
    }
    return message;
}

}  // namespace

const std::vector<std::string>& cpuIsaNames() {
    static const std::vector<std::string> names = {"avx512", "avx2", "neon", "sve256", "scalar"};
    return names;
}

Result<RecompileReport> recompile(const Document& document, const fs::path& output, const RecompileRequest& request, const CancelToken& cancel,
                                  const ProgressSink& progress) {
    const auto begin = std::chrono::steady_clock::now();
    if (auto checked = checkOptions(request); !checked) return tl::unexpected(checked.error());
    auto job = chooseModels(document, request);
    if (!job) return tl::unexpected(job.error());
    if (auto checked = checkOutput(output, request, *job); !checked) return tl::unexpected(checked.error());
    if (auto checked = checkRefusals(document, *job); !checked) return tl::unexpected(checked.error());
    if (auto safe = checkPickles(document, *job, request.trust); !safe) return tl::unexpected(safe.error());
    auto python = findPython(request.python, cancel);
    if (!python) return tl::unexpected(python.error());
    // The copy for Python, the constants object, the library and the package all hold the weights.
    auto work = JobFolder::create(5 * job->weightBytes + 200'000'000);
    if (!work) return tl::unexpected(work.error());
    std::vector<fs::path> copies;
    for (std::size_t i = 0; i < job->models.size(); ++i) {
        report(progress, {"preparing a copy for Python", i, job->models.size(), Progress::Unit::Steps, {}});
        auto copy = copyForPython(document, job->models[i], request.trust, work->path() / fmt::format("program_{}", i), cancel);
        if (!copy) return tl::unexpected(copy.error());
        copies.push_back(std::move(*copy));
    }
    RecompileReport result;
    result.output = output;
    result.models = job->models;
    result.inheritedEnvironment = compilerEnvironment(request.environment);
    auto helper = startHelper(*python, work->path(), request.environment, cancel, progress);
    if (!helper) return tl::unexpected(helper.error());
    std::vector<CompiledPackage> compiled;
    for (std::size_t i = 0; i < job->models.size(); ++i) {
        const std::string& model = job->models[i];
        std::string stage;
        const ProgressSink named = [&](const Progress& p) {
            stage = p.stage;
            if (!progress) return;
            Progress shown = p;
            if (job->models.size() > 1) shown.stage = escapeForDisplay(model) + ": " + p.stage;
            progress(shown);
        };
        const fs::path package = work->path() / fmt::format("compiled_{}.pt2", i);
        auto answer =
            helper->request(compileMessage(request, copies[i], package, job->models.size() > 2, result.inheritedEnvironment), cancel, named);
        if (!answer) return tl::unexpected(answer.error());
        if (!flagOf(*answer, "ok")) {
            Error error = compileError(*answer, model, stage);
            if (!request.keepOnFailure.empty()) {
                const Status kept = keepFailure(work->path(), request.keepOnFailure, error, helper->log());
                error.help += kept ? " What it left is in " + escapeForDisplay(request.keepOnFailure.string()) + "; reproduce_" + std::to_string(i) +
                                         ".py there does it again."
                                   : " " + kept.error().what + " " + kept.error().why;
            }
            return fail(std::move(error));
        }
        Issues issues;
        auto archive = Archive::open(package, issues);
        if (!archive) return tl::unexpected(archive.error());
        for (const Member& member : (*archive)->members()) {
            const std::string_view name = member.name;
            if (name.size() > 3 && name.substr(name.size() - 3) == ".so") result.libraryBytes += member.size;
        }
        compiled.push_back({model, std::move(*archive)});
    }
    report(progress, {"writing the archive", 0, 0, Progress::Unit::None, {}});
    if (auto written = writeOutput(job->package->archive(), compiled, output, request, cancel); !written) return tl::unexpected(written.error());
    result.log = helper->log();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace pt2

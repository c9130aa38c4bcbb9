#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/compiled/compiled_model.h"
#include "core/program/program.h"
#include "core/tensor/pickle.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// One entry of a weights or constants config (format.md 1.3, 3): where a parameter, buffer or constant lies.
struct WeightEntry {
    std::string fqn;
    std::optional<MemberIndex> member;  ///< its record; shared by tied weights and views
    TensorLayout layout;                ///< empty dtype for objects
    bool isParameter = false;
    bool requiresGrad = false;
    bool usePickle = false;    ///< tensor subclass or object
    bool isObject = false;     ///< custom_obj or opaque_obj record
    std::string pathName;      ///< "weight_0"; in a torch.save record the key of its storage
    bool inTorchSave = false;  ///< one tensor of a torch.save record that holds them all (torch 2.8 and before, format.md 3.3)
};

/// One ExportedProgram of a package with what belongs to it.
struct ProgramEntry {
    std::string name;  ///< "model"
    MemberIndex member = 0;
    std::shared_ptr<const Program> program;  ///< null when it could not be read; the issue says why
    std::vector<WeightEntry> weights;        ///< in config order
    std::vector<WeightEntry> constants;
    std::optional<MemberIndex> sampleInputs;
    const WeightEntry* findWeight(std::string_view fqn) const;  ///< among weights, then constants
};

/// One opened file; immutable, shared, thread-safe to read. Opening reads directory, program JSON, small JSON members and C++ sources, never a
/// weight.
class Package {
public:
    static Result<std::shared_ptr<const Package>> open(const std::filesystem::path& path, const CancelToken& cancel = {},
                                                       const ProgressSink& progress = {});
    /// The same of an archive that is open already; `issues` are those of opening it.
    static Result<std::shared_ptr<const Package>> read(std::shared_ptr<const Archive> archive, Issues issues, const CancelToken& cancel = {},
                                                       const ProgressSink& progress = {});

    const Archive& archive() const { return *archive_; }
    std::shared_ptr<const Archive> archivePointer() const { return archive_; }
    const std::string& archiveVersion() const { return archiveVersion_; }
    const std::string& byteorder() const { return byteorder_; }
    const std::vector<ProgramEntry>& programs() const { return programs_; }
    const std::vector<CompiledModel>& compiledModels() const { return compiled_; }
    /// extra/NAME → size.
    const std::map<std::string, std::uint64_t>& extraFiles() const { return extraFiles_; }
    const Issues& issues() const { return issues_; }
    /// Members that nothing in the archive refers to, ascending (core/package/unused_members.h).
    const std::vector<MemberIndex>& unusedMembers() const { return unused_; }

    /// The tensor of a weight, its whole storage read; Unreadable when the record is short. Pickled entries are taken apart as data.
    Result<Tensor> loadWeight(const WeightEntry& weight) const;
    /// Sample inputs of a program as a tree of data with tensors; CannotRun-free: a missing or empty record is "no sample inputs" (Usage).
    Result<TorchSaveFile> loadSampleInputs(const ProgramEntry& entry) const;

private:
    std::shared_ptr<const Archive> archive_;
    std::string archiveVersion_, byteorder_;
    std::vector<ProgramEntry> programs_;
    std::vector<CompiledModel> compiled_;
    std::map<std::string, std::uint64_t> extraFiles_;
    Issues issues_;
    std::vector<MemberIndex> unused_;
    std::map<MemberIndex, std::shared_ptr<const TorchSaveFile>> torchSaves_;
    friend class PackageReader;
};

/// What every page and command works on: a program and its compiled model, in one file or two (`--with OTHER.pt2`).
struct Document {
    std::shared_ptr<const Package> primary;   ///< the opened file
    std::shared_ptr<const Package> attached;  ///< the second one, or null

    static Result<Document> open(const std::filesystem::path& path, const std::filesystem::path& with = {}, const CancelToken& cancel = {},
                                 const ProgressSink& progress = {});

    struct ProgramRef {
        std::shared_ptr<const Package> package;
        const ProgramEntry* entry = nullptr;
        explicit operator bool() const { return entry != nullptr; }
    };
    struct CompiledRef {
        std::shared_ptr<const Package> package;
        const CompiledModel* model = nullptr;
        explicit operator bool() const { return model != nullptr; }
    };
    /// Names of all models, programs first, each once.
    std::vector<std::string> modelNames() const;
    /// "model" if it exists, else the only one, else the first.
    std::string defaultModel() const;
    ProgramRef program(std::string_view model) const;
    CompiledRef compiled(std::string_view model) const;
    /// The model named, or the default for ""; Usage error with the names that exist.
    Result<std::string> resolveModel(std::string_view name) const;
    Issues issues() const;
};

}  // namespace pt2

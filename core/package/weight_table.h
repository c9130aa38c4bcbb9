#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/compiled/constant_reader.h"
#include "core/package/package.h"
#include "core/tensor/statistics.h"
#include "core/tensor/tensor.h"
#include "core/tensor/tensor_source.h"

namespace pt2 {

enum class WeightKind : std::uint8_t { Parameter, Buffer, TransientBuffer, Constant, FoldedConstant, Object };
const char* weightKindName(WeightKind kind);  ///< "parameter", "buffer", "buffer, not persistent", "constant", "folded constant", "object"

/// One weight, buffer or constant of a model and how it is stored. Nothing of its values has been read.
struct WeightRow {
    static constexpr std::size_t kNoStorage = static_cast<std::size_t>(-1);

    std::string name;  ///< FQN
    WeightKind kind = WeightKind::Parameter;
    TensorLayout layout;  ///< dtype Unknown: an object, or a meta that could not be read
    std::uint64_t elements = 0, bytes = 0;
    bool requiresGrad = false;
    bool used = true;                  ///< an operator reads it, or it is an output; true where the program is not known
    bool isSubclass = false;           ///< a tensor subclass, stored as a pickle of its parts
    std::string member;                ///< full name of the record that holds it; empty when there is none
    std::optional<MemberIndex> index;  ///< the same
    std::string record;                ///< path_name of the config, or the key of its storage in a torch.save record
    std::uint64_t storageBytes = 0;    ///< of the storage it lies in; views and tied weights share one
    std::size_t storage = kNoStorage;  ///< number of the storage; rows of equal numbers share it
    std::string problem;               ///< why it cannot be read; empty when it can
    std::string place;                 ///< of a compiled constant, as constantPlace has it; empty for a program's
};
/// Where a compiled constant lies: "in the library", "beside the library", "absent", "computed when loaded", "not known".
const char* constantPlace(const CompiledConstant& constant);

/// Part of a tensor as a plane of its last two dimensions: `lead` fixes the others, then rows and columns from a place on.
struct WeightWindow {
    std::vector<std::int64_t> lead;
    std::int64_t row = 0, column = 0, rows = 8, columns = 8;
};

/// Another row over the same storage: with the same layout it is tied, else a view.
struct SharedWith {
    std::size_t row = 0;
    bool tied = false;
};

/// A tensor inside a tensor subclass: "qdata", "scale", "zero_point" of a quantized weight.
struct WeightPart {
    std::string name;
    Tensor tensor;
};

struct WeightTotals {
    std::uint64_t weights = 0, elements = 0;
    std::uint64_t bytes = 0;        ///< of all tensors, shared ones counted each time
    std::uint64_t storedBytes = 0;  ///< of all storages, each once
    std::uint64_t storages = 0;
};

/// All weights of one model of a document: those of its program, else the constants of its compiled model. Immutable; holds the package; every
/// method may be called from any thread.
class WeightTable {
public:
    /// Usage error when the model has neither program nor compiled model.
    static Result<std::shared_ptr<const WeightTable>> make(const Document& document, const std::string& model);

    const std::string& model() const { return model_; }
    bool ofProgram() const { return entry_ != nullptr; }
    const std::shared_ptr<const Package>& package() const { return package_; }
    const std::vector<WeightRow>& rows() const { return rows_; }
    const WeightTotals& totals() const { return totals_; }
    std::optional<std::size_t> find(std::string_view name) const;
    std::vector<std::string> names() const;
    /// The other rows over the row's storage, in order.
    std::vector<SharedWith> sharing(std::size_t row) const;

    /// The elements in row-major order, in pieces of whole elements.
    Status stream(std::size_t row, const std::function<Status(Bytes)>& sink, const CancelToken& cancel = {}) const;
    /// The whole tensor in memory.
    Result<Tensor> load(std::size_t row) const;
    /// At most `count` elements from a row-major place on, without reading the rest where the record allows it.
    Result<Tensor> elements(std::size_t row, std::uint64_t first, std::uint64_t count) const;
    /// A window as a tensor [rows, columns], cut at the tensor's ends; a scalar is [1, 1] and a vector [1, columns]. Reads no more than it shows
    /// where the record allows it.
    Result<Tensor> window(std::size_t row, const WeightWindow& window) const;
    /// Whether a window costs no more than its elements: false for strided weights, pickles and deflated records, which are read whole.
    bool windowIsCheap(std::size_t row) const;
    /// The tensors inside a tensor subclass; reads its record.
    Result<std::vector<WeightPart>> parts(std::size_t row) const;
    /// For saving; the parts of a subclass come as NAME.PART, objects are left out with a note.
    Result<NamedSources> sources(const std::vector<std::size_t>& rows, std::vector<std::string>& notes, const CancelToken& cancel = {},
                                 const ProgressSink& progress = {}) const;

private:
    void addProgramRows();
    void addCompiledRows();
    void addTotals();
    const WeightEntry& entryOf(std::size_t row) const;

    std::string model_;
    std::shared_ptr<const Package> package_;
    const ProgramEntry* entry_ = nullptr;      ///< in package_; null: compiled constants
    const CompiledModel* compiled_ = nullptr;  ///< in package_
    std::unique_ptr<ConstantReader> constants_;
    std::vector<WeightRow> rows_;
    std::vector<std::vector<std::size_t>> byStorage_;  ///< rows of each storage
    std::vector<WeightEntry> missing_;                 ///< weights of the signature that no list names
    WeightTotals totals_;
};

/// Statistics and a histogram of one weight, streamed; with `bins` 0 no histogram is made and the weight is read once.
struct WeightPicture {
    TensorStatistics statistics;
    Histogram histogram;
    std::string sha256;  ///< of the elements, row-major
};
Result<WeightPicture> pictureOf(const WeightTable& table, std::size_t row, std::size_t bins, const CancelToken& cancel = {},
                                const ProgressSink& progress = {});

/// Writes rows to a .safetensors, .npz, .npy (one tensor) or .pt file, by the name's end; Usage error for others. `notes` says what a reader has to
/// know: dtypes the format lacks, objects left out.
Status saveWeights(const WeightTable& table, const std::vector<std::size_t>& rows, const std::filesystem::path& path, bool force,
                   std::vector<std::string>& notes, const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2

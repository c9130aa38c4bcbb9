#include "core/package/weight_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/package/weight_stream.h"

namespace pt2 {

namespace {

/// A weight of the signature: kind, and whether anything of the program reads it.
struct SignatureFact {
    WeightKind kind = WeightKind::Parameter;
    bool used = true;
};

std::map<std::string_view, SignatureFact> signatureFacts(const Program& program) {
    std::map<std::string_view, SignatureFact> facts;
    std::set<std::string_view> mutated;
    for (const OutputSpec& spec : program.outputSpecs()) {
        if (spec.kind == OutputKind::BufferMutation || spec.kind == OutputKind::ParameterMutation) mutated.insert(spec.target);
    }
    for (const InputSpec& spec : program.inputSpecs()) {
        SignatureFact fact;
        switch (spec.kind) {
            case InputKind::Parameter: fact.kind = WeightKind::Parameter; break;
            case InputKind::Buffer: fact.kind = spec.persistent.value_or(true) ? WeightKind::Buffer : WeightKind::TransientBuffer; break;
            case InputKind::ConstantTensor: fact.kind = WeightKind::Constant; break;
            case InputKind::CustomObj: fact.kind = WeightKind::Object; break;
            default: continue;
        }
        const ValueId value = spec.argument < program.arguments().size() ? program.argument(spec.argument).value : kNone;
        if (value != kNone) fact.used = program.value(value).users.size() > 0 || program.value(value).isGraphOutput;
        fact.used = fact.used || mutated.contains(spec.target);
        facts.emplace(spec.target, fact);
    }
    return facts;
}

WeightKind kindOfCompiled(const CompiledConstant& constant) {
    if (constant.fromFolded || constant.kind == "FoldedConstant") return WeightKind::FoldedConstant;
    if (constant.kind == "Parameter") return WeightKind::Parameter;
    if (constant.kind == "Buffer") return WeightKind::Buffer;
    return WeightKind::Constant;
}

void measure(WeightRow& row) {
    if (row.layout.dtype == DType::Unknown) return;
    const auto count = row.layout.elementCount();
    if (!count || !multiplySafe(*count, dtypeSize(row.layout.dtype), row.bytes)) {
        if (row.problem.empty()) row.problem = "Its shape is not one that a tensor can have.";
        row.bytes = 0;
        return;
    }
    row.elements = *count;
}

/// Tensors below a pickled subclass, each named by the keys that lead to it. Walkable trees are at most 1,000 deep, yet no recursion follows them.
std::vector<std::pair<std::string, const PickleNode*>> tensorsBelow(const PickleNode& root) {
    constexpr std::size_t kMostVisits = 100000;
    std::vector<std::pair<std::string, const PickleNode*>> found, open{{std::string(), &root}};
    for (std::size_t visits = 0; !open.empty() && visits < kMostVisits; ++visits) {
        auto [path, node] = std::move(open.back());
        open.pop_back();
        if (node->kind == PickleNode::Kind::Tensor) {
            found.emplace_back(std::move(path), node);
            continue;
        }
        const bool isDict = node->kind == PickleNode::Kind::Dict;
        for (std::size_t i = node->children.size(); i-- > 0;) {
            if (!node->children[i] || (isDict && i % 2 == 0)) continue;
            std::string name = path;
            if (isDict && node->children[i - 1] && node->children[i - 1]->kind == PickleNode::Kind::String) {
                name += (name.empty() ? "" : ".") + node->children[i - 1]->text;
            }
            open.emplace_back(std::move(name), node->children[i].get());
        }
    }
    std::set<std::string> names;
    for (auto& [name, node] : found) {
        std::string base = name.empty() ? "tensor" : name;
        for (int n = 1; !names.insert(name = n == 1 ? base : fmt::format("{}_{}", base, n)).second; ++n) continue;
    }
    return found;
}

}  // namespace

const char* weightKindName(WeightKind kind) {
    switch (kind) {
        case WeightKind::Parameter: return "parameter";
        case WeightKind::Buffer: return "buffer";
        case WeightKind::TransientBuffer: return "buffer, not persistent";
        case WeightKind::Constant: return "constant";
        case WeightKind::FoldedConstant: return "folded constant";
        case WeightKind::Object: return "object";
    }
    return "constant";
}

Result<std::shared_ptr<const WeightTable>> WeightTable::make(const Document& document, const std::string& model) {
    auto table = std::make_shared<WeightTable>();
    table->model_ = model;
    if (const Document::ProgramRef program = document.program(model)) {
        table->package_ = program.package;
        table->entry_ = program.entry;
    } else {
        // A program that could not be read still has its weights.
        for (const std::shared_ptr<const Package>& package : {document.primary, document.attached}) {
            if (!package || table->entry_ != nullptr) continue;
            for (const ProgramEntry& entry : package->programs()) {
                if (entry.name != model || (entry.weights.empty() && entry.constants.empty())) continue;
                table->package_ = package;
                table->entry_ = &entry;
            }
        }
    }
    if (table->entry_ != nullptr) {
        table->addProgramRows();
    } else if (const Document::CompiledRef compiled = document.compiled(model)) {
        table->package_ = compiled.package;
        table->compiled_ = compiled.model;
        table->addCompiledRows();
    } else {
        return fail({ErrorKind::Usage,
                     "weights.no-model",
                     "There is no model \"" + model + "\" whose weights could be listed.",
                     document.primary->archive().path().string(),
                     {},
                     "pt2 inspect shows what the file holds."});
    }
    table->addTotals();
    return std::shared_ptr<const WeightTable>(table);
}

const WeightEntry& WeightTable::entryOf(std::size_t row) const {
    const std::size_t weights = entry_->weights.size(), listed = weights + entry_->constants.size();
    if (row < weights) return entry_->weights[row];
    return row < listed ? entry_->constants[row - weights] : missing_[row - listed];
}

void WeightTable::addProgramRows() {
    std::map<std::string_view, SignatureFact> signature;
    if (entry_->program) signature = signatureFacts(*entry_->program);
    const auto& members = package_->archive().members();
    for (const std::vector<WeightEntry>* list : {&entry_->weights, &entry_->constants}) {
        for (const WeightEntry& weight : *list) signature.erase(weight.fqn);
    }
    for (const auto& [name, fact] : signature) {
        WeightEntry weight;
        weight.fqn = name;
        weight.isObject = fact.kind == WeightKind::Object;
        missing_.push_back(std::move(weight));
    }
    if (entry_->program) signature = signatureFacts(*entry_->program);
    const std::size_t count = entry_->weights.size() + entry_->constants.size() + missing_.size();
    rows_.reserve(count);
    std::map<std::tuple<std::optional<MemberIndex>, std::string>, std::size_t> storages;
    for (std::size_t i = 0; i < count; ++i) {
        const WeightEntry& weight = entryOf(i);
        const bool isConstant = i >= entry_->weights.size();
        WeightRow row;
        row.name = weight.fqn;
        const auto fact = signature.find(weight.fqn);
        if (fact != signature.end()) {
            row.kind = fact->second.kind;
            row.used = fact->second.used;
        } else {
            row.kind = weight.isObject      ? WeightKind::Object
                       : isConstant         ? WeightKind::Constant
                       : weight.isParameter ? WeightKind::Parameter
                                            : WeightKind::Buffer;
            row.used = entry_->program == nullptr;
        }
        row.layout = weight.layout;
        row.requiresGrad = weight.requiresGrad;
        row.isSubclass = weight.usePickle && !weight.isObject;
        row.record = weight.pathName;
        if (!weight.member) {
            row.problem = i < entry_->weights.size() + entry_->constants.size() ? "Its record is not in the archive."
                                                                                : "The signature names it, and no record is listed for it.";
        } else {
            row.index = weight.member;
            row.member = members[*weight.member].name;
        }
        if (weight.isObject) {
            row.layout = {};
            if (row.problem.empty()) row.problem = "It is an object, not a tensor.";
        } else if (weight.layout.dtype == DType::Unknown && row.problem.empty()) {
            row.problem = "Its dtype or shape is not known.";
        }
        measure(row);
        if (row.index && row.layout.dtype != DType::Unknown) {
            const std::uint64_t size = members[*row.index].size;
            const auto needed = row.layout.requiredStorageBytes();
            if (!row.isSubclass && !weight.inTorchSave && size > 0 && (!needed || *needed > size) && row.problem.empty()) {
                row.problem = "Its record is shorter than its shape needs.";
            }
            // An empty record stands for zeros of any size, so it is no storage to share.
            if (size > 0 && (row.elements > 0 || !weight.inTorchSave)) {
                const auto key = std::tuple(row.index, weight.inTorchSave ? weight.pathName : std::string());
                row.storage = storages.emplace(key, storages.size()).first->second;
                row.storageBytes = weight.inTorchSave ? needed.value_or(0) : size;
            }
        }
        rows_.push_back(std::move(row));
    }
    // The pickle of a torch.save record names storages, not their sizes: each is at least as large as what lies in it.
    std::map<std::size_t, std::uint64_t> largest;
    for (const WeightRow& row : rows_) {
        if (row.storage != WeightRow::kNoStorage) largest[row.storage] = std::max(largest[row.storage], row.storageBytes);
    }
    for (WeightRow& row : rows_) {
        if (row.storage != WeightRow::kNoStorage) row.storageBytes = largest[row.storage];
    }
}

const char* constantPlace(const CompiledConstant& constant) {
    if (constant.fromFolded) return "computed when loaded";
    switch (constant.where) {
        case CompiledConstant::Where::Library: return "in the library";
        case CompiledConstant::Where::Beside: return "beside the library";
        case CompiledConstant::Where::Absent: return "absent";
        case CompiledConstant::Where::Unknown: break;
    }
    return "not known";
}

void WeightTable::addCompiledRows() {
    constants_ = std::make_unique<ConstantReader>(package_->archive(), *compiled_);
    for (std::size_t i = 0; i < compiled_->constants.size(); ++i) {
        const CompiledConstant& constant = compiled_->constants[i];
        WeightRow row;
        row.name = constant.fqn.empty() ? constant.name : constant.fqn;
        row.kind = kindOfCompiled(constant);
        row.layout = constants_->layout(i);
        row.index = constants_->member(i);
        if (row.index) row.member = package_->archive().members()[*row.index].name;
        row.record = constant.name;
        row.problem = constants_->whyNot(i);
        row.place = constantPlace(constant);
        measure(row);
        if (row.index) {
            row.storage = i;
            row.storageBytes = std::max(constant.dataSize, row.bytes);
        }
        rows_.push_back(std::move(row));
    }
}

void WeightTable::addTotals() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const WeightRow& row = rows_[i];
        ++totals_.weights;
        totals_.elements += row.elements;
        totals_.bytes += row.bytes;
        if (row.storage == WeightRow::kNoStorage) continue;
        if (row.storage >= byStorage_.size()) byStorage_.resize(row.storage + 1);
        byStorage_[row.storage].push_back(i);
        if (byStorage_[row.storage].size() > 1) continue;
        totals_.storedBytes += row.storageBytes;
        ++totals_.storages;
    }
}

std::optional<std::size_t> WeightTable::find(std::string_view name) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const WeightRow& row) { return row.name == name; });
    return found == rows_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - rows_.begin()));
}

std::vector<std::string> WeightTable::names() const {
    std::vector<std::string> names;
    names.reserve(rows_.size());
    for (const WeightRow& row : rows_) names.push_back(row.name);
    return names;
}

std::vector<SharedWith> WeightTable::sharing(std::size_t row) const {
    std::vector<SharedWith> others;
    const WeightRow& own = rows_[row];
    if (own.storage == WeightRow::kNoStorage) return others;
    for (const std::size_t other : byStorage_[own.storage]) {
        if (other != row) others.push_back({other, rows_[other].layout == own.layout});
    }
    return others;
}

Status WeightTable::stream(std::size_t row, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) const {
    if (constants_) return constants_->stream(row, sink, cancel);
    return streamWeight(*package_, entryOf(row), sink, cancel);
}

Result<Tensor> WeightTable::load(std::size_t row) const {
    if (constants_) return constants_->load(row);
    return package_->loadWeight(entryOf(row));
}

Result<Tensor> WeightTable::elements(std::size_t row, std::uint64_t first, std::uint64_t count) const {
    const WeightRow& own = rows_[row];
    const std::uint64_t size = dtypeSize(own.layout.dtype);
    first = std::min(first, own.elements);
    count = std::min(count, own.elements - first);
    const TensorLayout flat{own.layout.dtype, {static_cast<std::int64_t>(count)}, {1}, 0};
    ByteBuffer bytes;
    if (!constants_ && size > 0) {
        if (const auto range = contiguousRange(*package_, entryOf(row))) {
            bytes.resize(static_cast<std::size_t>(count * size));
            if (Status read = package_->archive().readAt(range->member, range->begin + first * size, bytes); !read) return fail(read.error());
            return makeTensor(flat, std::move(bytes));
        }
    }
    // What is not contiguous is streamed up to the last element asked for.
    const std::uint64_t begin = first * size, end = begin + count * size;
    std::uint64_t position = 0;
    bool enough = count == 0;
    if (!enough) {
        const Status done = stream(row, [&](Bytes piece) -> Status {
            const std::uint64_t from = std::max(begin, position), to = std::min<std::uint64_t>(end, position + piece.size());
            if (from < to) {
                const Bytes part = piece.subspan(static_cast<std::size_t>(from - position), static_cast<std::size_t>(to - from));
                bytes.insert(bytes.end(), part.begin(), part.end());
            }
            position += piece.size();
            enough = position >= end;
            return enough ? Status(cancelled()) : Status();
        });
        if (!done && !enough) return fail(done.error());
    }
    return makeTensor(flat, std::move(bytes));
}

Result<Tensor> WeightTable::window(std::size_t row, const WeightWindow& window) const {
    const WeightRow& own = rows_[row];
    const std::vector<std::int64_t>& sizes = own.layout.sizes;
    const std::size_t rank = sizes.size();
    const std::int64_t allRows = rank < 2 ? 1 : sizes[rank - 2], allColumns = rank < 1 ? 1 : sizes[rank - 1];
    const auto cut = [](std::int64_t from, std::int64_t count, std::int64_t all) {
        from = std::clamp<std::int64_t>(from, 0, std::max<std::int64_t>(all, 0));
        return std::pair(from, std::clamp<std::int64_t>(count, 0, all - from));
    };
    const auto [firstRow, rows] = cut(window.row, window.rows, allRows);
    const auto [firstColumn, columns] = cut(window.column, window.columns, allColumns);
    const std::size_t size = dtypeSize(own.layout.dtype);
    const bool empty = own.elements == 0 || rows == 0 || columns == 0;
    ByteBuffer bytes;
    std::uint64_t plane = 0;  // number of the plane that `lead` names
    for (std::size_t i = 0; !empty && i + 2 < rank; ++i) {
        const std::int64_t at = i < window.lead.size() ? std::clamp<std::int64_t>(window.lead[i], 0, sizes[i] - 1) : 0;
        plane = plane * static_cast<std::uint64_t>(sizes[i]) + static_cast<std::uint64_t>(at);
    }
    std::optional<Tensor> whole;
    if (!empty && !windowIsCheap(row)) {
        auto loaded = load(row);
        if (!loaded) return loaded;
        if (loaded->layout.sizes != sizes || loaded->layout.dtype != own.layout.dtype) {
            return fail({ErrorKind::Unreadable,
                         "weights.meta-differs",
                         "The weight is not what its list says.",
                         "weights/" + own.name,
                         "Its pickle holds " + tensorTypeText(loaded->layout) + ".",
                         {}});
        }
        whole = std::move(*loaded);
    }
    for (std::int64_t r = 0; !empty && r < rows; ++r) {
        const std::uint64_t first =
            (plane * static_cast<std::uint64_t>(allRows) + static_cast<std::uint64_t>(firstRow + r)) * static_cast<std::uint64_t>(allColumns) +
            static_cast<std::uint64_t>(firstColumn);
        if (!whole) {
            const auto line = elements(row, first, static_cast<std::uint64_t>(columns));
            if (!line) return line;
            bytes.insert(bytes.end(), line->storage.begin(), line->storage.end());
            continue;
        }
        for (std::int64_t c = 0; c < columns; ++c) {
            std::uint64_t at = static_cast<std::uint64_t>(whole->layout.storageOffset);
            const auto index = unravelIndex(sizes, first + static_cast<std::uint64_t>(c));
            for (std::size_t i = 0; i < rank; ++i) at += static_cast<std::uint64_t>(index[i]) * static_cast<std::uint64_t>(whole->layout.strides[i]);
            const Bytes element = whole->storage.subspan(static_cast<std::size_t>(at) * size, size);
            bytes.insert(bytes.end(), element.begin(), element.end());
        }
    }
    return makeTensor({own.layout.dtype, {empty ? 0 : rows, columns}, {columns, 1}, 0}, std::move(bytes));
}

bool WeightTable::windowIsCheap(std::size_t row) const {
    if (constants_) return rows_[row].layout.isContiguous() && rows_[row].problem.empty() && rows_[row].bytes <= (std::uint64_t{1} << 26);
    const auto range = contiguousRange(*package_, entryOf(row));
    return range && package_->archive().members()[range->member].method == 0;
}

Result<std::vector<WeightPart>> WeightTable::parts(std::size_t row) const {
    std::vector<WeightPart> parts;
    const WeightRow& own = rows_[row];
    if (!own.isSubclass || !own.index || constants_) return parts;
    Result<ByteBuffer> bytes = package_->archive().read(*own.index, std::uint64_t{1} << 40);
    if (!bytes) return fail(bytes.error());
    const Result<TorchSaveFile> file = TorchSaveFile::read(std::move(*bytes));
    if (!file) return fail(file.error());
    for (const auto& [name, node] : tensorsBelow(*file->root())) {
        auto tensor = file->tensor(*node);
        if (!tensor) return fail(tensor.error());
        parts.push_back({name, std::move(*tensor)});
    }
    return parts;
}

}  // namespace pt2

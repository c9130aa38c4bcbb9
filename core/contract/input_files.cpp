#include "core/contract/input_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/contract/tree_values.h"
#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"

namespace pt2 {
namespace {

InputFile emptyFile(const Contract& contract, std::string label) {
    InputFile file;
    file.tensors.resize(contract.inputs.size());
    file.literals.resize(contract.inputs.size());
    file.label = std::move(label);
    return file;
}

class NamedReader {
public:
    NamedReader(const Contract& contract, const NamedTensors& named) : contract_(contract), named_(named) {}

    void run(InputFile& file) {
        byName(file);
        if (used_.empty()) numbered(file, "");
        if (used_.empty()) numbered(file, "arr_");
        if (used_.empty()) numbered(file, "in_");
        if (used_.empty()) numbered(file, contract_.model + ".in_");
        for (std::size_t i = 0; i < named_.size(); ++i) {
            if (used_.count(i) == 0 && !numberedForm_) file.unknownNames.push_back(named_[i].first);
        }
    }

private:
    std::optional<std::size_t> find(const std::string& key) const {
        for (std::size_t i = 0; i < named_.size(); ++i) {
            if (named_[i].first == key) return i;
        }
        return std::nullopt;
    }

    void take(InputFile& file, std::size_t input, std::size_t entry) {
        file.tensors[input] = reinterpretStored(named_[entry].second, contract_.inputs[input].dtype);
        used_.insert(entry);
    }

    void byName(InputFile& file) {
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            const ContractInput& input = contract_.inputs[i];
            if (input.isConstant) continue;
            for (const std::string& name : {input.name, input.python, input.graphName, input.compiledName}) {
                const std::optional<std::size_t> entry = name.empty() ? std::nullopt : find(name);
                if (!entry) continue;
                take(file, i, *entry);
                break;
            }
        }
    }

    /// Numbers count the caller's flat values, or, when those do not fit, the tensors that the library takes. A file of numbers may hold other things
    /// ("out_0" beside "in_0").
    void numbered(InputFile& file, const std::string& prefix) {
        const auto complete = [&](const auto& numberOf) {
            return std::all_of(contract_.inputs.begin(), contract_.inputs.end(), [&](const ContractInput& input) {
                return input.isConstant || find(prefix + std::to_string(numberOf(input))).has_value();
            });
        };
        const auto flat = [](const ContractInput& input) { return input.flatIndex; };
        const auto tensor = [](const ContractInput& input) { return input.tensorIndex.value_or(0); };
        const bool byTensor = !complete(flat) && complete(tensor);
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            const ContractInput& input = contract_.inputs[i];
            if (input.isConstant) continue;
            const std::optional<std::size_t> entry = find(prefix + std::to_string(byTensor ? tensor(input) : flat(input)));
            if (entry) take(file, i, *entry);
        }
        numberedForm_ = !used_.empty() && !prefix.empty();
    }

    const Contract& contract_;
    const NamedTensors& named_;
    std::set<std::size_t> used_;
    bool numberedForm_ = false;
};

Result<TorchSaveFile> readTree(const std::string& path) {
    const Result<File> opened = File::openForReading(path);
    if (!opened) return fail(opened.error());
    ByteBuffer bytes(static_cast<std::size_t>(opened->size()));
    const Status read = opened->readAt(0, bytes);
    if (!read) return fail(read.error());
    return TorchSaveFile::read(std::move(bytes));
}

Status takeTree(const TorchSaveFile& saved, const Contract& contract, InputFile& file) {
    const Result<std::vector<const PickleNode*>> leaves = flattenInputs(contract, *saved.root());
    if (!leaves) return fail(leaves.error());
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        const PickleNode* leaf = (*leaves)[i];
        if (leaf == nullptr) continue;
        if (leaf->kind == PickleNode::Kind::Tensor) {
            Result<Tensor> tensor = saved.tensor(*leaf);
            if (!tensor) return fail(tensor.error());
            file.tensors[i] = std::move(*tensor);
        } else {
            file.literals[i] = literalOf(*leaf);
        }
    }
    return {};
}

}  // namespace

Tensor reinterpretStored(Tensor tensor, DType wanted) {
    const bool lacking = wanted == DType::BFloat16 || wanted == DType::Float8E4M3FN || wanted == DType::Float8E5M2 ||
                         wanted == DType::Float8E4M3FNUZ || wanted == DType::Float8E5M2FNUZ || wanted == DType::Float8E8M0FNU;
    const DType stored = tensor.layout.dtype;
    const bool raw = stored == DType::UInt8 || stored == DType::UInt16;
    if (lacking && raw && dtypeSize(stored) == dtypeSize(wanted)) tensor.layout.dtype = wanted;
    return tensor;
}

Result<InputFile> readInputFile(const std::string& path, const Contract& contract) {
    InputFile file = emptyFile(contract, "file " + std::filesystem::path(path).filename().string());
    if (path.ends_with(".npz") || path.ends_with(".safetensors")) {
        const Result<NamedTensors> named = path.ends_with(".npz") ? readNpzFile(path) : readSafetensorsFile(path);
        if (!named) return fail(named.error());
        NamedReader(contract, *named).run(file);
        const bool any = std::any_of(file.tensors.begin(), file.tensors.end(), [](const auto& tensor) { return tensor.has_value(); });
        if (!any && contract.tensorCount() > 0) {
            std::vector<std::string> names, wanted;
            for (const auto& [name, tensor] : *named) names.push_back(name);
            for (const ContractInput& input : contract.inputs) wanted.push_back(input.name);
            return fail({ErrorKind::Usage, "input.no-names", "None of the tensors in \"" + path + "\" bears the name or number of an input.", path,
                         "It holds " + join(names, ", ") + ".", "Name them " + join(wanted, ", ") + ", or 0, 1, ..."});
        }
        return file;
    }
    if (path.ends_with(".npy")) {
        if (contract.tensorCount() != 1) {
            return fail({ErrorKind::Usage,
                         "input.not-a-set",
                         "\"" + path + "\" is one tensor, and the model takes " + std::to_string(contract.tensorCount()) + ".",
                         path,
                         {},
                         "Give it as one input, as in --input x=@" + path + "."});
        }
        Result<Tensor> tensor = readNpyFile(path);
        if (!tensor) return fail(tensor.error());
        for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
            if (!contract.inputs[i].isConstant) file.tensors[i] = reinterpretStored(*tensor, contract.inputs[i].dtype);
        }
        return file;
    }
    if (!path.ends_with(".pt") && !path.ends_with(".pth")) {
        return fail(
            {ErrorKind::Usage, "input.bad-file", "\"" + path + "\" is no set of inputs.", path, {}, "A set is a .npz, .safetensors or .pt file."});
    }
    const Result<TorchSaveFile> saved = readTree(path);
    if (!saved) return fail(saved.error());
    const Status taken = takeTree(*saved, contract, file);
    if (!taken) return fail(taken.error());
    return file;
}

Result<std::vector<Tensor>> readNumberedTensors(const std::string& path) {
    std::vector<Tensor> tensors;
    if (path.ends_with(".npz") || path.ends_with(".safetensors")) {
        const Result<NamedTensors> named = path.ends_with(".npz") ? readNpzFile(path) : readSafetensorsFile(path);
        if (!named) return fail(named.error());
        for (const char* prefix : {"", "arr_", "in_"}) {
            for (bool found = true; found;) {
                const std::string key = prefix + std::to_string(tensors.size());
                const auto entry = std::find_if(named->begin(), named->end(), [&](const auto& one) { return one.first == key; });
                found = entry != named->end();
                if (found) tensors.push_back(entry->second);
            }
            if (!tensors.empty()) return tensors;
        }
        return fail({ErrorKind::Usage, "input.no-names", "None of the tensors in \"" + path + "\" bears a number.", path, {}, "Name them 0, 1, ..."});
    }
    const Result<TorchSaveFile> saved = readTree(path);
    if (!saved) return fail(saved.error());
    for (const PickleNode* leaf : flattenLeaves(*saved->root())) {
        if (leaf->kind != PickleNode::Kind::Tensor) continue;
        Result<Tensor> tensor = saved->tensor(*leaf);
        if (!tensor) return fail(tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

Result<InputFile> readSamples(const Document& document, const Contract& contract) {
    const Document::ProgramRef program = document.program(contract.model);
    if (!program || !program.entry->sampleInputs) {
        return fail({ErrorKind::Usage,
                     "input.no-sample",
                     "No sample inputs are stored.",
                     {},
                     {},
                     "Leave --sample out; inputs can be made from the signature."});
    }
    const Result<TorchSaveFile> saved = program.package->loadSampleInputs(*program.entry);
    if (!saved) return fail(saved.error());
    InputFile file = emptyFile(contract, "sample");
    const Status taken = takeTree(*saved, contract, file);
    if (!taken) return fail(taken.error());
    return file;
}

}  // namespace pt2

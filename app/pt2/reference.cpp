#include "app/pt2/reference.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/run/eager.h"
#include "core/tensor/pickle.h"
#include "core/tensor/safetensors.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kReferenceLimit = std::uint64_t{8} << 30;
constexpr std::size_t kMostTensors = 100000;

/// The tensors of a torch.save tree in the order a reader meets them.
Result<NamedTensors> readTorchSave(const std::string& path) {
    auto text = readTextFile(path, kReferenceLimit);
    if (!text) return fail(text.error());
    const Bytes bytes = asBytes(*text);
    auto file = TorchSaveFile::read(ByteBuffer(bytes.begin(), bytes.end()));
    if (!file) return fail(file.error());
    NamedTensors out;
    std::vector<std::pair<std::string, const PickleNode*>> open{{"", file->root().get()}};
    for (std::size_t visits = 0; !open.empty() && visits < kMostTensors; ++visits) {
        const auto [name, node] = open.back();
        open.pop_back();
        if (node == nullptr) continue;
        if (node->kind == PickleNode::Kind::Tensor) {
            auto tensor = file->tensor(*node);
            if (!tensor) return fail(tensor.error());
            out.emplace_back(name.empty() ? std::to_string(out.size()) : name, std::move(*tensor));
            continue;
        }
        const bool isDict = node->kind == PickleNode::Kind::Dict;
        const std::size_t step = isDict ? 2 : 1;
        std::vector<std::pair<std::string, const PickleNode*>> inner;
        for (std::size_t i = 0; i + step <= node->children.size(); i += step) {
            const auto& key = node->children[i];
            inner.emplace_back(isDict && key && key->kind == PickleNode::Kind::String ? key->text : std::string(),
                               node->children[i + step - 1].get());
        }
        open.insert(open.end(), inner.rbegin(), inner.rend());
    }
    return out;
}

Result<Reference> runTorch(const RunPlan& plan, const ReferenceOptions& options, Context& context) {
    const auto program = plan.document.program(plan.model);
    if (!program || !program.entry->program) {
        return fail({ErrorKind::CannotRun, "compare.no-program", "There is no exported program \"" + plan.model + "\" for torch to run.",
                     plan.document.primary->archive().path().string(), "The file holds the compiled model only.",
                     "Join the file of the program with --with OTHER.pt2, or compare with saved outputs: --reference FILE.npz."});
    }
    EagerRequest request;
    request.model = plan.model;
    request.python = options.python;
    request.trust = options.trust;
    request.seed = options.seed;
    auto tensors = runEager(plan.document, plan.contract, request, plan.inputs, context.cancel, context.out.progressSink());
    if (!tensors) return fail(tensors.error());
    return Reference{std::move(*tensors), "torch eager"};
}

Result<Reference> runOther(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context) {
    auto other = Document::open(options.reference, {}, context.cancel, context.out.progressSink());
    if (!other) return fail(other.error());
    auto model = other->resolveModel(other->compiled(plan.model) ? plan.model : std::string());
    if (!model) return fail(model.error());
    auto contract = buildContract(*other, *model);
    if (!contract) return fail(contract.error());
    RunRequest request = runRequest(plan, run);
    request.model = *model;
    request.checks = RuntimeChecks::Off;
    auto report = runCompiled(*other, *contract, request, plan.tensors, context.cancel, context.out.progressSink());
    if (!report) return fail(report.error());
    if (!report->primary()) return fail(report->primary().error());
    return Reference{report->primary()->outputs, options.reference};
}

/// numpy has no bfloat16 and no float8; such outputs are saved as unsigned integers of the same width.
Tensor withDtypeOf(const Tensor& output, Tensor reference) {
    const DType have = reference.layout.dtype, want = output.layout.dtype;
    const bool carrier = have == DType::UInt8 || have == DType::UInt16;
    const bool lacking = isFloating(want) && want != DType::Float16 && want != DType::Float32 && want != DType::Float64;
    if (carrier && lacking && dtypeSize(have) == dtypeSize(want)) reference.layout.dtype = want;
    return reference;
}

const Tensor* byName(const NamedTensors& tensors, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        for (const auto& [key, tensor] : tensors) {
            if (key == name) return &tensor;
        }
    }
    return nullptr;
}

}  // namespace

Result<Reference> makeReference(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context) {
    const std::string& reference = options.reference;
    if (reference == "torch") return runTorch(plan, options, context);
    if (reference.ends_with(".pt2")) return runOther(plan, options, run, context);
    auto tensors = reference.ends_with(".npz")           ? readNpzFile(reference)
                   : reference.ends_with(".safetensors") ? readSafetensorsFile(reference)
                   : reference.ends_with(".pt")
                       ? readTorchSave(reference)
                       : Result<NamedTensors>(fail(usageError("compare.reference", "\"" + reference + "\" is not a reference.", {},
                                                              "Use torch, or a file that ends in .npz, .safetensors, .pt or .pt2.")));
    if (!tensors) return fail(tensors.error());
    return Reference{std::move(*tensors), reference};
}

Result<NamedTensors> matchReference(const NamedTensors& outputs, const Reference& reference) {
    NamedTensors matched;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string index = std::to_string(i);
        const Tensor* found = byName(reference.tensors, {outputs[i].first, "out_" + index, index});
        if (found == nullptr) break;
        matched.emplace_back(outputs[i].first, withDtypeOf(outputs[i].second, *found));
    }
    if (matched.size() == outputs.size()) return matched;
    if (outputs.size() == reference.tensors.size()) {
        matched.clear();
        for (std::size_t i = 0; i < outputs.size(); ++i)
            matched.emplace_back(outputs[i].first, withDtypeOf(outputs[i].second, reference.tensors[i].second));
        return matched;
    }
    std::vector<std::string> have, want;
    for (const auto& [name, tensor] : reference.tensors) have.push_back(name);
    for (const auto& [name, tensor] : outputs) want.push_back(name);
    if (have.size() > 12) have.resize(12);
    return fail(usageError("compare.names", "The reference does not have the outputs of the model.",
                           "The model gives " + join(want, ", ") + "; the reference holds " + (have.empty() ? "nothing" : join(have, ", ")) + ".",
                           "Name its tensors as the outputs, or out_0, out_1, ..., or give as many as there are outputs."));
}

}  // namespace pt2

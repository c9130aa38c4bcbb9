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

}  // namespace pt2

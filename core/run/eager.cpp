#include "core/run/eager.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/run/program_copy.h"
#include "core/run/protocol.h"
#include "core/run/python_session.h"

namespace pt2 {

namespace {

namespace fs = std::filesystem;

/// Inputs as the helper wants them: an .npz and a list that says what .npz cannot hold.
struct SentInputs {
    NamedTensors tensors;
    nlohmann::json leaves = nlohmann::json::array();
};

SentInputs describeInputs(const Contract& contract, const InputSet& inputs) {
    SentInputs sent;
    for (const MadeInput& made : inputs.inputs) {
        if (made.contractIndex >= contract.inputs.size()) continue;
        const std::size_t flat = contract.inputs[made.contractIndex].flatIndex;
        if (!made.isTensor) {
            sent.leaves.push_back({{"index", flat}, {"text", made.constantText}});
            continue;
        }
        const std::string key = fmt::format("in_{}", flat);
        sent.leaves.push_back({{"index", flat},
                               {"key", key},
                               {"dtype", dtypeName(made.tensor.layout.dtype)},
                               {"shape", made.tensor.layout.sizes},
                               {"stride", made.tensor.layout.strides}});
        sent.tensors.emplace_back(key, made.tensor);
    }
    return sent;
}

Error eagerError(const nlohmann::json& answer) {
    Error error = errorFromAnswer(answer, "running torch eager");
    const nlohmann::json detail = answer.value("error", nlohmann::json::object());
    const std::string kind = textOf(detail, "kind");
    if (kind == "float64") {
        return {ErrorKind::RunFailed,
                "eager.float64",
                "Torch cannot compute this program in float64.",
                {},
                escapeForDisplay(textOf(detail, "message")),
                {}};
    }
    if (kind != "torch" && kind != "eager") return error;
    error.kind = ErrorKind::RunFailed;
    error.code = "eager.failed";
    error.what = "torch eager failed on these inputs.";
    error.why = escapeForDisplay(textOf(detail, "type") + ": " + textOf(detail, "message"));
    error.help = "The reason is torch's own. \"check\" tells which input breaks the contract.";
    return error;
}

std::string outputName(const Contract& contract, std::size_t index) {
    return index < contract.outputs.size() && !contract.outputs[index].name.empty() ? contract.outputs[index].name : fmt::format("[{}]", index);
}

/// One tensor of an answer; a default one for None, which has no key.
Result<Tensor> takeTensor(const nlohmann::json& described, NamedTensors& arrays) {
    const std::string key = textOf(described, "key");
    if (key.empty()) return Tensor();
    const auto dtype = dtypeFromName(textOf(described, "dtype"));
    const auto array = std::find_if(arrays.begin(), arrays.end(), [&key](const auto& one) { return one.first == key; });
    // What numpy lacks travels as unsigned integers of the same width.
    if (array == arrays.end() || !dtype || dtypeSize(*dtype) != dtypeSize(array->second.layout.dtype)) {
        return fail({ErrorKind::CannotRun,
                     "eager.dtype",
                     "An output of torch eager cannot be read.",
                     {},
                     fmt::format("Its dtype is {}.", escapeForDisplay(textOf(described, "dtype"))),
                     {}});
    }
    Tensor tensor = array->second;
    tensor.layout.dtype = *dtype;
    return tensor;
}

}  // namespace

Result<EagerSession> EagerSession::open(const std::string& python, const CancelToken& cancel, const ProgressSink& progress) {
    auto found = findPython(python, cancel);
    if (!found) return tl::unexpected(found.error());
    auto work = JobFolder::create(50'000'000);
    if (!work) return tl::unexpected(work.error());
    auto process = startHelper(*found, work->path(), {}, cancel, progress);
    if (!process) return tl::unexpected(process.error());
    return EagerSession(std::move(*work), std::move(*process));
}

Result<EagerRun> EagerSession::run(const Document& document, const Contract& contract, const EagerRequest& request, const InputSet& inputs,
                                   const CancelToken& cancel, const ProgressSink& progress) {
    auto folder = TemporaryDirectory::create(work_.path(), fmt::format("run_{}-", runs_++));
    if (!folder) return tl::unexpected(folder.error());
    auto copy = copyForPython(document, request.model.empty() ? contract.model : request.model, request.trust, folder->path(), cancel);
    if (!copy) return tl::unexpected(copy.error());
    const SentInputs sent = describeInputs(contract, inputs);
    const fs::path inputsFile = folder->path() / "inputs.npz", outputsFile = folder->path() / "outputs.npz";
    if (auto written = writeNpzFile(inputsFile, sent.tensors, true); !written) return tl::unexpected(written.error());
    auto answer = process_.request({{"do", "eager"},
                                    {"archive", copy->string()},
                                    {"inputs", inputsFile.string()},
                                    {"leaves", sent.leaves},
                                    {"outputs", outputsFile.string()},
                                    {"seed", request.seed},
                                    {"steps", std::max(1, request.steps)},
                                    {"watch", request.watch},
                                    {"float64", request.float64}},
                                   cancel, progress);
    if (!answer) return tl::unexpected(answer.error());
    if (!flagOf(*answer, "ok")) return fail(eagerError(*answer));
    auto arrays = readNpzFile(outputsFile);
    if (!arrays) return tl::unexpected(arrays.error());
    EagerRun run;
    for (const auto& call : answer->value("calls", nlohmann::json::array())) {
        NamedTensors outputs, state;
        for (const auto& described : call.value("outputs", nlohmann::json::array())) {
            auto tensor = takeTensor(described, *arrays);
            if (!tensor) return tl::unexpected(tensor.error());
            outputs.emplace_back(outputName(contract, static_cast<std::size_t>(std::max<std::int64_t>(0, integerOf(described, "index")))),
                                 std::move(*tensor));
        }
        for (const auto& described : call.value("state", nlohmann::json::array())) {
            auto tensor = takeTensor(described, *arrays);
            if (!tensor) return tl::unexpected(tensor.error());
            state.emplace_back(textOf(described, "name"), std::move(*tensor));
        }
        run.calls.push_back(std::move(outputs));
        run.states.push_back(std::move(state));
    }
    if (run.calls.empty()) {
        return fail({ErrorKind::System, "python.answer", "The Python helper gave no results.", {}, {}, {}});
    }
    return run;
}

Result<EagerRun> runEager(const Document& document, const Contract& contract, const EagerRequest& request, const InputSet& inputs,
                          const CancelToken& cancel, const ProgressSink& progress) {
    auto session = EagerSession::open(request.python, cancel, progress);
    if (!session) return tl::unexpected(session.error());
    return session->run(document, contract, request, inputs, cancel, progress);
}

}  // namespace pt2

#include "core/run/run_answers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/run/tensor_exchange.h"

namespace pt2 {

namespace {

/// Names the tensors a library returned after the contract's outputs; what the contract does not know is numbered. Numbers and None among a program's
/// outputs are returned too, as tensors without dimensions and undefined ones.
NamedTensors nameOutputs(const Contract& contract, std::vector<Tensor> tensors) {
    std::vector<std::string> names;
    for (const ContractOutput& output : contract.outputs) names.push_back(output.name.empty() ? output.graphName : output.name);
    if (names.size() != tensors.size()) names.clear();
    NamedTensors named;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        named.emplace_back(i < names.size() && !names[i].empty() ? names[i] : "output_" + std::to_string(i), std::move(tensors[i]));
    }
    return named;
}

/// Those of the frame's tensors that follow `at`, put at the places that `key` lists.
void placeListed(const nlohmann::json& body, const char* key, const std::vector<Tensor>& tensors, std::size_t& at, std::vector<Tensor>& out) {
    const auto places = body.find(key);
    if (places == body.end() || !places->is_array()) return;
    for (const nlohmann::json& place : *places) {
        if (at >= tensors.size()) return;
        const Tensor& tensor = tensors[at++];
        if (place.is_number_unsigned() && place.get<std::uint64_t>() < out.size()) out[static_cast<std::size_t>(place.get<std::uint64_t>())] = tensor;
    }
}

/// Outputs with an empty one where the model left a result undefined.
std::vector<Tensor> withUndefined(const nlohmann::json& body, std::vector<Tensor> outputs) {
    const auto undefined = body.find("undefined");
    if (undefined == body.end() || !undefined->is_array()) return outputs;
    for (const nlohmann::json& place : *undefined) {
        if (!place.is_number_unsigned() || place.get<std::uint64_t>() > outputs.size()) continue;
        outputs.insert(outputs.begin() + static_cast<std::ptrdiff_t>(place.get<std::uint64_t>()), Tensor());
    }
    return outputs;
}

/// Buffers in the order they were asked for, then the inputs that were written to.
std::vector<StateChange> stateOf(const nlohmann::json& body, const Contract& contract, const std::vector<std::string>& watched,
                                 const std::vector<Tensor>& tensors, std::size_t at) {
    std::vector<Tensor> before(watched.size()), after(watched.size());
    placeListed(body, "watched_before", tensors, at, before);
    placeListed(body, "watched_after", tensors, at, after);
    std::vector<StateChange> state;
    const nlohmann::json answers = body.value("watched_changed", nlohmann::json::array());
    for (std::size_t i = 0; i < watched.size(); ++i) {
        const bool answered = answers.is_array() && i < answers.size() && answers[i].is_boolean();
        state.push_back({watched[i], answered ? std::optional<bool>(answers[i].get<bool>()) : std::nullopt, before[i], after[i], false});
    }
    const auto changed = body.find("inputs_changed");
    if (changed == body.end() || !changed->is_array()) return state;
    std::vector<Tensor> written(changed->size());
    placeListed(body, "inputs_after", tensors, at, written);
    for (std::size_t i = 0; i < changed->size(); ++i) {
        if (!(*changed)[i].is_boolean() || !(*changed)[i].get<bool>()) continue;
        const auto input = std::find_if(contract.inputs.begin(), contract.inputs.end(), [i](const ContractInput& c) { return c.tensorIndex == i; });
        state.push_back({input != contract.inputs.end() ? input->name : std::to_string(i), true, {}, written[i], true});
    }
    return state;
}

std::vector<double> numbersOf(const Tensor& tensor) {
    std::vector<double> numbers;
    if (tensor.layout.dtype != DType::Float64) return numbers;
    const TensorView view = tensor.view();
    const std::uint64_t count = view.layout.elementCount().value_or(0);
    for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(elementAsDouble(view, i));
    return numbers;
}

}  // namespace

std::uint64_t bytesOf(const nlohmann::json& object, const char* key) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, integerOf(object, key)));
}

void takeLoaded(const nlohmann::json& body, RunOutcome& outcome) {
    const nlohmann::json seconds = body.value("seconds", nlohmann::json::object());
    outcome.seconds.constants = numberOf(seconds, "constants");
    outcome.seconds.load = numberOf(seconds, "library") + outcome.seconds.constants;
    const nlohmann::json memory = body.value("memory", nlohmann::json::object());
    outcome.memory.started = bytesOf(memory, "before");
    outcome.memory.loaded = bytesOf(memory, "after");
    const nlohmann::json names = body.value("names", nlohmann::json::object());
    outcome.library = {textsOf(names, "inputs"), textsOf(names, "outputs")};
}

Status takeStep(const Frame& frame, const Contract& contract, const std::vector<std::string>& watched, int steps, RunOutcome& outcome) {
    auto tensors = receivedTensors(frame);
    if (!tensors) return fail(tensors.error());
    // A run engine of before sends outputs alone, and does not say how many.
    const std::int64_t told = integerOf(frame.body, "outputs", static_cast<std::int64_t>(tensors->size()));
    const std::size_t outputs = static_cast<std::size_t>(std::clamp<std::int64_t>(told, 0, static_cast<std::int64_t>(tensors->size())));
    NamedTensors named =
        nameOutputs(contract, withUndefined(frame.body, {tensors->begin(), tensors->begin() + static_cast<std::ptrdiff_t>(outputs)}));
    std::vector<StateChange> state = stateOf(frame.body, contract, watched, *tensors, outputs);
    if (integerOf(frame.body, "call") == 0) {
        outcome.outputs = named;
        outcome.seconds.first = numberOf(frame.body, "seconds");
        if (const auto changed = frame.body.find("inputs_changed"); changed != frame.body.end() && changed->is_array()) {
            for (const nlohmann::json& one : *changed) outcome.inputsChanged.push_back(one.is_boolean() && one.get<bool>());
        }
        outcome.state = state;
    }
    if (steps > 1) {
        outcome.steps.push_back(std::move(named));
        outcome.stepStates.push_back(std::move(state));
    }
    return {};
}

Status takeBench(const Frame& frame, int runners, RunOutcome& outcome) {
    const auto samples = receivedTensors(frame);
    if (!samples) return fail(samples.error());
    if (!samples->empty()) outcome.seconds.samples = numbersOf(samples->front());
    if (samples->size() == 3) outcome.curve = {numbersOf((*samples)[1]), numbersOf((*samples)[2])};
    outcome.curve.bytes.resize(std::min(outcome.curve.bytes.size(), outcome.curve.seconds.size()));
    outcome.curve.seconds.resize(outcome.curve.bytes.size());
    const double wall = numberOf(frame.body, "wall_seconds");
    if (!outcome.seconds.samples.empty() && wall > 0) outcome.throughput = Throughput{runners, outcome.seconds.samples.size(), wall};
    outcome.memory.peak = std::max(outcome.memory.peak, bytesOf(frame.body, "peak_memory"));
    return {};
}

Status takeSoak(const Frame& frame, RunOutcome& outcome) {
    const auto curves = receivedTensors(frame);
    if (!curves) return fail(curves.error());
    if (curves->size() == 2) outcome.soak = Soak{numbersOf((*curves)[0]), numbersOf((*curves)[1])};
    outcome.memory.peak = std::max(outcome.memory.peak, bytesOf(frame.body, "peak_memory"));
    return {};
}

}  // namespace pt2

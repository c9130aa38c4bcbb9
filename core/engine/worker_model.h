#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/engine/compiled_runner.h"
#include "core/run/protocol.h"
#include "core/run/tensor_exchange.h"

namespace pt2 {

/// The one model a worker holds, and the requests about it: load, constants, run, bench, soak, unload.
class WorkerModel {
public:
    using Send = std::function<Status(Frame)>;
    /// `send` passes on what comes before a result; `cancelled` is set by another thread.
    WorkerModel(Send send, bool descriptorsTravel, const std::atomic<bool>& cancelled)
        : send_(std::move(send)), descriptorsTravel_(descriptorsTravel), cancelled_(cancelled) {}
    /// The result's body with tensors attached, or the Error to answer with; nothing for a request that is not about a model.
    std::optional<Result<Frame>> answer(const std::string& name, const Frame& request);

private:
    Result<Frame> load(const nlohmann::json& body);
    Result<Frame> replaceConstants(const Frame& request);
    Result<Frame> run(const Frame& request);
    Result<Frame> bench(const Frame& request);
    /// Loads, runs and unloads the model again and again, and looks at memory after each.
    Result<Frame> soak(const Frame& request);
    /// Sends what one call gave: outputs, then what is watched.
    Status sendStep(const Frame& request, std::int64_t step, double seconds, const std::vector<std::string>& watched,
                    const std::vector<std::optional<Tensor>>& before);
    Status useInputs(const Frame& request);
    void reportStep(std::uint64_t sequence, const char* step, std::int64_t done, std::int64_t total);

    Send send_;
    bool descriptorsTravel_;
    const std::atomic<bool>& cancelled_;
    CompiledRunner::Request loaded_;  // how the runner was loaded
    std::optional<CompiledRunner> runner_;
    std::optional<AttachedTensors> inputs_;  // what the runner's tensors point into
};

}  // namespace pt2

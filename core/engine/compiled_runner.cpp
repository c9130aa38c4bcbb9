#include "core/engine/compiled_runner.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "core/engine/runner_state.h"
#include "core/engine/thrown.h"

namespace pt2 {

namespace {

using Clock = std::chrono::steady_clock;

std::optional<c10::Device> parseDevice(const std::string& text) {
    try {
        return c10::Device(text);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

/// The runner keeps the library's handle from all but its own kin.
struct ContainerHandle : torch::inductor::AOTIModelContainerRunner {
    static void* of(torch::inductor::AOTIModelContainerRunner& runner) { return runner.*(&ContainerHandle::container_handle_); }
};

int deviceCount(c10::DeviceType type) {
    if (type == c10::DeviceType::CPU) return 1;
    if (!c10::impl::hasDeviceGuardImpl(type)) return 0;
    try {
        return c10::impl::getDeviceGuardImpl(type)->deviceCount();
    } catch (const std::exception&) {
        return 0;
    }
}

}  // namespace

LibTorchFacts libTorchFacts() {
    LibTorchFacts facts;
    facts.builtVersion = PT2SCOPE_LIBTORCH_VERSION;
    facts.cxx11Abi = _GLIBCXX_USE_CXX11_ABI != 0;
    if (void* version = ::dlsym(RTLD_DEFAULT, "aoti_torch_abi_version")) {
        const std::uint64_t packed = reinterpret_cast<std::uint64_t (*)()>(version)();
        facts.runtimeVersion = std::to_string(packed >> 56) + "." + std::to_string(packed >> 48 & 0xff) + "." + std::to_string(packed >> 40 & 0xff);
    }
    Dl_info place{};
    if (::dladdr(reinterpret_cast<void*>(&torch::inductor::getAOTIModelRunnerRegistry), &place) != 0 && place.dli_fname != nullptr) {
        facts.folder = std::filesystem::path(place.dli_fname).parent_path().parent_path().string();
    }
    for (const auto& [key, create] : torch::inductor::getAOTIModelRunnerRegistry()) {
        const auto device = parseDevice(key);
        if (!device || device->is_cpu()) continue;
        for (int i = 0; i < deviceCount(device->type()); ++i) facts.devices.push_back(key + ":" + std::to_string(i));
    }
    std::sort(facts.devices.begin(), facts.devices.end());
    facts.devices.insert(facts.devices.begin(), "cpu");
    return facts;
}

Status checkLibTorch(const LibTorchFacts& facts) {
    if (facts.runtimeVersion.empty() || facts.runtimeVersion == facts.builtVersion) return {};
    return fail(
        {ErrorKind::CannotRun, "engine.version", "The run engine was built for another LibTorch than the one it found.", facts.folder,
         "It was built for " + facts.builtVersion + " and found " + facts.runtimeVersion + "; LibTorch keeps no binary interface across versions.",
         "Build the run engine anew for LibTorch " + facts.runtimeVersion + "."});
}

CompiledRunner::CompiledRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
CompiledRunner::CompiledRunner(CompiledRunner&&) noexcept = default;
CompiledRunner& CompiledRunner::operator=(CompiledRunner&&) noexcept = default;
CompiledRunner::~CompiledRunner() = default;
const CompiledRunner::LoadSeconds& CompiledRunner::loadSeconds() const { return state_->seconds; }
const InterfaceNames& CompiledRunner::names() const { return state_->names; }

Result<CompiledRunner> CompiledRunner::load(const Request& request) {
    const auto device = parseDevice(request.device);
    const auto& registry = torch::inductor::getAOTIModelRunnerRegistry();
    const std::string key = request.device.substr(0, request.device.find(':'));
    const auto create = registry.find(key);
    if (!device || create == registry.end()) {
        return fail({ErrorKind::CannotRun,
                     "run.device",
                     "This run engine cannot run models on \"" + request.device + "\".",
                     {},
                     "Its LibTorch has no AOTInductor runner for that device.",
                     "A run engine built for a LibTorch with that device can."});
    }
    const int count = deviceCount(device->type());
    if (count == 0 || (device->has_index() && device->index() >= count)) {
        return fail(
            {ErrorKind::CannotRun,
             "run.device",
             "There is no device \"" + request.device + "\" here.",
             {},
             count == 0 ? "LibTorch finds no device of this kind." : "LibTorch finds " + std::to_string(count) + " of this kind, counted from 0.",
             {}});
    }
    auto state = std::make_unique<State>();
    state->device = *device;
    try {
        if (request.threads > 0) at::set_num_threads(request.threads);
        state->threads = request.threads;
        const c10::InferenceMode inference;
        auto start = Clock::now();
        const bool indexed = device->has_index() && !device->is_cpu();
        state->runner = create->second(request.library.string(), static_cast<std::size_t>(std::max(1, request.runners)),
                                       indexed ? request.device : key, request.library.parent_path().string(), request.singleThreaded);
        state->seconds.library = secondsSince(start);
        state->names = interfaceNames(request.library, ContainerHandle::of(*state->runner));
        if (!request.blob.empty()) {
#if PT2SCOPE_LIBTORCH_NUMBER >= 210
            start = Clock::now();
            state->runner->update_constant_buffer_from_blob(request.blob.string());
            state->seconds.constants = secondsSince(start);
#else
            return fail({ErrorKind::CannotRun,
                         "run.weights-beside",
                         "The weights lie beside the library, which this LibTorch cannot load.",
                         {},
                         "That came with torch 2.10.",
                         "Use a run engine built for LibTorch 2.10 or later."});
#endif
        }
    } catch (...) {
        return loadFailed(describe(std::current_exception()));
    }
    return CompiledRunner(std::move(state));
}

Status CompiledRunner::setInputs(const std::vector<InputMemory>& inputs) {
    static std::byte empty[64];
    try {
        const c10::InferenceMode inference;
        state_->inputs.clear();
        for (const InputMemory& input : inputs) {
            const auto type = static_cast<c10::ScalarType>(dtypeToC10(input.layout.dtype));
            void* data = input.data != nullptr ? input.data : empty;
            at::Tensor tensor = at::from_blob(data, input.layout.sizes, input.layout.strides, at::TensorOptions().dtype(type));
            if (!state_->device.is_cpu()) {
                at::Tensor there = at::empty_strided(input.layout.sizes, input.layout.strides, tensor.options().device(state_->device));
                there.copy_(tensor);
                tensor = std::move(there);
            }
            state_->inputs.push_back(std::move(tensor));
        }
        state_->synchronize();
    } catch (...) {
        return runFailed(describe(std::current_exception()), "The inputs could not be given to the model.");
    }
    return {};
}

Result<std::vector<Tensor>> CompiledRunner::outputs() const {
    std::vector<Tensor> results;
    try {
        const c10::InferenceMode inference;
        for (const at::Tensor& output : state_->outputs) {
            if (!output.defined()) {
                results.emplace_back();
                continue;
            }
            const auto plain = std::make_shared<at::Tensor>(output.resolve_conj().resolve_neg().cpu().contiguous());
            Tensor result;
            result.layout.dtype = dtypeFromC10(static_cast<int>(plain->scalar_type()));
            if (result.layout.dtype == DType::Unknown) {
                return fail({ErrorKind::RunFailed,
                             "run.output-dtype",
                             "The model gave a result of a dtype that pt2scope does not know.",
                             {},
                             std::string("It is ") + c10::toString(plain->scalar_type()) + ".",
                             {}});
            }
            result.layout.sizes = plain->sizes().vec();
            result.layout.strides = contiguousStrides(result.layout.sizes);
            result.storage = {static_cast<const std::byte*>(plain->const_data_ptr()), plain->nbytes()};
            result.owner = std::shared_ptr<const void>(plain, plain.get());
            results.push_back(std::move(result));
        }
    } catch (...) {
        return runFailed(describe(std::current_exception()), "The results of the model could not be read.");
    }
    return results;
}

}  // namespace pt2

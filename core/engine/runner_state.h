#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner.h>

#include <chrono>
#include <memory>
#include <vector>

#include "core/engine/compiled_runner.h"

namespace pt2 {

/// What a CompiledRunner holds; for the files that implement it, since it is of LibTorch's types.
struct CompiledRunner::State {
    std::unique_ptr<torch::inductor::AOTIModelContainerRunner> runner;
    c10::Device device{c10::DeviceType::CPU};
    std::vector<at::Tensor> inputs, outputs;
    LoadSeconds seconds;
    int threads = 0;  ///< of LibTorch in each thread that calls; 0 leaves its default
    InterfaceNames names;

    void synchronize() const {
        if (!device.is_cpu()) {
            const auto* guard = c10::impl::getDeviceGuardImpl(device.type());
            guard->synchronizeDevice(device.has_index() ? device.index() : guard->getDevice().index());
        }
    }
};

inline double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace pt2

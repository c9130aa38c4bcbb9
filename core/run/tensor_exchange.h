#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/result.h"
#include "core/run/memory_file.h"
#include "core/run/protocol.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// Where one tensor lies in the memory that travels with a message. Its layout's storageOffset is 0 there.
struct PlacedTensor {
    TensorLayout layout;
    std::uint64_t offset = 0;  ///< bytes, a multiple of kTensorAlignment
    std::uint64_t bytes = 0;
};
inline constexpr std::uint64_t kTensorAlignment = 64;

/// Places tensors one behind the other. Only the bytes between a tensor's first and last element travel.
struct Placement {
    std::vector<PlacedTensor> tensors;
    std::uint64_t totalBytes = 0;
};
Result<Placement> placeTensors(const std::vector<TensorView>& tensors);
/// Copies the tensors to their places; `out` has placement.totalBytes.
void copyToPlaces(const std::vector<TensorView>& tensors, const Placement& placement, MutableBytes out);

nlohmann::json placementToJson(const std::vector<PlacedTensor>& tensors);
/// Reads and checks such a list: known dtypes, no negative size or stride, everything inside `regionBytes`. Error System "protocol.damaged".
Result<std::vector<PlacedTensor>> placementFromJson(const nlohmann::json& json, std::uint64_t regionBytes);

/// Puts tensors into a frame: body["tensors"], and their bytes as shared memory or, over a byte stream, as payload.
Status attachTensors(Frame& frame, const std::vector<TensorView>& tensors, bool asDescriptor);
/// The memory of a frame's tensors, checked, each time freshly mapped (or copied), so that a model that writes to its inputs changes only that.
struct AttachedTensors {
    std::vector<PlacedTensor> places;
    MappedMemory memory;
};
Result<AttachedTensors> attachedTensors(const Frame& frame);
/// The same as tensors that keep the memory alive.
Result<std::vector<Tensor>> receivedTensors(const Frame& frame);

}  // namespace pt2

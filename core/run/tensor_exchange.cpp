#include "core/run/tensor_exchange.h"

#include <algorithm>
#include <cstring>

namespace pt2 {

namespace {

constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxTensors = 1u << 16;

tl::unexpected<Error> damaged(std::string why) {
    return fail({ErrorKind::System, "protocol.damaged", "The run engine and pt2scope do not understand each other.", {}, std::move(why), {}});
}

/// A list of integers of 0 or more.
bool readSizes(const nlohmann::json& entry, const char* key, std::vector<std::int64_t>& out) {
    const auto list = entry.find(key);
    if (list == entry.end() || !list->is_array() || list->size() > kMaxRank) return false;
    for (const nlohmann::json& value : *list) {
        if (!value.is_number_integer()) return false;
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return false;
        const auto size = value.get<std::int64_t>();
        if (size < 0) return false;
        out.push_back(size);
    }
    return true;
}

}  // namespace

Result<Placement> placeTensors(const std::vector<TensorView>& tensors) {
    Placement placement;
    for (const TensorView& tensor : tensors) {
        const std::size_t itemSize = dtypeSize(tensor.layout.dtype);
        if (itemSize == 0) {
            return fail({ErrorKind::Usage, "run.input-dtype", "An input has a dtype that cannot be given to a model.", {}, {}, {}});
        }
        const auto required = tensor.layout.requiredStorageBytes();
        if (!required) return fail(required.error());
        PlacedTensor placed;
        placed.layout = tensor.layout;
        placed.layout.storageOffset = 0;
        placed.offset = placement.totalBytes;
        if (*required > 0) placed.bytes = *required - static_cast<std::uint64_t>(tensor.layout.storageOffset) * itemSize;
        if (*required > tensor.storage.size()) return damaged("A tensor is larger than its storage.");
        std::uint64_t end = 0;
        if (!addSafe(placement.totalBytes, placed.bytes, end) || !addSafe(end, kTensorAlignment - 1, end)) {
            return damaged("Tensors do not fit into memory.");
        }
        placement.totalBytes = end / kTensorAlignment * kTensorAlignment;
        placement.tensors.push_back(std::move(placed));
    }
    return placement;
}

void copyToPlaces(const std::vector<TensorView>& tensors, const Placement& placement, MutableBytes out) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const PlacedTensor& placed = placement.tensors[i];
        if (placed.bytes == 0) continue;
        const std::size_t from = static_cast<std::size_t>(tensors[i].layout.storageOffset) * dtypeSize(tensors[i].layout.dtype);
        std::memcpy(out.data() + placed.offset, tensors[i].storage.data() + from, placed.bytes);
    }
}

nlohmann::json placementToJson(const std::vector<PlacedTensor>& tensors) {
    nlohmann::json list = nlohmann::json::array();
    for (const PlacedTensor& tensor : tensors) {
        list.push_back({{"dtype", dtypeName(tensor.layout.dtype)},
                        {"sizes", tensor.layout.sizes},
                        {"strides", tensor.layout.strides},
                        {"offset", tensor.offset},
                        {"bytes", tensor.bytes}});
    }
    return list;
}

Result<std::vector<PlacedTensor>> placementFromJson(const nlohmann::json& json, std::uint64_t regionBytes) {
    if (!json.is_array() || json.size() > kMaxTensors) return damaged("A list of tensors is not what it should be.");
    std::vector<PlacedTensor> tensors;
    for (const nlohmann::json& entry : json) {
        PlacedTensor tensor;
        const std::optional<DType> dtype = dtypeFromName(textOf(entry, "dtype"));
        if (!entry.is_object() || !dtype || dtypeSize(*dtype) == 0 || !readSizes(entry, "sizes", tensor.layout.sizes) ||
            !readSizes(entry, "strides", tensor.layout.strides) || tensor.layout.sizes.size() != tensor.layout.strides.size()) {
            return damaged("A tensor's dtype, sizes or strides are not what they should be.");
        }
        tensor.layout.dtype = *dtype;
        const std::int64_t offset = integerOf(entry, "offset", -1), bytes = integerOf(entry, "bytes", -1);
        std::uint64_t end = 0;
        if (offset < 0 || bytes < 0 || offset % static_cast<std::int64_t>(kTensorAlignment) != 0 ||
            !addSafe(static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes), end) || end > regionBytes) {
            return damaged("A tensor lies outside of the memory that came with it.");
        }
        const auto required = tensor.layout.requiredStorageBytes();
        if (!required || *required > static_cast<std::uint64_t>(bytes)) return damaged("A tensor is larger than its bytes.");
        tensor.offset = static_cast<std::uint64_t>(offset);
        tensor.bytes = static_cast<std::uint64_t>(bytes);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

Status attachTensors(Frame& frame, const std::vector<TensorView>& tensors, bool asDescriptor) {
    const auto placement = placeTensors(tensors);
    if (!placement) return fail(placement.error());
    frame.body["tensors"] = placementToJson(placement->tensors);
    frame.body["tensor_bytes"] = placement->totalBytes;
    if (!asDescriptor) {
        if (placement->totalBytes > kMaxPayloadBytes) return damaged("Tensors are too large for one message.");
        frame.payload.resize(placement->totalBytes);
        copyToPlaces(tensors, *placement, frame.payload);
        return {};
    }
    auto memory = MemoryFile::create(placement->totalBytes);
    if (!memory) return fail(memory.error());
    copyToPlaces(tensors, *placement, memory->bytes());
    auto descriptor = std::move(*memory).seal();
    if (!descriptor) return fail(descriptor.error());
    frame.descriptors.push_back(std::move(*descriptor));
    return {};
}

Result<AttachedTensors> attachedTensors(const Frame& frame) {
    const std::int64_t total = integerOf(frame.body, "tensor_bytes", -1);
    if (total < 0 || !frame.body.contains("tensors")) return damaged("A message has no tensors.");
    AttachedTensors attached;
    auto places = placementFromJson(frame.body["tensors"], static_cast<std::uint64_t>(total));
    if (!places) return fail(places.error());
    attached.places = std::move(*places);
    if (frame.descriptors.size() == 1) {
        auto memory = mapSealed(frame.descriptors.front(), static_cast<std::uint64_t>(total));
        if (!memory) return fail(memory.error());
        attached.memory = std::move(*memory);
        return attached;
    }
    if (frame.payload.size() != static_cast<std::uint64_t>(total)) return damaged("The bytes of tensors are missing.");
    auto copy = std::make_shared<ByteBuffer>(frame.payload.size() + kTensorAlignment);
    // operator new aligns to 16 bytes; kernels expect tensors at a multiple of 64.
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(copy->data()) % kTensorAlignment;
    std::byte* start = copy->data() + (misaligned == 0 ? 0 : kTensorAlignment - misaligned);
    std::copy(frame.payload.begin(), frame.payload.end(), start);
    attached.memory = {copy, {start, frame.payload.size()}};
    return attached;
}

Result<std::vector<Tensor>> receivedTensors(const Frame& frame) {
    auto attached = attachedTensors(frame);
    if (!attached) return fail(attached.error());
    std::vector<Tensor> tensors;
    for (PlacedTensor& placed : attached->places) {
        const Bytes storage = Bytes(attached->memory.bytes).subspan(placed.offset, placed.bytes);
        tensors.push_back({std::move(placed.layout), attached->memory.owner, storage});
    }
    return tensors;
}

}  // namespace pt2

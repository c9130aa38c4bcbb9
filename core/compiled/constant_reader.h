#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/compiled/compiled_model.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// The values of a compiled model's constants, found without loading it (format.md 3.5): in the library between two symbols, appended to it, in a
/// blob beside it, or as one pickle a constant. Reads nothing until asked. Thread-safe to read.
class ConstantReader {
public:
    /// `archive` must outlive the reader. What cannot be found is no error: whyNot() says it of each constant.
    ConstantReader(const Archive& archive, const CompiledModel& model);
    ~ConstantReader();
    ConstantReader(const ConstantReader&) = delete;
    ConstantReader& operator=(const ConstantReader&) = delete;

    /// Why the values of model.constants[index] cannot be read; empty when they can.
    const std::string& whyNot(std::size_t index) const { return places_[index].whyNot; }
    /// The member that holds them, and where in it; the offset is 0 for pickles.
    std::optional<MemberIndex> member(std::size_t index) const { return places_[index].member; }
    std::uint64_t offset(std::size_t index) const { return places_[index].offset; }
    /// dtype, sizes and strides as the wrapper says.
    TensorLayout layout(std::size_t index) const;

    /// The elements in row-major order, in pieces of whole elements; contiguous ones are not held in memory.
    Status stream(std::size_t index, const std::function<Status(Bytes)>& sink, const CancelToken& cancel = {}) const;
    /// The whole constant. Unreadable when whyNot() is not empty.
    Result<Tensor> load(std::size_t index) const;

private:
    struct Place {
        std::optional<MemberIndex> member;
        std::uint64_t offset = 0, size = 0;
        bool pickle = false;
        std::string whyNot;
    };
    struct Library;
    void place();
    void placeInBlock(std::optional<MemberIndex> member, std::uint64_t offset, std::uint64_t size, const std::string& what);
    void placePickles();
    void refuseAll(const std::string& why);
    Status readAt(const Place& place, std::uint64_t offset, MutableBytes out) const;

    const Archive& archive_;
    const CompiledModel& model_;
    std::vector<Place> places_;
    std::unique_ptr<Library> library_;
};

}  // namespace pt2

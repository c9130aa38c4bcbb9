#include "core/compiled/constant_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/text.h"
#include "core/compiled/elf.h"
#include "core/compiled/library_source.h"
#include "core/tensor/pickle.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kMostPickle = std::uint64_t{1} << 34;
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kPadding = 64;  // of each constant on CPU

std::uint64_t padded(std::uint64_t size) { return (size + kPadding - 1) / kPadding * kPadding; }

/// Which constants the wrapper declares with a layout other than strided: "constants_info_[1].layout = ...(cached_torch_layout__mkldnn);".
std::vector<bool> packedConstants(std::string_view source, std::size_t count) {
    std::vector<bool> packed(count, false);
    constexpr std::string_view mark = "].layout";
    for (std::size_t at = source.find(mark); at != std::string_view::npos; at = source.find(mark, at + mark.size())) {
        const std::size_t open = source.rfind('[', at);
        const std::size_t end = std::min(source.find(';', at), source.size());
        if (open == std::string_view::npos || at - open > 12) continue;
        std::size_t index = 0;
        const auto [last, problem] = std::from_chars(source.data() + open + 1, source.data() + at, index);
        if (problem != std::errc() || last != source.data() + at || index >= count) continue;
        packed[index] = source.substr(at, end - at).find("strided") == std::string_view::npos;
    }
    return packed;
}

Status shortMember() {
    return fail({ErrorKind::Unreadable,
                 "compiled.constants-cut",
                 "The constants of the compiled model are cut.",
                 {},
                 "They end before their sizes say.",
                 "Get a fresh copy of the file or recompile."});
}

}  // namespace

/// The library's bytes: windows of the member, or all of it where it is deflated.
struct ConstantReader::Library {
    ByteBuffer held;
    ByteSource source;
};

ConstantReader::~ConstantReader() = default;

ConstantReader::ConstantReader(const Archive& archive, const CompiledModel& model)
    : archive_(archive), model_(model), places_(model.constants.size()), library_(std::make_unique<Library>()) {
    if (places_.empty()) return;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const CompiledConstant& constant = model.constants[i];
        if (constant.fromFolded) places_[i].whyNot = "It is computed when the model is loaded, from other constants.";
        if (constant.where == CompiledConstant::Where::Absent)
            places_[i].whyNot = "Its values are neither in the compiled model's library nor beside it.";
    }
    place();
}

void ConstantReader::place() {
    if (model_.weightsConfig && !model_.blob) return placePickles();
    if (model_.blob) return placeInBlock(model_.blob, 0, archive_.members()[*model_.blob].size, "the blob beside the library");
    for (const MemberIndex member : model_.members) {
        if (!archive_.members()[member].name.ends_with("_serialized_weights.bin") || !model_.cppOnly) continue;
        const std::uint64_t size = archive_.members()[member].size;  // weights and 8 bytes of mark
        return placeInBlock(member, 0, size < 8 ? 0 : size - 8, "the file of weights");
    }
    if (model_.cppOnly) return refuseAll("Its values are in an object file that is linked when the package is built.");
    if (!model_.library || !model_.elf.isElf) return refuseAll("There is no library that can be read.");

    const MemberIndex member = *model_.library;
    Result<ByteSource> source = libraryBytes(archive_, member, library_->held);
    if (!source) return refuseAll("The library cannot be read: " + source.error().what);
    library_->source = std::move(*source);
    const Result<ElfReading> reading = readElf(library_->source);
    if (!reading || !reading->constantsSize || !reading->constantsFileOffset) {
        return refuseAll("The library does not say where its constants are (it is stripped).");
    }
    if (*reading->constantsSize != 16) return placeInBlock(member, *reading->constantsFileOffset, *reading->constantsSize, "the library");
    // They may be appended to the library, or be a block of that size.
    const AppendedConstants appended = findAppendedConstants(library_->source, *reading->constantsFileOffset);
    if (appended.state == AppendedConstants::State::Found) return placeInBlock(member, appended.begin, appended.length, "the library's end");
    placeInBlock(member, *reading->constantsFileOffset, 16, "the library");
}

void ConstantReader::refuseAll(const std::string& why) {
    for (Place& place : places_) {
        if (place.whyNot.empty()) place.whyNot = why;
    }
}

/// Constants lie one after the other in the order of the wrapper, each padded to 64 bytes on CPU and not on CUDA; folded ones are left out. Only
/// where the sizes add up to the block is it known which bytes are whose.
void ConstantReader::placeInBlock(std::optional<MemberIndex> member, std::uint64_t offset, std::uint64_t size, const std::string& what) {
    std::uint64_t plain = 0, filled = 0;
    for (const CompiledConstant& constant : model_.constants) {
        if (constant.fromFolded) continue;
        if (constant.dataSize > size || !addSafe(plain, constant.dataSize, plain) || !addSafe(filled, padded(constant.dataSize), filled)) {
            return refuseAll("The constants' sizes are larger than " + what + ".");
        }
    }
    const bool isPlain = plain == size;
    if (!isPlain && filled != size && padded(plain) != size) {
        return refuseAll(fmt::format("The constants' sizes add up to {}, and {} holds {}, so it is not known which bytes are whose.",
                                     formatBytes(plain), what, formatBytes(size)));
    }
    std::vector<bool> packed(places_.size(), false);
    if (model_.wrapperSource) {
        if (const Result<ByteBuffer> source = archive_.read(*model_.wrapperSource, kMostSourceBytes))
            packed = packedConstants(asText(*source), places_.size());
    }
    std::uint64_t at = offset;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const CompiledConstant& constant = model_.constants[i];
        if (constant.fromFolded) continue;
        Place& place = places_[i];
        place.member = member;
        place.offset = at;
        place.size = constant.dataSize;
        at += isPlain || filled != size ? constant.dataSize : padded(constant.dataSize);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        Place& place = places_[i];
        if (!place.whyNot.empty()) continue;
        if (packed[i]) {
            place.whyNot = "It is packed for the kernel that reads it, so its bytes are in no order that can be compared.";
            continue;
        }
        const auto needed = layout(i).requiredStorageBytes();
        if (!needed) {
            place.whyNot = "Its dtype, shape or strides are not known.";
        } else if (*needed > place.size) {
            place.whyNot = "It has fewer bytes than its shape needs.";
        }
    }
}

/// {fqn: [record, [shape], [stride], offset]}; each record is a torch.save file of one whole tensor.
void ConstantReader::placePickles() {
    const Result<ByteBuffer> bytes = archive_.read(*model_.weightsConfig, kMostModelJsonBytes);
    const nlohmann::json config = bytes ? nlohmann::json::parse(asText(*bytes), nullptr, false) : nlohmann::json();
    if (!config.is_object()) return refuseAll("The list of the weights beside the library cannot be read.");
    for (std::size_t i = 0; i < places_.size(); ++i) {
        Place& place = places_[i];
        if (!place.whyNot.empty()) continue;
        const auto entry = config.find(model_.constants[i].fqn);
        if (entry == config.end() || !entry->is_array() || entry->empty() || !(*entry)[0].is_string()) {
            place.whyNot = "The list of the weights beside the library does not name it.";
            continue;
        }
        place.member = archive_.find("data/weights/" + (*entry)[0].get<std::string>());
        place.pickle = true;
        if (!place.member) place.whyNot = "Its record beside the library is missing.";
    }
}

TensorLayout ConstantReader::layout(std::size_t index) const {
    const CompiledConstant& constant = model_.constants[index];
    TensorLayout layout;
    layout.dtype = constant.dtype.value;
    layout.sizes = constant.shape;
    layout.strides = constant.stride;
    if (constant.offset <= static_cast<std::uint64_t>(INT64_MAX)) layout.storageOffset = static_cast<std::int64_t>(constant.offset);
    return layout;
}

Status ConstantReader::readAt(const Place& place, std::uint64_t offset, MutableBytes out) const {
    std::uint64_t at = 0;
    if (!addSafe(place.offset, offset, at) || offset > place.size || out.size() > place.size - offset) return shortMember();
    if (place.member != model_.library || library_->held.empty()) return archive_.readAt(*place.member, at, out);
    if (at > library_->held.size() || out.size() > library_->held.size() - at) return shortMember();
    return library_->source.readAt(at, out);
}

Result<Tensor> ConstantReader::load(std::size_t index) const {
    const Place& place = places_[index];
    if (!place.whyNot.empty() || !place.member) {
        return fail({ErrorKind::Unreadable,
                     "compiled.constant-unreadable",
                     fmt::format("The values of the compiled constant \"{}\" cannot be read.", escapeForDisplay(model_.constants[index].fqn)),
                     "compiled/" + model_.name,
                     place.whyNot.empty() ? "It is not known where they are." : place.whyNot,
                     {}});
    }
    if (place.pickle) {
        Result<ByteBuffer> bytes = archive_.read(*place.member, kMostPickle);
        if (!bytes) return fail(bytes.error());
        Result<TorchSaveFile> file = TorchSaveFile::read(std::move(*bytes));
        if (!file) return fail(file.error());
        return file->tensor(*file->root());
    }
    ByteBuffer bytes(static_cast<std::size_t>(place.size));
    if (Status read = readAt(place, 0, bytes); !read) return fail(read.error());
    return makeTensor(layout(index), std::move(bytes));
}

Status ConstantReader::stream(std::size_t index, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) const {
    const Place& place = places_[index];
    const TensorLayout shape = layout(index);
    if (!place.whyNot.empty() || place.pickle || !shape.isContiguous()) {
        const auto tensor = load(index);
        if (!tensor) return fail(tensor.error());
        return forEachContiguousChunk(tensor->view(), [&](Bytes piece) -> Status {
            if (cancel.requested()) return cancelled();
            return sink(piece);
        });
    }
    const std::uint64_t item = dtypeSize(shape.dtype);
    const std::uint64_t count = shape.elementCount().value_or(0);
    std::uint64_t at = static_cast<std::uint64_t>(shape.storageOffset) * item;  // within place.size: checked when it was placed
    ByteBuffer piece(static_cast<std::size_t>(std::min<std::uint64_t>(count * item, kPiece)));
    for (std::uint64_t left = count * item; left > 0;) {
        if (cancel.requested()) return cancelled();
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size()));
        if (Status read = readAt(place, at, MutableBytes(piece).first(part)); !read) return read;
        if (Status sent = sink(Bytes(piece).first(part)); !sent) return sent;
        at += part;
        left -= part;
    }
    return {};
}

}  // namespace pt2

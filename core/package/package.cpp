#include "core/package/package.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/package/package_reader.h"

namespace pt2 {

const WeightEntry* ProgramEntry::findWeight(std::string_view fqn) const {
    for (const std::vector<WeightEntry>* list : {&weights, &constants}) {
        const auto found = std::find_if(list->begin(), list->end(), [&](const WeightEntry& w) { return w.fqn == fqn; });
        if (found != list->end()) return &*found;
    }
    return nullptr;
}

Result<std::shared_ptr<const Package>> Package::open(const std::filesystem::path& path, const CancelToken& cancel, const ProgressSink& progress) {
    Issues issues;
    Result<std::shared_ptr<const Archive>> archive = Archive::open(path, issues, cancel);
    if (!archive) return tl::unexpected(archive.error());
    return read(std::move(*archive), std::move(issues), cancel, progress);
}

Result<std::shared_ptr<const Package>> Package::read(std::shared_ptr<const Archive> archive, Issues issues, const CancelToken& cancel,
                                                     const ProgressSink& progress) {
    return PackageReader(std::move(archive), std::move(issues), cancel, progress).read();
}

Result<Tensor> Package::loadWeight(const WeightEntry& weight) const {
    const std::string name = escapeForDisplay(weight.fqn);
    const auto refuse = [&](const char* code, std::string why, std::string help = {}) {
        return fail({ErrorKind::Unreadable, code, fmt::format("Cannot read the weight \"{}\".", name), "weights/" + weight.fqn, std::move(why),
                     std::move(help)});
    };
    if (!weight.member) return refuse("weights.no-record", "Its record is not in the archive.");
    if (weight.inTorchSave) {
        const auto file = torchSaves_.find(*weight.member);
        if (file == torchSaves_.end()) return refuse("weights.no-record", "The record that holds all weights could not be read.");
        const PickleNode* dict = file->second->root().get();
        while (dict != nullptr && dict->kind == PickleNode::Kind::Call && !dict->children.empty()) dict = dict->children.front().get();
        if (dict == nullptr) return refuse("weights.no-record", "The record that holds all weights is no dictionary.");
        for (std::size_t i = 0; i + 1 < dict->children.size(); i += 2) {
            if (dict->children[i]->text == weight.fqn && dict->children[i + 1]->kind == PickleNode::Kind::Tensor) {
                return file->second->tensor(*dict->children[i + 1]);
            }
        }
        return refuse("weights.not-a-tensor", "It is an object, not a plain tensor.");
    }
    if (weight.isObject) return refuse("weights.object", "It is an object, not a tensor.", "See its record on the Files page.");
    Result<ByteBuffer> bytes = archive_->read(*weight.member, std::uint64_t{1} << 40);
    if (!bytes) return tl::unexpected(bytes.error());
    if (weight.usePickle) {
        Result<TorchSaveFile> file = TorchSaveFile::read(std::move(*bytes));
        if (!file) return tl::unexpected(file.error());
        if (file->root()->kind != PickleNode::Kind::Tensor) {
            return refuse("weights.subclass", fmt::format("It is a tensor subclass ({}).", escapeForDisplay(file->root()->text)),
                          "Its parts are listed with its record on the Files page.");
        }
        return file->tensor(*file->root());
    }
    if (weight.layout.dtype == DType::Unknown) return refuse("weights.no-meta", "Its dtype or shape is not known.");
    if (bytes->empty()) {  // fake tensors and tensors without elements have an empty record and read as zeros (format.md 3.1)
        Result<std::uint64_t> required = weight.layout.requiredStorageBytes();
        if (!required) return tl::unexpected(required.error());
        if (*required > (std::uint64_t{1} << 34))
            return refuse("weights.zero-filled", "Its record is empty and its shape too large to fill with zeros.");
        bytes->resize(*required);
    }
    return makeTensor(weight.layout, std::move(*bytes));
}

Result<TorchSaveFile> Package::loadSampleInputs(const ProgramEntry& entry) const {
    if (!entry.sampleInputs || archive_->members()[*entry.sampleInputs].size == 0) {
        return fail({ErrorKind::Usage,
                     "samples.none",
                     fmt::format("No sample inputs are stored for \"{}\".", escapeForDisplay(entry.name)),
                     {},
                     {},
                     "Inputs can be made from the signature instead; leave --sample out."});
    }
    Result<ByteBuffer> bytes = archive_->read(*entry.sampleInputs);
    if (!bytes) return tl::unexpected(bytes.error());
    return TorchSaveFile::read(std::move(*bytes));
}

}  // namespace pt2

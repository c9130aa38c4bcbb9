#pragma once

#include <string_view>
#include <vector>

#include "core/package/package.h"

namespace pt2 {

/// Reads a PayloadConfig (format.md 1.3): {"config": {fqn: {path_name, is_param, use_pickle, tensor_meta}}}. `folder` is the records' folder below
/// the root ("data/weights"). Entries that contradict themselves or the archive stay in the list and become issues; only text that is no
/// PayloadConfig at all is an error.
Result<std::vector<WeightEntry>> readPayloadConfig(std::string_view json, const Archive& archive, std::string_view folder, std::string_view where,
                                                   Issues& issues);

/// Entries for the tensors of a torch.save dict FQN → tensor (format.md 3.3).
std::vector<WeightEntry> entriesOfTorchSave(const TorchSaveFile& file, MemberIndex member);

/// Says of each entry whether its record can hold it: storage short, negative or overflowing sizes, bytes that are no whole number of elements.
void checkWeightEntries(const Archive& archive, const std::vector<WeightEntry>& entries, Issues& issues);

}  // namespace pt2

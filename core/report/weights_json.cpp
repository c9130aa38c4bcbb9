#include "core/report/weights_json.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/hash.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

/// Whether the elements lie in the record as they are hashed: then the record is streamed and never held in memory.
bool canStream(const Package& package, const WeightEntry& entry, std::uint64_t& begin, std::uint64_t& length) {
    if (!entry.member || entry.usePickle || entry.isObject || entry.inTorchSave || package.byteorder() == "big" || !entry.layout.isContiguous())
        return false;
    if (entry.layout.storageOffset < 0) return false;
    const auto count = entry.layout.elementCount();
    const std::uint64_t item = dtypeSize(entry.layout.dtype);
    std::uint64_t end = 0;
    return count && *count > 0 && item > 0 && multiplySafe(*count, item, length) &&
           multiplySafe(static_cast<std::uint64_t>(entry.layout.storageOffset), item, begin) && addSafe(begin, length, end) &&
           end <= package.archive().members()[*entry.member].size;
}

Result<std::string> hashStreaming(const Package& package, MemberIndex member, std::uint64_t begin, std::uint64_t length, const CancelToken& cancel) {
    Sha256 hash;
    std::uint64_t position = 0;
    const std::uint64_t end = begin + length;
    const Status status = package.archive().stream(
        member,
        [&](Bytes chunk) -> Status {
            const std::uint64_t from = std::max(begin, position), to = std::min<std::uint64_t>(end, position + chunk.size());
            if (from < to) hash.update(chunk.subspan(from - position, to - from));
            position += chunk.size();
            return {};
        },
        cancel);
    if (!status) return fail(status.error());
    return hash.hex();
}

/// Whether two entries are views of one storage: a record of its own, or a storage of the torch.save record that holds them all.
bool shareStorage(const WeightEntry& a, const WeightEntry& b) {
    return a.member && a.member == b.member && a.inTorchSave == b.inTorchSave && (!a.inTorchSave || a.pathName == b.pathName);
}

/// The last storage read, so that views and tied weights do not read it again.
struct LastStorage {
    const WeightEntry* entry = nullptr;
    Tensor tensor;
};

Result<std::string> hashOne(const Package& package, const WeightEntry& entry, LastStorage& last, const CancelToken& cancel) {
    std::uint64_t begin = 0, length = 0;
    if (canStream(package, entry, begin, length)) return hashStreaming(package, *entry.member, begin, length, cancel);
    if (last.entry != nullptr && shareStorage(*last.entry, entry) && last.tensor.layout.dtype == entry.layout.dtype) {
        const auto needed = entry.layout.requiredStorageBytes();
        if (needed && *needed <= last.tensor.storage.size()) return tensorSha256({entry.layout, last.tensor.storage});
    }
    auto tensor = package.loadWeight(entry);
    if (!tensor) return fail(tensor.error());
    auto sha = tensorSha256(tensor->view());
    // An empty record stands for zeros of any size, so it is no storage to share.
    if (entry.member && package.archive().members()[*entry.member].size > 0) {
        last.entry = &entry;
        last.tensor = std::move(*tensor);
    }
    return sha;
}

}  // namespace

Result<Json> weightsJson(const Package& package, const std::vector<WeightEntry>& entries, bool hash, const CancelToken& cancel,
                         const ProgressSink& progress) {
    std::vector<std::string> hashes(entries.size());
    std::vector<Error> unreadable(entries.size());
    if (hash) {
        std::vector<std::size_t> order(entries.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::tie(entries[a].member, entries[a].pathName) < std::tie(entries[b].member, entries[b].pathName);
        });
        LastStorage last;
        const WeightEntry* previous = nullptr;
        std::size_t previousIndex = 0;
        std::uint64_t done = 0;
        for (const std::size_t i : order) {
            if (cancel.requested()) return cancelled();
            const WeightEntry& entry = entries[i];
            report(progress, {"hashing " + entry.fqn, ++done, entries.size(), Progress::Unit::Steps, {}});
            if (entry.isObject || entry.usePickle) continue;
            if (previous != nullptr && shareStorage(*previous, entry) && previous->layout == entry.layout) {
                hashes[i] = hashes[previousIndex];
                unreadable[i] = unreadable[previousIndex];
                continue;
            }
            auto sha = hashOne(package, entry, last, cancel);
            if (!sha && sha.error().kind == ErrorKind::Cancelled) return fail(sha.error());
            if (sha) {
                hashes[i] = std::move(*sha);
            } else {
                unreadable[i] = sha.error();
            }
            previous = &entry;
            previousIndex = i;
        }
    }
    Json out = Json::object();
    out.get_ref<Json::object_t&>().reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const WeightEntry& entry = entries[i];
        Json item = Json::object();
        if (entry.isObject || entry.layout.dtype == DType::Unknown) {
            item = {{"object", entry.isObject ? "custom object" : "unknown"}, {"payload", entry.pathName}, {"use_pickle", entry.usePickle}};
            appendKey(out, entry.fqn, std::move(item));
            continue;
        }
        item["dtype"] = dtypeName(entry.layout.dtype);
        item["shape"] = entry.layout.sizes;
        item["stride"] = entry.layout.strides;
        // A tensor subclass is rebuilt by its own code; what lies where inside is not for us to say.
        item["storage_offset"] = entry.usePickle ? Json() : Json(entry.layout.storageOffset);
        if (!hashes[i].empty()) item["sha256"] = hashes[i];
        item["is_param"] = entry.isParameter;
        item["requires_grad"] = entry.requiresGrad;
        item["payload"] = entry.pathName;
        item["use_pickle"] = entry.usePickle;
        if (entry.member) item["member"] = package.archive().members()[*entry.member].name;
        if (!unreadable[i].what.empty()) item["error"] = errorJson(unreadable[i]);
        appendKey(out, entry.fqn, std::move(item));
    }
    return out;
}

}  // namespace pt2

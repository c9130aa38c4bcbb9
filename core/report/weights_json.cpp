#include "core/report/weights_json.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/hash.h"
#include "core/package/weight_stream.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

/// The last storage read, so that views and tied weights do not read it again.
struct LastStorage {
    const WeightEntry* entry = nullptr;
    Tensor tensor;
};

Result<std::string> hashOne(const Package& package, const WeightEntry& entry, LastStorage& last, const CancelToken& cancel) {
    if (const auto range = contiguousRange(package, entry)) {  // streamed, never held in memory
        Sha256 hash;
        const auto take = [&hash](Bytes piece) -> Status {
            hash.update(piece);
            return {};
        };
        if (Status done = streamRange(package.archive(), *range, dtypeSize(entry.layout.dtype), take, cancel); !done) return fail(done.error());
        return hash.hex();
    }
    if (last.entry != nullptr && sharesStorage(*last.entry, entry) && last.tensor.layout.dtype == entry.layout.dtype) {
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
            if (previous != nullptr && sharesStorage(*previous, entry) && previous->layout == entry.layout) {
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

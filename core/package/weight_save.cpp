#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/package/weight_table.h"

namespace pt2 {

namespace {

/// Counts bytes of several readings into one progress.
struct ByteProgress {
    const ProgressSink& sink;
    std::string stage;
    std::uint64_t done = 0, total = 0;
    void add(std::uint64_t bytes) {
        done += bytes;
        report(sink, {stage, done, total, Progress::Unit::Bytes, {}});
    }
};

}  // namespace

Result<WeightPicture> pictureOf(const WeightTable& table, std::size_t row, std::size_t bins, const CancelToken& cancel,
                                const ProgressSink& progress) {
    const WeightRow& own = table.rows()[row];
    ByteProgress bytes{progress, "reading " + own.name, 0, own.bytes * (bins > 0 ? 2 : 1)};
    WeightPicture picture;
    StatisticsStream statistics(own.layout.dtype);
    Sha256 hash;
    const Status read = table.stream(
        row,
        [&](Bytes piece) -> Status {
            if (cancel.requested()) return cancelled();
            statistics.add(piece);
            hash.update(piece);
            bytes.add(piece.size());
            return {};
        },
        cancel);
    if (!read) return fail(read.error());
    picture.statistics = statistics.result();
    picture.sha256 = hash.hex();
    if (bins == 0) return picture;
    HistogramStream histogram(own.layout.dtype, picture.statistics.minimum, picture.statistics.maximum, bins);
    if (picture.statistics.hasFinite) {
        const Status again = table.stream(
            row,
            [&](Bytes piece) -> Status {
                if (cancel.requested()) return cancelled();
                histogram.add(piece);
                bytes.add(piece.size());
                return {};
            },
            cancel);
        if (!again) return fail(again.error());
    }
    picture.histogram = histogram.result();
    return picture;
}

Result<NamedSources> WeightTable::sources(const std::vector<std::size_t>& rows, std::vector<std::string>& notes, const CancelToken& cancel,
                                          const ProgressSink& progress) const {
    NamedSources sources;
    auto counter = std::make_shared<ByteProgress>(ByteProgress{progress, "saving weights", 0, 0});
    for (const std::size_t row : rows) {
        const WeightRow& own = rows_[row];
        if (own.isSubclass) {
            auto inside = parts(row);
            if (!inside) return fail(inside.error());
            for (const WeightPart& part : *inside) sources.emplace_back(own.name + "." + part.name, sourceOf(part.tensor));
            notes.push_back(fmt::format("\"{}\" is a tensor subclass; its {} parts are saved on their own.", own.name, inside->size()));
            continue;
        }
        if (own.kind == WeightKind::Object || own.layout.dtype == DType::Unknown) {
            notes.push_back(fmt::format("\"{}\" is left out: {}", own.name, own.problem));
            continue;
        }
        counter->total += own.bytes;
        sources.emplace_back(own.name,
                             TensorSource{own.layout.dtype, own.layout.sizes, [this, row, cancel, counter](const std::function<Status(Bytes)>& sink) {
                                              return stream(
                                                  row,
                                                  [&](Bytes piece) -> Status {
                                                      counter->add(piece.size());
                                                      return sink(piece);
                                                  },
                                                  cancel);
                                          }});
    }
    return sources;
}

Status saveWeights(const WeightTable& table, const std::vector<std::size_t>& rows, const std::filesystem::path& path, bool force,
                   std::vector<std::string>& notes, const CancelToken& cancel, const ProgressSink& progress) {
    const std::string ending = path.extension().string();
    const bool npy = ending == ".npy", npz = ending == ".npz", zipped = npz || ending == ".pt";
    if (!npy && !zipped && ending != ".safetensors") {
        return fail({ErrorKind::Usage, "weights.format", fmt::format("\"{}\" is no format that weights are saved in.", path.filename().string()),
                     path.string(), "The name's end says the format.", "Name it .safetensors, .npz, .npy or .pt."});
    }
    if (Status place = checkOutputPlace(path, force); !place) return place;
    // The zip formats read everything twice: once for the checksum.
    const ProgressSink halved = [&progress](const Progress& at) {
        Progress twice = at;
        twice.total *= 2;
        report(progress, twice);
    };
    auto sources = table.sources(rows, notes, cancel, zipped && progress ? halved : progress);
    if (!sources) return fail(sources.error());
    if (sources->empty()) {
        return fail({ErrorKind::Usage,
                     "weights.nothing",
                     "There is no tensor to save among the weights chosen.",
                     path.string(),
                     {},
                     "pt2 weights FILE lists them."});
    }
    if (npy && sources->size() != 1) {
        return fail({ErrorKind::Usage, "weights.npy-one", "A .npy file holds one array.", path.string(),
                     fmt::format("{} tensors were chosen.", sources->size()), "Name one weight, or save as .npz, .safetensors or .pt."});
    }
    if (npy || npz) {
        for (const auto& [name, source] : *sources) {
            if (const char* standIn = numpyStandIn(source.dtype)) {
                notes.push_back(
                    fmt::format("\"{}\" is {}, which numpy lacks: it is saved as {} with the same bits; in Python, "
                                "torch.from_numpy(a).view(torch.{}) is the weight.",
                                name, dtypeName(source.dtype), standIn, dtypeName(source.dtype)));
            }
        }
    }
    if (npy) return writeNpyFile(path, sources->front().second, force);
    if (npz) return writeNpzFile(path, *sources, force);
    if (zipped) return writeTorchSaveFile(path, *sources, force);
    return writeSafetensorsFile(path, *sources, force);
}

}  // namespace pt2

#include "core/report/weight_table_json.h"

#include <algorithm>
#include <utility>

#include "core/report/outcome_json.h"
#include "core/report/tensor_json.h"

namespace pt2 {
namespace {

/// A subclass is taken apart unasked when its record is small; a larger one only when values are asked for.
constexpr std::uint64_t kPartsUnasked = std::uint64_t{16} << 20;

Json headJson(const Tensor& head) {
    Json values = Json::array();
    const std::uint64_t count = head.layout.elementCount().value_or(0);
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(elementJson(head.view(), i));
    return values;
}

Json partJson(const WeightPart& part, const WeightRequest& request) {
    const Tensor& tensor = part.tensor;
    Json out = {{"name", part.name}, {"dtype", dtypeName(tensor.layout.dtype)}, {"shape", tensor.layout.sizes}, {"stride", tensor.layout.strides}};
    if (request.statistics) {
        if (const auto computed = computeStatistics(tensor.view())) out["stats"] = statisticsJson(*computed);
        if (const auto sha = tensorSha256(tensor.view())) out["sha256"] = *sha;
    }
    if (request.values > 0) {
        Json list = Json::array();
        const std::uint64_t count = std::min(request.values, tensor.layout.elementCount().value_or(0));
        for (std::uint64_t i = 0; i < count; ++i) list.push_back(elementJson(tensor.view(), i));
        out["values"] = std::move(list);
    }
    return out;
}

Json quantizedJson(const WeightTable& table, const QuantizedWeight& one) {
    const auto side = [&](const std::optional<std::size_t>& row, const std::optional<double>& value) {
        return row ? Json(table.rows()[*row].name) : value ? numberJson(*value) : Json();
    };
    return {{"scale", side(one.scale, one.scaleValue)},
            {"zero_point", side(one.zeroPoint, one.zeroPointValue)},
            {"axis", one.axis ? Json(*one.axis) : Json()},
            {"origin", one.inferred ? "inferred" : "program"},
            {"why", one.why}};
}

Json rowJson(const WeightTable& table, std::size_t index) {
    const WeightRow& row = table.rows()[index];
    Json out = {{"name", row.name}, {"kind", weightKindName(row.kind)}};
    const bool tensor = row.layout.dtype != DType::Unknown;
    out["dtype"] = tensor ? Json(dtypeName(row.layout.dtype)) : Json();
    out["shape"] = tensor ? Json(row.layout.sizes) : Json();
    out["stride"] = tensor ? Json(row.layout.strides) : Json();
    out["contiguous"] = tensor ? Json(row.layout.isContiguous()) : Json();
    // A tensor subclass is rebuilt by its own code; what lies where inside is not for us to say.
    out["storage_offset"] = tensor && !row.isSubclass ? Json(row.layout.storageOffset) : Json();
    out["elements"] = row.elements;
    out["bytes"] = row.bytes;
    out["requires_grad"] = row.requiresGrad;
    out["used"] = row.used;
    out["subclass"] = row.isSubclass;
    out["member"] = row.member.empty() ? Json() : Json(row.member);
    out["record"] = row.record;
    Json shared = Json::array();
    for (const SharedWith& other : table.sharing(index)) {
        shared.push_back({{"name", table.rows()[other.row].name}, {"as", other.tied ? "tied" : "view"}});
    }
    out["storage"] =
        row.storage == WeightRow::kNoStorage ? Json() : Json{{"id", row.storage}, {"bytes", row.storageBytes}, {"shared_with", std::move(shared)}};
    if (!row.place.empty()) out["where"] = row.place;
    if (!row.problem.empty()) out["problem"] = row.problem;
    return out;
}

}  // namespace

Result<std::vector<WeightFinding>> findOutWeights(const WeightTable& table, const WeightRequest& request, const CancelToken& cancel,
                                                  const ProgressSink& progress) {
    std::vector<WeightFinding> findings;
    std::uint64_t done = 0, total = 0;
    for (const std::size_t row : request.rows) total += request.statistics ? table.rows()[row].bytes : 0;
    for (const std::size_t index : request.rows) {
        if (cancel.requested()) return cancelled();
        const WeightRow& row = table.rows()[index];
        WeightFinding finding;
        finding.row = index;
        const auto keep = [&](Error error) {
            if (!finding.error) finding.error = std::move(error);
        };
        const bool wanted = request.statistics || request.values > 0;
        if (row.isSubclass && row.index && (wanted || table.package()->archive().members()[*row.index].size <= kPartsUnasked)) {
            auto parts = table.parts(index);
            if (parts) {
                finding.parts = std::move(*parts);
            } else {
                keep(parts.error());
            }
        } else if (wanted && row.problem.empty() && !row.isSubclass) {
            if (request.statistics) {
                const ProgressSink shifted = [&](const Progress& at) {
                    report(progress, {at.stage, done + at.done, total, Progress::Unit::Bytes, {}});
                };
                auto picture = pictureOf(table, index, 0, cancel, progress ? shifted : progress);
                if (!picture && picture.error().kind == ErrorKind::Cancelled) return fail(picture.error());
                if (picture) {
                    finding.picture = std::move(*picture);
                } else {
                    keep(picture.error());
                }
                done += row.bytes;
            }
            if (request.values > 0) {
                auto head = table.elements(index, 0, request.values);
                if (head) {
                    finding.head = std::move(*head);
                } else {
                    keep(head.error());
                }
            }
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

Json weightTableJson(const WeightTable& table, const WeightRequest& request, const std::vector<WeightFinding>& findings,
                     const std::vector<CarriedBy>& carried, const std::vector<QuantizedWeight>& quantized) {
    Json weights = Json::array();
    for (const WeightFinding& finding : findings) {
        Json out = rowJson(table, finding.row);
        if (finding.row < carried.size()) {
            const CarriedBy& by = carried[finding.row];
            out["compiled"] = {{"as", carriageName(by.as)},
                               {"constant", by.constant.empty() ? Json() : Json(by.constant)},
                               {"why", by.why},
                               {"where", by.place.empty() ? Json() : Json(by.place)}};
        }
        for (const QuantizedWeight& one : quantized) {
            if (one.weight == finding.row) out["quantized"] = quantizedJson(table, one);
        }
        if (finding.picture) {
            out["stats"] = statisticsJson(finding.picture->statistics);
            out["sha256"] = finding.picture->sha256;
        }
        if (finding.head) out["values"] = headJson(*finding.head);
        if (!finding.parts.empty()) {
            Json parts = Json::array();
            for (const WeightPart& part : finding.parts) parts.push_back(partJson(part, request));
            out["parts"] = std::move(parts);
        }
        if (finding.error) out["error"] = errorJson(*finding.error);
        weights.push_back(std::move(out));
    }
    const WeightTotals& totals = table.totals();
    return {{"format", 1},
            {"model", table.model()},
            {"source", table.ofProgram() ? "program" : "compiled model"},
            {"weights", std::move(weights)},
            {"totals",
             {{"weights", totals.weights},
              {"elements", totals.elements},
              {"bytes", totals.bytes},
              {"stored_bytes", totals.storedBytes},
              {"storages", totals.storages}}}};
}

}  // namespace pt2

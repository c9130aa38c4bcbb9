#pragma once

#include <nlohmann/json.hpp>

#include "core/base/progress.h"
#include "core/compare/compare.h"
#include "core/contract/check.h"
#include "core/package/package.h"

namespace pt2 {

/// The JSON documents of cli.md. Key order is that of cli.md.
using Json = nlohmann::ordered_json;

struct InspectOptions {
    bool hash = false;         ///< sha256 of file, weights and constants
    std::string model;         ///< only this one
    std::string torchVersion;  ///< of the run engine, for `runnable`
};
Result<Json> inspectJson(const Document& document, const InspectOptions& options, const CancelToken& cancel = {}, const ProgressSink& progress = {});
Json nodesJson(const Program& program, const std::string& model, const std::vector<NodeId>& nodes);
Json checkJson(const CheckReport& report);
Json issueJson(const Issue& issue);
Json errorJson(const Error& error);
Json comparisonJson(const Comparison& comparison, const std::string& reference);
Json runnableJson(const Runnable& runnable);

}  // namespace pt2

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
/// Everything there is to know of a document (cli.md "inspect --json"). Usage error for an unknown model; without `hash` no weight is read.
Result<Json> inspectJson(const Document& document, const InspectOptions& options, const CancelToken& cancel = {}, const ProgressSink& progress = {});

/// One program, with the names and values of the corpus' facts; weights are hashed only with `hash`.
Result<Json> programJson(const Package& package, const ProgramEntry& entry, bool hash, const CancelToken& cancel = {},
                         const ProgressSink& progress = {});
Json compiledJson(const Package& package, const CompiledModel& model, const std::string& torchVersion);
/// The members in directory order, with the names of the facts ("crc32" as eight hex digits).
Json membersJson(const Archive& archive);
/// What the stored sample inputs of a program are: null when there are none, else the record and its tensors.
Json sampleInputsJson(const Package& package, const ProgramEntry& entry);

Json nodesJson(const Program& program, const std::string& model, const std::vector<NodeId>& nodes);
Json checkJson(const CheckReport& report);
Json issueJson(const Issue& issue);
Json issuesJson(const Issues& issues);
/// {"code","what","where","why","help"}, the value of "error".
Json errorJson(const Error& error);
Json comparisonJson(const Comparison& comparison, const std::string& reference);
Json runnableJson(const Runnable& runnable);

/// A number as JSON; NaN and infinities, which JSON lacks, as the strings "NaN", "Infinity", "-Infinity".
Json numberJson(double value);
/// The document as text; bytes that are no UTF-8 are replaced, so that a hostile name never breaks the output.
std::string jsonText(const Json& json, int indent = 2);
/// Appends a key that is known to be new, without the search over all keys that operator[] does.
void appendKey(Json& object, std::string key, Json value);

}  // namespace pt2

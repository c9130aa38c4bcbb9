#pragma once

#include <string>

#include "core/base/progress.h"
#include "core/compiled/target.h"
#include "core/package/package.h"
#include "core/report/json_text.h"

namespace pt2 {

struct InspectOptions {
    bool hash = false;  ///< sha256 of file, weights and constants
    std::string model;  ///< only this one
    Target target;      ///< for `runnable` and `needs`: this machine with its run engine, or one that a file describes
};
/// Everything there is to know of a document (cli.md "inspect --json"). Usage error for an unknown model; without `hash` no weight is read.
Result<Json> inspectJson(const Document& document, const InspectOptions& options, const CancelToken& cancel = {}, const ProgressSink& progress = {});

/// One program, with the names and values of the corpus' facts; weights are hashed only with `hash`.
Result<Json> programJson(const Package& package, const ProgramEntry& entry, bool hash, const CancelToken& cancel = {},
                         const ProgressSink& progress = {});
/// Takes the time of readNeeds, since the code of the library is read.
Json compiledJson(const Package& package, const CompiledModel& model, const Target& target, const CancelToken& cancel = {});
/// The members in directory order, with the names of the facts ("crc32" as eight hex digits).
Json membersJson(const Archive& archive);
/// What the stored sample inputs of a program are: null when there are none, else the record and its tensors.
Json sampleInputsJson(const Package& package, const ProgramEntry& entry);

}  // namespace pt2

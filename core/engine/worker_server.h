#pragma once

#include "core/engine/worker_process.h"

namespace pt2 {

/// Says hello, then answers requests until the other side closes; the process's exit status.
///
/// Requests and the body of their results:
///     describe {}                                       → what hello says
///     load {library, blob, device, threads, single_threaded} → {seconds: {library, constants}}
///     run {tensors, steps}                              → a "step" {call, seconds, tensors, inputs_changed} for each call, then {peak_memory,
///     python_mapped} bench {warmup, repeat}                            → {tensors: seconds of each repeat as float64} unload {} → {} cancel {} → no
///     answer; the request in work ends with an Error of kind Cancelled between two calls
int serveWorker(PrivateStreams streams);

}  // namespace pt2

#include "core/report/outcome_json.h"

#include "core/base/advice.h"

namespace pt2 {

Json issueJson(const Issue& issue) {
    return {{"severity", severityName(issue.severity)},
            {"code", issue.code},
            {"where", issue.where},
            {"message", issue.message},
            {"help", adviceOf(issue)}};
}

Json issuesJson(const Issues& issues) {
    Json out = Json::array();
    for (const Issue& issue : issues) out.push_back(issueJson(issue));
    return out;
}

Json errorJson(const Error& error) {
    return {{"code", error.code}, {"what", error.what}, {"where", error.where}, {"why", error.why}, {"help", adviceOf(error)}};
}

Json checkJson(const CheckReport& report) {
    Json breaches = Json::array();
    for (const Breach& b : report.breaches) {
        breaches.push_back({{"input", b.input},
                            {"dimension", b.dimension ? Json(*b.dimension) : Json()},
                            {"what", breachName(b.what)},
                            {"found", b.found},
                            {"allowed", b.allowed},
                            {"caught_by_runtime_checks", b.caughtByRuntimeChecks},
                            {"fix", b.fixSentence.empty() ? b.fix : b.fixSentence},
                            {"sentence", b.sentence}});
    }
    return {{"format", 1}, {"ok", report.ok()}, {"breaches", std::move(breaches)}, {"notes", report.notes}};
}

Json runnableJson(const Runnable& runnable) {
    const char* verdict = runnable.verdict == Runnable::Verdict::Yes ? "yes" : runnable.verdict == Runnable::Verdict::No ? "no" : "unknown";
    Json reasons = Json::array();
    for (const RunReason& r : runnable.reasons) {
        reasons.push_back({{"what", r.what}, {"found", r.found}, {"needed", r.needed}, {"ok", r.ok ? Json(*r.ok) : Json()}, {"help", r.help}});
        if (r.warning) reasons.back()["warning"] = true;
    }
    return {{"verdict", verdict}, {"reasons", std::move(reasons)}};
}

Json comparisonJson(const Comparison& comparison, const std::string& reference) {
    Json outputs = Json::array();
    Json rtol, atol;
    bool sameTolerance = true;
    bool first = true;
    for (const OutputComparison& o : comparison.outputs) {
        Json item = {{"name", o.name}, {"ok", o.ok}};
        if (!o.comparable) {
            item["comparable"] = false;
            item["reason"] = o.reason;
            outputs.push_back(std::move(item));
            continue;
        }
        item["identical"] = o.identical;
        item["max_abs"] = numberJson(o.maxAbs);
        item["mean_abs"] = numberJson(o.meanAbs);
        item["max_rel"] = numberJson(o.maxRel);
        item["cosine"] = numberJson(o.cosine);
        item["sqnr_db"] = o.sqnrDb ? numberJson(*o.sqnrDb) : Json();
        item["mismatched"] = o.mismatched;
        item["total"] = o.total;
        item["worst"] = o.total == 0 ? Json() : Json{{"index", o.worstIndex}, {"actual", o.worstActual}, {"expected", o.worstExpected}};
        item["nan_mismatch"] = o.nanMismatch;
        item["needed_rtol"] = numberJson(o.neededRtol);
        item["dtype"] = dtypeName(o.dtype);
        item["rtol"] = o.tolerance.rtol;
        item["atol"] = o.tolerance.atol;
        if (first) {
            rtol = o.tolerance.rtol;
            atol = o.tolerance.atol;
            first = false;
        } else if (rtol != o.tolerance.rtol || atol != o.tolerance.atol) {
            sameTolerance = false;
        }
        outputs.push_back(std::move(item));
    }
    // One tolerance for all is said once; where dtypes differ each output carries its own.
    return {{"format", 1},
            {"ok", comparison.ok()},
            {"verdict", comparison.verdict()},
            {"sentence", comparison.sentence()},
            {"outputs", std::move(outputs)},
            {"reference", reference},
            {"rtol", sameTolerance ? rtol : Json()},
            {"atol", sameTolerance ? atol : Json()}};
}

}  // namespace pt2

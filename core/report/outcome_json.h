#pragma once

#include <string>

#include "core/base/issue.h"
#include "core/base/result.h"
#include "core/compare/compare.h"
#include "core/compiled/runnable.h"
#include "core/contract/check.h"
#include "core/report/json_text.h"

namespace pt2 {

// What checks, comparisons and errors say, in the words of cli.md "Other JSON".

Json checkJson(const CheckReport& report);
Json issueJson(const Issue& issue);
Json issuesJson(const Issues& issues);
/// {"code","what","where","why","help"}, the value of "error".
Json errorJson(const Error& error);
Json comparisonJson(const Comparison& comparison, const std::string& reference);
Json runnableJson(const Runnable& runnable);

}  // namespace pt2

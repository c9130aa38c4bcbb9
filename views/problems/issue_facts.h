#pragma once

#include <vector>

#include "core/base/issue.h"
#include "views/frame/document_session.h"
#include "views/theme/theme.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// What the Problems page shows, without widgets.

State issueState(Severity severity);
/// "This file is damaged. Most of it can still be read." with what still works; empty title when there is no error.
struct ProblemsHead {
    State state = State::Ok;
    QString title, text;
};
ProblemsHead problemsHead(const DocumentSession& session);
/// What was checked while opening, and what reading the whole of the file(s) has shown.
QString checkedText(const DocumentSession& session);
/// One row an issue, in the session's order; the row's address is "issue/N".
std::vector<Row> issueRows(const Issues& issues, bool errors, bool warnings, bool notes);
/// All issues as plain text for a bug report.
QString issuesReport(const DocumentSession& session);
/// Index of an "issue/N" address.
std::optional<std::size_t> issueIndex(const QString& address);
/// The member an issue is about, by its place ("file/data/weights/weight_0", "models/model.json: node 1", "weights/fc.bias").
std::optional<std::pair<std::shared_ptr<const Package>, MemberIndex>> issueMember(const DocumentSession& session, const Issue& issue);

}  // namespace pt2::views

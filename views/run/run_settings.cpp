#include "views/run/run_settings.h"

namespace pt2::views {

RunSettings& RunSettings::of(DocumentSession& session) {
    if (auto* found = session.findChild<RunSettings*>({}, Qt::FindDirectChildrenOnly)) return *found;
    return *new RunSettings(&session);
}

}  // namespace pt2::views

#pragma once

#include "views/frame/page.h"

namespace pt2::views {

/// Every page of the window in the order people work, and the inspector. The one place that knows all pages.
void registerPages(PageRegistry& registry);

}  // namespace pt2::views

#pragma once

#include "core/package/linked_kernels.h"
#include "core/report/json_text.h"

namespace pt2 {

/// The kernels in call order (cli.md "kernels --json").
Json kernelsJson(const LinkedKernels& kernels);

}  // namespace pt2

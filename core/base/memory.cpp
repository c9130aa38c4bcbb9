#include "core/base/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace pt2 {

std::optional<std::uint64_t> availableMemory() {
    std::optional<std::uint64_t> free;
    std::ifstream info("/proc/meminfo");
    std::string name, unit;
    std::uint64_t value = 0;
    while (info >> name >> value) {
        std::getline(info, unit);
        if (name != "MemAvailable:") continue;
        free = value * 1024;
        break;
    }
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        free = std::min<std::uint64_t>(free.value_or(limit.rlim_cur), limit.rlim_cur);
    }
    return free;
}

}  // namespace pt2

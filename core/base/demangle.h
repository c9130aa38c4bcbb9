#pragma once

#include <string>
#include <string_view>

namespace pt2 {

/// A C++ symbol as people write it, "at::abc(std::string const&, bool)" for "_ZN2at3abcERKSsb"; any other name as it is. So is a mangled one whose
/// readable form could be very long: names come from files, and a short one can stand for gigabytes.
std::string demangled(std::string_view symbol);

}  // namespace pt2

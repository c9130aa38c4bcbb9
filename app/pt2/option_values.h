#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string_view>

namespace pt2 {

// What a value of an option must be, said in our words.

/// A finite number that is 0 or more: no nan, no inf. False for any other text.
bool readFiniteNumber(std::string_view text, double& value);
CLI::Validator finiteNumber();
/// A whole number in decimal digits within both bounds.
CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most);
/// cpu, cuda or cuda:N (and the other names that torch has for devices).
CLI::Validator deviceName();

}  // namespace pt2

#include "app/pt2/option_values.h"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "core/base/text.h"
#include "core/run/refusal.h"

namespace pt2 {
namespace {

std::string shown(const std::string& text) { return "\"" + escapeForDisplay(elideMiddle(text, 60)) + "\""; }

template <typename Number>
bool readWhole(std::string_view text, Number& value) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool readFiniteNumber(std::string_view text, double& value) { return readWhole(text, value) && std::isfinite(value) && value >= 0; }

CLI::Validator finiteNumber() {
    return CLI::Validator(
        [](std::string& text) {
            double value = 0;
            return readFiniteNumber(text, value) ? std::string() : shown(text) + " is no number of 0 or more";
        },
        "");
}

CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most) {
    return CLI::Validator(
        [least, most](std::string& text) {
            std::uint64_t value = 0;
            if (readWhole(text, value) && value >= least && value <= most) return std::string();
            return shown(text) + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most);
        },
        "");
}

CLI::Validator deviceName() {
    return CLI::Validator(
        [](std::string& text) { return isDeviceName(text) ? std::string() : shown(text) + " is no device; devices are cpu, cuda, cuda:1 and so on"; },
        "");
}

}  // namespace pt2

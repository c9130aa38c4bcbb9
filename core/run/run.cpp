#include "core/run/run.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/compare/compare.h"

namespace pt2 {

namespace {

bool sameTensors(const NamedTensors& left, const NamedTensors& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const Tensor &a = left[i].second, &b = right[i].second;
        if (left[i].first != right[i].first || a.layout.dtype != b.layout.dtype || a.layout.sizes != b.layout.sizes) return false;
        if (isNone(a.view()) && isNone(b.view())) continue;
        const auto x = contiguous(a), y = contiguous(b);
        if (!x || !y) return false;
        const std::uint64_t bytes = x->layout.requiredStorageBytes().value_or(0);
        const std::size_t item = dtypeSize(a.layout.dtype);
        if (bytes > 0 && std::memcmp(x->storage.data() + static_cast<std::size_t>(x->layout.storageOffset) * item,
                                     y->storage.data() + static_cast<std::size_t>(y->layout.storageOffset) * item,
                                     static_cast<std::size_t>(bytes) - static_cast<std::size_t>(x->layout.storageOffset) * item) != 0) {
            return false;
        }
    }
    return true;
}

/// Slope of a line through the second half of the values, by least squares: what comes first is the warming up of allocators and caches.
std::optional<double> slopeOf(const std::vector<double>& values) {
    constexpr std::size_t kLeast = 8;
    if (values.size() < kLeast) return std::nullopt;
    const std::size_t first = values.size() / 2;
    const double count = static_cast<double>(values.size() - first), middle = (count - 1) / 2;
    double mean = 0;
    for (std::size_t i = first; i < values.size(); ++i) mean += values[i] / count;
    double products = 0, squares = 0;
    for (std::size_t i = first; i < values.size(); ++i) {
        const double x = static_cast<double>(i - first) - middle;
        products += x * (values[i] - mean);
        squares += x * x;
    }
    return squares > 0 ? products / squares : 0;
}

}  // namespace

double RunSeconds::percentile(double p) const {
    if (samples.empty()) return first;
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    // Linear between the two nearest samples, as numpy does.
    const double place = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const std::size_t below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}
double RunSeconds::median() const { return percentile(0.5); }
double RunSeconds::minimum() const { return samples.empty() ? first : *std::min_element(samples.begin(), samples.end()); }

bool RunReport::same() const {
    if (!off || !on || !*off || !*on) return false;
    const RunOutcome &a = **off, &b = **on;
    if (!sameTensors(a.outputs, b.outputs) || a.steps.size() != b.steps.size()) return false;
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
        if (!sameTensors(a.steps[i], b.steps[i])) return false;
    }
    return true;
}

std::optional<double> Soak::bytesPerLoad() const { return slopeOf(bytes); }
std::optional<double> Soak::mappingsPerLoad() const { return slopeOf(mappings); }

}  // namespace pt2

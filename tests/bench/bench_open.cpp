#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/program/program.h"

// bench_open FILE [REPEATS]: opens the archive, reads its program and resolves every node, value, user list, module path and signature entry.
// Prints one JSON object: the best and the median time in milliseconds, the time of the open alone, and a checksum over all that was resolved.

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

/// FNV-1a over texts and numbers; a peer in another language can compute the same.
class Checksum {
public:
    void add(std::string_view text) {
        for (char c : text) byte(static_cast<unsigned char>(c));
        byte(0);
    }
    void add(std::uint64_t number) {
        for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(number >> (8 * i)));
    }
    std::uint64_t value() const { return hash_; }

private:
    void byte(unsigned char c) { hash_ = (hash_ ^ c) * 0x100000001B3U; }
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

std::uint64_t resolve(const pt2::Program& program) {
    Checksum sum;
    for (pt2::NodeId id = 0; id < program.nodes().size(); ++id) {
        const pt2::Node& node = program.node(id);
        sum.add(node.target);
        sum.add(program.displayName(id));
        sum.add(program.modulePath(id));
        program.forEachInputValue(node, [&](pt2::ValueId value) { sum.add(program.value(value).name); });
        program.forEachOutputValue(node, [&](pt2::ValueId value) { sum.add(program.value(value).name); });
    }
    for (const pt2::Value& value : program.values()) {
        sum.add(value.name);
        sum.add(static_cast<std::uint64_t>(value.dtype));
        for (const pt2::SymInt& size : program.sizes(value))
            size.isSymbolic() ? sum.add(program.expression(size.expr)->print()) : sum.add(static_cast<std::uint64_t>(size.integer));
        for (pt2::NodeId user : program.users(value)) sum.add(program.displayName(user));
    }
    for (const pt2::InputSpec& spec : program.inputSpecs()) {
        sum.add(pt2::inputKindName(spec.kind));
        sum.add(spec.name);
        sum.add(spec.target);
    }
    for (const pt2::OutputSpec& spec : program.outputSpecs()) {
        sum.add(pt2::outputKindName(spec.kind));
        sum.add(spec.name);
        sum.add(spec.target);
    }
    return sum.value();
}

struct Measured {
    double openMs = 0, readMs = 0, parseMs = 0, resolveMs = 0, totalMs = 0;
    std::uint64_t checksum = 0;
    std::size_t nodes = 0, values = 0, bytes = 0;
};

bool measure(const char* path, Measured& out) {
    pt2::Issues issues;
    const auto start = Clock::now();
    const auto archive = pt2::Archive::open(path, issues);
    if (!archive) {
        std::fprintf(stderr, "%s\n", archive.error().what.c_str());
        return false;
    }
    out.openMs = millisecondsSince(start);
    for (pt2::MemberIndex member = 0; member < (*archive)->members().size(); ++member) {
        const std::string_view name = (*archive)->nameBelowRoot(member);
        if (name.substr(0, 7) != "models/" || name.size() < 12 || name.substr(name.size() - 5) != ".json") continue;
        auto at = Clock::now();
        auto bytes = (*archive)->read(member);
        if (!bytes) {
            std::fprintf(stderr, "%s\n", bytes.error().what.c_str());
            return false;
        }
        out.readMs = millisecondsSince(at);
        out.bytes = bytes->size();
        at = Clock::now();
        const auto program = pt2::Program::parse(std::move(*bytes), std::string(name), issues);
        if (!program) {
            std::fprintf(stderr, "%s %s\n", program.error().what.c_str(), program.error().why.c_str());
            return false;
        }
        out.parseMs = millisecondsSince(at);
        at = Clock::now();
        out.checksum = resolve(**program);
        out.resolveMs = millisecondsSince(at);
        out.totalMs = millisecondsSince(start);
        out.nodes = (*program)->nodes().size();
        out.values = (*program)->values().size();
        return true;
    }
    std::fprintf(stderr, "%s holds no program.\n", path);
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "bench_open FILE [REPEATS]\n");
        return 2;
    }
    const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
    std::vector<Measured> runs(static_cast<std::size_t>(repeats));
    for (Measured& run : runs)
        if (!measure(argv[1], run)) return 3;
    std::sort(runs.begin(), runs.end(), [](const Measured& a, const Measured& b) { return a.totalMs < b.totalMs; });
    const Measured& best = runs.front();
    const Measured& median = runs[runs.size() / 2];
    std::printf(
        "{\"best_ms\": %.3f, \"median_ms\": %.3f, \"open_ms\": %.3f, \"read_ms\": %.3f, \"parse_ms\": %.3f, \"resolve_ms\": %.3f, \"nodes\": %zu, "
        "\"values\": %zu, "
        "\"json_bytes\": %zu, \"checksum\": \"%016llx\"}\n",
        best.totalMs, median.totalMs, median.openMs, median.readMs, median.parseMs, median.resolveMs, median.nodes, median.values, median.bytes,
        static_cast<unsigned long long>(median.checksum));
    return 0;
}

// pt2-worker: the child process in which models run. Started by pt2scope and pt2; `--stdio` speaks the same protocol over a byte stream.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/engine/worker_process.h"
#include "core/engine/worker_server.h"

namespace {

void complain(const pt2::Error& error) { std::fprintf(stderr, "pt2-worker: %s %s\n", error.what.c_str(), error.why.c_str()); }

/// The number behind `--name=`, or -1.
long long numberAfter(std::string_view argument, std::string_view name) {
    if (argument.substr(0, name.size()) != name) return -1;
    char* end = nullptr;
    const long long value = std::strtoll(argument.data() + name.size(), &end, 10);
    return end == argument.data() + argument.size() && value >= 0 ? value : -1;
}

}  // namespace

int main(int argc, char** argv) {
    bool socket = false;
    for (int i = 1; i < argc; ++i) socket = socket || std::string_view(argv[i]) == "--socket";
    auto streams = pt2::takeStreams(socket);
    if (!streams) {
        complain(streams.error());
        return 1;
    }
    bool known = false;
    long parent = 0;
    std::uint64_t memory = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--socket" || argument == "--stdio") {
            known = true;
        } else if (const long long bytes = numberAfter(argument, "--memory="); bytes >= 0) {
            memory = static_cast<std::uint64_t>(bytes);
        } else if (const long long pid = numberAfter(argument, "--parent="); pid >= 0) {
            parent = static_cast<long>(pid);
        } else {
            known = false;
            break;
        }
    }
    if (!known) {
        std::fprintf(stderr, "pt2-worker runs compiled models for pt2scope and pt2, which start it. By hand: pt2-worker --stdio [--memory=BYTES]\n");
        return 2;
    }
    pt2::standAlone();
    if (parent > 0) pt2::dieWithParent(parent);
    pt2::reportCrashes();
    if (auto limited = pt2::limitMemory(memory); !limited) {
        complain(limited.error());
        return 1;
    }
    return pt2::serveWorker(std::move(*streams));
}

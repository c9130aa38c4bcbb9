#include "app/pt2/interrupt.h"

#include <array>
#include <csignal>

namespace pt2 {
namespace {

// Lives until the process ends: the handler may run at any moment.
const CancelToken* interruptToken = nullptr;

void onInterrupt(int signal) {
    if (interruptToken->requested()) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
        return;
    }
    interruptToken->request();
}

void onClosedPipe(int) {}

}  // namespace

void installInterrupt(const CancelToken& token) {
    static const CancelToken kept = token;
    interruptToken = &kept;
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    sigemptyset(&action.sa_mask);
    for (const int signal : std::array<int, 3>{SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
    struct sigaction pipe {};
    pipe.sa_handler = onClosedPipe;  // a handler, since SIG_IGN would be inherited by the worker and the compilers
    sigemptyset(&pipe.sa_mask);
    pipe.sa_flags = SA_RESTART;
    sigaction(SIGPIPE, &pipe, nullptr);
}

}  // namespace pt2

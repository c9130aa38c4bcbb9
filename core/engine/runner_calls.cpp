#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/engine/compiled_runner.h"
#include "core/engine/runner_state.h"
#include "core/engine/thrown.h"

namespace pt2 {

namespace {

using Clock = std::chrono::steady_clock;

/// A boxed call owns its list of inputs and lets go of each when it is done with it.
std::vector<at::Tensor> callOnce(torch::inductor::AOTIModelContainerRunner& runner, const std::vector<at::Tensor>& inputs, bool boxed) {
    if (!boxed) return runner.run(inputs);
    std::vector<at::Tensor> own = inputs;
    return runner.boxed_run(std::move(own));
}

}  // namespace

Result<double> CompiledRunner::call(bool boxed) {
    try {
        const c10::InferenceMode inference;
        state_->outputs.clear();
        const auto start = Clock::now();
        state_->outputs = callOnce(*state_->runner, state_->inputs, boxed);
        state_->synchronize();
        return secondsSince(start);
    } catch (...) {
        return runFailed(describe(std::current_exception()), "The model raised an error.");
    }
}

Result<CallsAtOnce> CompiledRunner::callAtOnce(int callers, std::int64_t calls, bool boxed, const std::atomic<bool>& stop,
                                               const std::function<void(std::int64_t done)>& told) {
    const std::size_t count = static_cast<std::size_t>(std::max(1, callers));
    CallsAtOnce result;
    std::atomic<std::int64_t> taken{0}, done{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::exception_ptr thrown;
    std::vector<std::vector<double>> seconds(count);
    const auto start = Clock::now();
    std::vector<Clock::time_point> ends(count, start);  // this thread wakes up too seldom to know
    const auto caller = [&](std::size_t place) {
        try {
            // Both are of the thread.
            if (state_->threads > 0) at::set_num_threads(state_->threads);
            const c10::InferenceMode inference;
            while (!stop && !failed && taken++ < calls) {
                const auto began = Clock::now();
                static_cast<void>(callOnce(*state_->runner, state_->inputs, boxed));
                state_->synchronize();
                seconds[place].push_back(secondsSince(began));
                ends[place] = Clock::now();
                ++done;
            }
        } catch (...) {
            failed = true;
            const std::lock_guard lock(mutex);
            if (!thrown) thrown = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    try {
        for (std::size_t i = 0; i < count; ++i) threads.emplace_back(caller, i);
    } catch (...) {  // the system gives no more threads
        failed = true;
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
    }
    while (!stop && !failed && done < calls) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        told(done);
    }
    for (std::thread& thread : threads) thread.join();
    result.wallSeconds = std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) - start).count();
    if (thrown) return runFailed(describe(thrown), "The model raised an error.");
    for (const std::vector<double>& part : seconds) result.seconds.insert(result.seconds.end(), part.begin(), part.end());
    return result;
}

}  // namespace pt2

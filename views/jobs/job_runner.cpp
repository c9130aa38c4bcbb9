#include "views/jobs/job_runner.h"

#include <QMetaObject>
#include <chrono>
#include <exception>
#include <new>
#include <string>

namespace pt2::views {

namespace {
constexpr int kThreads = 8;  // jobs may wait for a worker process rather than compute
constexpr auto kProgressInterval = std::chrono::milliseconds(50);
}  // namespace

Status job::guarded(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::bad_alloc&) {
        return fail(
            {ErrorKind::System, "system.memory", "There is not enough memory for this.", {}, {}, "Close other programs, or ask for less at once."});
    } catch (const std::exception& thrown) {
        return fail({ErrorKind::System,
                     "system.internal",
                     "pt2scope failed: an internal error.",
                     {},
                     thrown.what(),
                     "This is a defect of pt2scope; a report with the file helps."});
    }
    return {};
}

JobRunner::JobRunner(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(kThreads); }

JobRunner::~JobRunner() { cancelAll(); }

JobId JobRunner::startErased(QObject* context, const QString& key, const QString& title,
                             std::function<Status(const CancelToken&, const ProgressSink&)> work, std::function<void()> done) {
    cancel(key);
    for (auto& [id, job] : running_) {
        if (job.state.key == key) job.stale = true;
    }
    const JobId id = next_++;
    Running job;
    job.state.id = id;
    job.state.key = key;
    job.state.title = title;
    job.state.since.start();
    job.context = context;
    const CancelToken token = job.cancel;
    running_.emplace(id, std::move(job));
    emit started(id);
    pool_.start([this, id, token, work = std::move(work), done = std::move(done)] {
        auto last = std::chrono::steady_clock::now() - kProgressInterval;
        std::string stage;
        const ProgressSink sink = [this, id, &last, &stage](const Progress& progress) {
            const auto now = std::chrono::steady_clock::now();
            // Numbers may be left out; a line and a new stage are said once only.
            if (progress.line.empty() && progress.stage == stage && now - last < kProgressInterval) return;
            last = now;
            stage = progress.stage;
            QMetaObject::invokeMethod(
                this,
                [this, id, progress] {
                    const auto found = running_.find(id);
                    if (found == running_.end() || found->second.stale) return;
                    found->second.state.progress = progress;
                    emit progressed(id, progress);
                },
                Qt::QueuedConnection);
        };
        const Status outcome = work(token, sink);
        QMetaObject::invokeMethod(
            this,
            [this, id, done, outcome] {
                if (!outcome) emit threw(id, outcome.error());
                deliver(id, done);
            },
            Qt::QueuedConnection);
    });
    return id;
}

void JobRunner::deliver(JobId id, const std::function<void()>& done) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    const bool wanted = !found->second.stale && found->second.context;
    running_.erase(found);
    if (wanted) done();
    emit finished(id);
}

void JobRunner::cancel(const QString& key) {
    for (auto& [id, job] : running_) {
        if (job.state.key != key) continue;
        job.cancel.request();
        job.state.cancelling = true;
    }
}

void JobRunner::cancel(JobId id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    found->second.cancel.request();
    found->second.state.cancelling = true;
    emit progressed(id, found->second.state.progress);
}

void JobRunner::cancelAll() {
    for (auto& [id, job] : running_) {
        job.cancel.request();
        job.stale = true;
    }
    pool_.waitForDone();
    running_.clear();
}

bool JobRunner::isRunning(const QString& key) const {
    for (const auto& [id, job] : running_) {
        if (job.state.key == key && !job.stale) return true;
    }
    return false;
}

std::vector<JobState> JobRunner::running() const {
    std::vector<JobState> list;
    for (const auto& [id, job] : running_) list.push_back(job.state);
    return list;
}

}  // namespace pt2::views

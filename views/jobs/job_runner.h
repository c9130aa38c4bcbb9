#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace pt2::views {

using JobId = std::uint64_t;

/// A running task as the status bar shows it.
struct JobState {
    JobId id = 0;
    QString key;    ///< one job a key; starting another replaces it
    QString title;  ///< "Reading weights"
    Progress progress;
    QElapsedTimer since;
    bool cancelling = false;
};

namespace job {
template <typename T>
inline constexpr bool isResult = false;
template <typename T>
inline constexpr bool isResult<Result<T>> = true;
/// Runs `work`; what it throws (no memory, a defect) becomes an Error of kind System.
Status guarded(const std::function<void()>& work);
}  // namespace job

/// All long work of a document: core functions on pool threads with a cancel token and a progress sink; results come back as queued calls and are
/// dropped when a newer job of the same key was started or the receiver is gone. Work that throws does not end the program: a job that returns a
/// Result delivers the Error, another its default value, and `threw` is emitted. Lives on the window's thread.
class JobRunner : public QObject {
    Q_OBJECT
public:
    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    /// Runs `work(cancel, progress)` on a pool thread and then `done(result)` on this thread if `context` still lives.
    template <typename Work, typename Done>
    JobId start(QObject* context, const QString& key, const QString& title, Work work, Done done) {
        using T = std::invoke_result_t<Work, const CancelToken&, const ProgressSink&>;
        auto box = std::make_shared<std::unique_ptr<T>>();
        auto shared = std::make_shared<Work>(std::move(work));
        auto finish = std::make_shared<Done>(std::move(done));
        return startErased(
            context, key, title,
            [box, shared](const CancelToken& cancel, const ProgressSink& sink) -> Status {
                Status outcome = job::guarded([&] { *box = std::make_unique<T>((*shared)(cancel, sink)); });
                if (!outcome) {
                    if constexpr (job::isResult<T>) {
                        *box = std::make_unique<T>(tl::unexpected<Error>(outcome.error()));
                    } else {
                        *box = std::make_unique<T>();
                    }
                }
                return outcome;
            },
            [box, finish] {
                if (*box) (*finish)(std::move(**box));
            });
    }
    void cancel(const QString& key);
    void cancel(JobId id);
    /// Asks all jobs to stop and waits for them; their results are dropped.
    void cancelAll();
    bool isRunning(const QString& key) const;
    bool isIdle() const { return running_.empty(); }
    std::vector<JobState> running() const;

signals:
    void started(pt2::views::JobId id);
    void progressed(pt2::views::JobId id, const pt2::Progress& progress);
    void finished(pt2::views::JobId id);
    /// Before `finished`, also of a job whose result is dropped.
    void threw(pt2::views::JobId id, const pt2::Error& error);

private:
    struct Running {
        JobState state;
        CancelToken cancel;
        QPointer<QObject> context;
        bool stale = false;
    };
    JobId startErased(QObject* context, const QString& key, const QString& title, std::function<Status(const CancelToken&, const ProgressSink&)> work,
                      std::function<void()> done);
    void deliver(JobId id, const std::function<void()>& done);
    QThreadPool pool_;
    std::map<JobId, Running> running_;
    JobId next_ = 1;
};

}  // namespace pt2::views

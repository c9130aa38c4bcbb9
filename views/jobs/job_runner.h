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

/// All long work of a document: core functions on pool threads with a cancel token and a progress sink; results come back as queued calls and are
/// dropped when a newer job of the same key was started or the receiver is gone. Lives on the window's thread.
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
            [box, shared](const CancelToken& cancel, const ProgressSink& sink) { *box = std::make_unique<T>((*shared)(cancel, sink)); },
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

private:
    struct Running {
        JobState state;
        CancelToken cancel;
        QPointer<QObject> context;
        bool stale = false;
    };
    JobId startErased(QObject* context, const QString& key, const QString& title, std::function<void(const CancelToken&, const ProgressSink&)> work,
                      std::function<void()> done);
    void deliver(JobId id, const std::function<void()>& done);
    QThreadPool pool_;
    std::map<JobId, Running> running_;
    JobId next_ = 1;
};

}  // namespace pt2::views

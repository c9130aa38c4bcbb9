#include <QSemaphore>
#include <QSignalSpy>
#include <QtTest>
#include <optional>
#include <stdexcept>

#include "views/jobs/job_runner.h"

using namespace pt2;
using namespace pt2::views;

/// Long work never takes the window along: results come back on its thread, or are dropped, or come back as errors.
class JobsTest : public QObject {
    Q_OBJECT
private slots:
    void aResultComesBackOnTheWindowsThread() {
        JobRunner jobs;
        QThread* delivered = nullptr;
        int answer = 0;
        jobs.start(
            this, "work", "Working", [](const CancelToken&, const ProgressSink&) { return 42; },
            [&](int value) {
                answer = value;
                delivered = QThread::currentThread();
            });
        QVERIFY(jobs.isRunning("work"));
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(answer, 42);
        QCOMPARE(delivered, QThread::currentThread());
    }

    void aNewerJobOfTheSameKeyReplacesTheOlder() {
        JobRunner jobs;
        QSemaphore gate;
        std::vector<int> delivered;
        bool cancelled = false;
        jobs.start(
            this, "work", "First",
            [&](const CancelToken& cancel, const ProgressSink&) {
                gate.acquire();
                cancelled = cancel.requested();
                return 1;
            },
            [&](int value) { delivered.push_back(value); });
        jobs.start(
            this, "work", "Second", [](const CancelToken&, const ProgressSink&) { return 2; }, [&](int value) { delivered.push_back(value); });
        gate.release();
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(delivered, std::vector<int>{2});
        QVERIFY(cancelled);
    }

    void aResultForSomebodyGoneIsDropped() {
        JobRunner jobs;
        QSemaphore gate;
        auto receiver = std::make_unique<QObject>();
        bool delivered = false;
        jobs.start(
            receiver.get(), "work", "Working",
            [&](const CancelToken&, const ProgressSink&) {
                gate.acquire();
                return 1;
            },
            [&](int) { delivered = true; });
        receiver.reset();
        gate.release();
        QTRY_VERIFY(jobs.isIdle());
        QVERIFY(!delivered);
    }

    void workThatThrowsDeliversAnError() {
        JobRunner jobs;
        QSignalSpy threw(&jobs, &JobRunner::threw);
        std::optional<Error> error;
        jobs.start(
            this, "work", "Working", [](const CancelToken&, const ProgressSink&) -> Result<int> { throw std::runtime_error("broken"); },
            [&](Result<int> result) { error = result.error(); });
        QTRY_VERIFY(jobs.isIdle());
        QVERIFY(error);
        QCOMPARE(error->kind, ErrorKind::System);
        QCOMPARE(error->why, std::string("broken"));
        QVERIFY(!error->help.empty());
        QCOMPARE(threw.count(), 1);
    }

    void workWithoutMemoryDeliversAnErrorToo() {
        JobRunner jobs;
        std::optional<Error> error;
        jobs.start(
            this, "work", "Working", [](const CancelToken&, const ProgressSink&) -> Status { throw std::bad_alloc(); },
            [&](Status result) { error = result.error(); });
        QTRY_VERIFY(jobs.isIdle());
        QVERIFY(error);
        QCOMPARE(error->code, std::string("system.memory"));
    }

    void workThatThrowsAndReturnsNoResultDeliversNothingMade() {
        JobRunner jobs;
        QSignalSpy threw(&jobs, &JobRunner::threw);
        int answer = -1;
        jobs.start(
            this, "work", "Working", [](const CancelToken&, const ProgressSink&) -> int { throw std::runtime_error("broken"); },
            [&](int value) { answer = value; });
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(answer, 0);
        QCOMPARE(threw.count(), 1);
    }

    void cancelAllWaitsForWhatRuns() {
        JobRunner jobs;
        std::atomic<bool> ended{false};
        bool delivered = false;
        jobs.start(
            this, "work", "Working",
            [&](const CancelToken& cancel, const ProgressSink&) {
                while (!cancel.requested()) QThread::msleep(1);
                ended = true;
                return 1;
            },
            [&](int) { delivered = true; });
        jobs.cancelAll();
        QVERIFY(ended);
        QCoreApplication::processEvents();
        QVERIFY(!delivered);
    }

    void everyStageIsDelivered() {
        JobRunner jobs;
        QStringList stages;
        std::uint64_t steps = 0;
        connect(&jobs, &JobRunner::progressed, this, [&](JobId, const Progress& progress) {
            if (stages.isEmpty() || stages.back().toStdString() != progress.stage) stages << QString::fromStdString(progress.stage);
            ++steps;
        });
        jobs.start(
            this, "work", "Working",
            [](const CancelToken&, const ProgressSink& progress) {
                for (const char* stage : {"first", "second", "third"}) {
                    for (std::uint64_t i = 0; i < 1000; ++i) report(progress, {stage, i, 1000, Progress::Unit::Steps, {}});
                }
                return 0;
            },
            [](int) {});
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(stages, (QStringList{"first", "second", "third"}));
        QVERIFY(steps < 300);  // not every number of a fast job
    }

    void progressIsThatOfItsJob() {
        JobRunner jobs;
        QSignalSpy progressed(&jobs, &JobRunner::progressed);
        const JobId id = jobs.start(
            this, "work", "Working",
            [](const CancelToken&, const ProgressSink& sink) {
                report(sink, {"stage", 1, 2, Progress::Unit::Steps, {}});
                return 1;
            },
            [](int) {});
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(progressed.count(), 1);
        QCOMPARE(progressed.at(0).at(0).value<JobId>(), id);
    }
};

QTEST_GUILESS_MAIN(JobsTest)
#include "tst_jobs.moc"

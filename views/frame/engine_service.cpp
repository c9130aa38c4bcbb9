#include "views/frame/engine_service.h"

#include <utility>

#include "core/run/engine_install.h"
#include "views/jobs/job_runner.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
const QString kInstallJob = QStringLiteral("engine-install");
constexpr int kLogLines = 2000;
}  // namespace

EngineService& EngineService::instance() {
    static EngineService service;
    return service;
}

JobRunner& EngineService::jobs() {
    if (!jobs_) {
        jobs_ = new JobRunner(this);
        connect(jobs_, &JobRunner::progressed, this, [this](JobId, const Progress& progress) {
            if (!installation_.running || progress.stage.empty()) return;
            installation_.progress = progress;
            if (!progress.line.empty()) {
                installation_.log << shown(progress.line);
                if (installation_.log.size() > kLogLines) installation_.log.removeFirst();
            }
            emit installProgressed(progress);
        });
    }
    return *jobs_;
}

void EngineService::ask() {
    if (asked_) return;
    askAgain();
}

void EngineService::askAgain() {
    asked_ = true;
    jobs().start(
        this, QStringLiteral("engine"), tr("Looking for the run engine"),
        [](const CancelToken& cancel, const ProgressSink&) { return describeEngine(cancel); },
        [this](Result<EngineInfo> info) {
            engine_ = std::move(info);
            emit changed();
        });
    jobs().start(
        this, QStringLiteral("python"), tr("Looking for Python with torch"),
        [](const CancelToken& cancel, const ProgressSink&) { return findPython({}, cancel); },
        [this](Result<PythonInfo> info) {
            python_ = std::move(info);
            emit changed();
        });
}

void EngineService::install(const LibTorchWish& wish) {
    if (installation_.running) return;
    installation_ = {};
    installation_.running = true;
    installation_.since.start();
    jobs().start(
        this, kInstallJob, tr("Setting up the run engine"),
        [wish](const CancelToken& cancel, const ProgressSink& progress) { return installEngine(wish, cancel, progress); },
        [this](Result<EngineInfo> info) { installed(std::move(info)); });
    emit changed();
}

void EngineService::cancelInstall() {
    if (!installation_.running) return;
    installation_.cancelling = true;
    jobs().cancel(kInstallJob);
}

void EngineService::installed(Result<EngineInfo> info) {
    installation_.running = false;
    installation_.cancelling = false;
    if (info) {
        // Known at once; asked all the same, since another may be taken before it.
        engine_ = std::move(info);
        emit changed();
        askAgain();
        return;
    }
    if (info.error().kind != ErrorKind::Cancelled) installation_.error = info.error();
    emit changed();
}

QString EngineService::torchVersion() const {
    return engine_ && *engine_ && (*engine_)->problem.empty() ? toQt((*engine_)->torchVersion) : QString();
}

QString EngineService::problem() const {
    if (!engine_) return {};
    if (!*engine_) return toQt(engine_->error().what);
    return toQt((*engine_)->problem);
}

void EngineService::setLamp(Lamp lamp) {
    if (lamp_ == lamp) return;
    lamp_ = lamp;
    emit lampChanged();
}

void EngineService::stop() {
    delete jobs_;
    jobs_ = nullptr;
}

}  // namespace pt2::views

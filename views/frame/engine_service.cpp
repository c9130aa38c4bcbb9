#include "views/frame/engine_service.h"

#include "views/jobs/job_runner.h"
#include "views/widgets/text.h"

namespace pt2::views {

EngineService& EngineService::instance() {
    static EngineService service;
    return service;
}

void EngineService::ask() {
    if (asked_) return;
    askAgain();
}

void EngineService::askAgain() {
    asked_ = true;
    if (!jobs_) jobs_ = new JobRunner(this);
    jobs_->start(
        this, QStringLiteral("engine"), tr("Looking for the run engine"),
        [](const CancelToken& cancel, const ProgressSink&) { return describeEngine(cancel); },
        [this](Result<EngineInfo> info) {
            engine_ = std::move(info);
            emit changed();
        });
    jobs_->start(
        this, QStringLiteral("python"), tr("Looking for Python with torch"),
        [](const CancelToken& cancel, const ProgressSink&) { return findPython({}, cancel); },
        [this](Result<PythonInfo> info) {
            python_ = std::move(info);
            emit changed();
        });
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

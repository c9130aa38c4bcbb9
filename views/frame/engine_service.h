#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "core/base/progress.h"
#include "core/run/engine_discovery.h"
#include "core/run/libtorch_folder.h"
#include "core/run/python_info.h"

namespace pt2::views {

/// What this machine has to run and compile with: the run engine and a Python with torch. Asked once, in the background, for the whole window. Where
/// there is no run engine, it sets one up.
class EngineService : public QObject {
    Q_OBJECT
public:
    static EngineService& instance();
    /// Starts asking unless it was asked before; `changed` follows, twice.
    void ask();
    /// Asks anew (after something was installed).
    void askAgain();
    bool engineKnown() const { return engine_.has_value(); }
    bool pythonKnown() const { return python_.has_value(); }
    /// Nothing while unknown.
    const std::optional<Result<EngineInfo>>& engine() const { return engine_; }
    const std::optional<Result<PythonInfo>>& python() const { return python_; }
    /// Version of the engine's LibTorch, empty when there is none or it cannot be used.
    QString torchVersion() const;
    /// Why nothing can be run, in words; empty when it can or is not known yet.
    QString problem() const;

    /// Builds a run engine in the background; `changed` follows at once and when it is over, and then the engine is asked anew. While one is being
    /// built, this does nothing.
    void install(const LibTorchWish& wish = {});
    void cancelInstall();
    /// What is being built, or was built last.
    struct Installation {
        bool running = false, cancelling = false;
        std::optional<Error> error;  ///< why it failed; none when it was cancelled
        Progress progress;
        QStringList log;
        QElapsedTimer since;
    };
    const Installation& installation() const { return installation_; }

    enum class Lamp { NotStarted, Idle, Busy, Gone };
    Lamp lamp() const { return lamp_; }
    void setLamp(Lamp lamp);
    void stop();

signals:
    void changed();
    void lampChanged();
    /// A stage, a step or a line of the engine that is being built.
    void installProgressed(const pt2::Progress& progress);

private:
    EngineService() = default;
    class JobRunner& jobs();
    void installed(Result<EngineInfo> info);
    std::optional<Result<EngineInfo>> engine_;
    std::optional<Result<PythonInfo>> python_;
    bool asked_ = false;
    Installation installation_;
    Lamp lamp_ = Lamp::NotStarted;
    JobRunner* jobs_ = nullptr;
};

}  // namespace pt2::views

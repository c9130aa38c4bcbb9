#pragma once

#include <QObject>
#include <optional>

#include "core/run/engine_discovery.h"
#include "core/run/python_info.h"

namespace pt2::views {

/// What this machine has to run and compile with: the run engine and a Python with torch. Asked once, in the background, for the whole window.
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

    enum class Lamp { NotStarted, Idle, Busy, Gone };
    Lamp lamp() const { return lamp_; }
    void setLamp(Lamp lamp);
    void stop();

signals:
    void changed();
    void lampChanged();

private:
    EngineService() = default;
    std::optional<Result<EngineInfo>> engine_;
    std::optional<Result<PythonInfo>> python_;
    bool asked_ = false;
    Lamp lamp_ = Lamp::NotStarted;
    class JobRunner* jobs_ = nullptr;
};

}  // namespace pt2::views

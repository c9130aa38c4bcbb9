#pragma once

#include <QWidget>

#include "core/base/progress.h"

class QPlainTextEdit;
class QPushButton;

namespace pt2::views {

/// The run engine being built, in the place where a run's answer would be: stage and share, elapsed time, log, Cancel. Follows the EngineService by
/// itself; the page replaces it when that says `changed`.
class EngineSetup : public QWidget {
    Q_OBJECT
public:
    explicit EngineSetup(QWidget* parent = nullptr);

private:
    void showProgress(const Progress& progress);
    void showStage();
    class StageList* stages_;
    class TextLabel* elapsed_;
    QPushButton* cancel_;
    QPlainTextEdit* log_;
};

}  // namespace pt2::views

#pragma once

#include <QElapsedTimer>

#include "core/contract/check.h"
#include "core/run/run.h"
#include "views/frame/page.h"
#include "views/run/run_result.h"

class QScrollArea;
class QSplitter;

namespace pt2::views {

class HowToRun;
class InputForm;

/// Runs the compiled model in a process of its own: inputs and sizes at the left, the answer at the right. Inputs that break the contract are not run
/// until the user mends them or insists.
class RunPage : public Page {
    Q_OBJECT
public:
    explicit RunPage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    PrimaryAction primaryAction() const override;
    void runPrimaryAction() override;
    QStringList statusTexts() const override;
    bool settled() const override;
    /// The last finished run; null before the first.
    const RunPicture* lastPicture() const;
    const CheckReport& lastCheck() const { return lastCheck_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange(bool anew);
    void showForm();
    void divide();
    void showWidget(QWidget* widget);
    void showEmpty();
    QWidget* emptyAnswer();
    void start(bool skipContract);
    void mend(const Breach& breach);
    void finished(Result<RunPicture> result);
    void showProgress(const Progress& progress);
    void save();
    RunRequest runRequest() const;

    InputForm* form_ = nullptr;
    HowToRun* how_ = nullptr;
    class AnswerPane* answer_ = nullptr;
    QScrollArea* formArea_ = nullptr;
    QSplitter* splitter_ = nullptr;
    int arrangedWidth_ = 0;
    class RunResult* result_ = nullptr;
    class StageList* stages_ = nullptr;
    class ProgressLine* line_ = nullptr;
    std::vector<Breach> mends_;
    CheckReport lastCheck_;
    QElapsedTimer running_;
    JobId job_ = 0;
    bool empty_ = false;  ///< no answer is shown, only what would be there
    QString state_;
};

}  // namespace pt2::views

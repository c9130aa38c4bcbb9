#pragma once

#include <QElapsedTimer>
#include <QStringList>

#include "core/run/recompile.h"
#include "core/run/recompile_check.h"
#include "views/frame/page.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QScrollArea;
class QVBoxLayout;

namespace pt2::views {

/// A finished recompile: what was written, and how it did against torch eager at once.
struct RecompilePicture {
    RecompileReport report;
    Result<std::vector<CompiledCheck>> checks;
};

/// Compiles the exported program for this machine with AOTInductor: options in plain words at the left, the live log and the result at the right. The
/// result is opened, run at two sizes and compared with torch eager at once.
class RecompilePage : public Page {
    Q_OBJECT
public:
    explicit RecompilePage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    PrimaryAction primaryAction() const override;
    void runPrimaryAction() override;
    QStringList statusTexts() const override;
    bool settled() const override;
    /// Where the result goes; a test sets it instead of typing.
    void setOutput(const QString& path);
    const RecompilePicture* lastPicture() const { return picture_ ? &*picture_ : nullptr; }

private:
    void buildForm(QVBoxLayout* column);
    void start(bool trust);
    void finished(Result<RecompilePicture> result);
    void showProgress(const Progress& progress);
    void showRunning();
    void showEmpty();
    void showResult();
    void showUnsafe(const Error& error);
    void showWidget(QWidget* widget);
    RecompileRequest request() const;
    QString suggestedOutput() const;

    QWidget* form_ = nullptr;
    QScrollArea* formArea_ = nullptr;
    class AnswerPane* answer_ = nullptr;
    QLineEdit* output_ = nullptr;
    QComboBox* device_ = nullptr;
    QCheckBox *autotune_ = nullptr, *freezing_ = nullptr, *compiledOnly_ = nullptr, *replace_ = nullptr;
    QPlainTextEdit *config_ = nullptr, *environment_ = nullptr;
    class TextLabel* outputProblem_ = nullptr;
    class ProgressLine* line_ = nullptr;
    class StageList* stages_ = nullptr;
    QPlainTextEdit* log_ = nullptr;
    std::vector<std::pair<QString, double>> doneStages_;  ///< name, seconds
    QString stage_;
    QElapsedTimer running_, stageClock_;
    JobId job_ = 0;
    QStringList logLines_;
    std::optional<RecompilePicture> picture_;
    QString state_;
    bool outputTouched_ = false;
};

}  // namespace pt2::views

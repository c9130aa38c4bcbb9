#pragma once

#include <QElapsedTimer>

#include "core/compare/compare_outputs.h"
#include "core/compare/float64_judge.h"
#include "views/frame/page.h"

class QComboBox;
class QLineEdit;
class QScrollArea;
class QVBoxLayout;

namespace pt2::views {

/// What a finished comparison shows: numbers, and the tensors of both sides for the selected output.
struct ComparePicture {
    Comparison comparison;
    NamedTensors actual, expected;
    std::vector<Float64Distance> distances;  ///< by torch in float64; asked where the default tolerance does not hold
    bool ownTolerance = false;               ///< then that is to hold, whatever float64 says
    bool isRounding() const { return !ownTolerance && !comparison.ok() && pt2::isRounding(comparison, distances); }
    std::string reference;  ///< "torch eager 2.13.0", a file's name
    std::string inputText;
    std::vector<std::string> notes;
    double seconds = 0;
};

/// The compiled model's outputs against a reference: torch eager, or a file of outputs.
class ComparePage : public Page {
    Q_OBJECT
public:
    explicit ComparePage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    PrimaryAction primaryAction() const override;
    void runPrimaryAction() override;
    QStringList statusTexts() const override;
    bool settled() const override;
    /// Compare with the outputs stored in this file instead of torch eager.
    void setReferenceFile(const QString& file);
    const ComparePicture* lastPicture() const { return picture_ ? &*picture_ : nullptr; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildToolbar(QVBoxLayout* column);
    void fitToolbar();
    void start(bool trust);
    void finished(Result<ComparePicture> result);
    void showWidget(QWidget* widget);
    void nameReference();
    void showEmpty();
    void showResult();
    void showUnsafe(const Error& error);
    void toleranceEdited();
    std::optional<double> tolerance(const QLineEdit* field) const;

    QComboBox *device_ = nullptr, *reference_ = nullptr, *inputs_ = nullptr;
    QLineEdit *rtol_ = nullptr, *atol_ = nullptr;
    class PageToolbar* bar_ = nullptr;
    class TextLabel *compiledWord_ = nullptr, *defaults_ = nullptr;
    class AnswerPane* answer_ = nullptr;
    class ProgressLine* line_ = nullptr;
    class StageList* stages_ = nullptr;
    std::optional<ComparePicture> picture_;
    QElapsedTimer running_;
    QString state_;
    QString referenceFile_;
    JobId job_ = 0;
};

}  // namespace pt2::views

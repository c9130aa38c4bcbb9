#pragma once

#include <QWidget>

#include "core/contract/contract.h"
#include "core/run/run.h"
#include "core/tensor/statistics.h"

class QBoxLayout;
class QVBoxLayout;

namespace pt2::views {

/// What a finished run looks like besides its tensors: computed off the window's thread.
struct OutputSummary {
    std::string name;
    Tensor tensor;
    TensorStatistics statistics;
    Histogram histogram;
};
struct RunPicture {
    RunReport report;
    std::vector<OutputSummary> outputs;  ///< of the side that ran, runtime checks off first
    std::vector<bool> same;              ///< per output, with both sides
    std::vector<std::string> notes;      ///< of the contract
    std::string inputText;               ///< "s77 = 64, seed 0"
    std::string mends;                   ///< what was changed before the run, at the user's wish
    std::vector<std::string> breaches;   ///< of the contract that were run all the same
    bool hasProgram = false;             ///< torch eager can be asked
    std::string names;                   ///< how the library calls its inputs, where nothing else says
};
std::vector<OutputSummary> summarise(const RunOutcome& outcome, const CancelToken& cancel);

/// The answer side of Run: verdict, latency, outputs, values and distribution of the selected output.
class RunResult : public QWidget {
    Q_OBJECT
public:
    explicit RunResult(RunPicture picture, QWidget* parent = nullptr);
    const RunPicture& picture() const { return picture_; }

signals:
    void compareRequested();
    void saveRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addVerdict(QVBoxLayout* column);
    void addLatency(QVBoxLayout* column);
    QWidget* latencyCard(const QString& title, const RunOutcome& outcome, int series, double axisSeconds, std::uint64_t top);
    void addOutputs(QVBoxLayout* column);
    void showOutput(std::size_t index);
    void nameSlice();
    RunPicture picture_;
    QBoxLayout *latency_ = nullptr, *lower_ = nullptr;  ///< rows that become columns where there is little room
    QString sliceOf_;
    class ValueGrid* grid_ = nullptr;
    class TextLabel *slice_ = nullptr, *more_ = nullptr, *bins_ = nullptr;
    class HistogramPlot* distribution_ = nullptr;
};

}  // namespace pt2::views

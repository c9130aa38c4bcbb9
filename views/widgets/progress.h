#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QTimer;

namespace pt2::views {

/// A 2 px line at a page's top while something runs: a share done, or moving when the amount is unknown.
class ProgressLine : public QWidget {
    Q_OBJECT
public:
    explicit ProgressLine(QWidget* parent = nullptr);
    /// A line over the top edge of a page, as wide as the page; nothing moves when it comes and goes.
    static ProgressLine* over(QWidget* page);
    /// Share in [0, 1]; negative: amount unknown.
    void setShare(double share);
    void setRunning(bool running);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    double share_ = -1;
    int phase_ = 0;
    QTimer* timer_;
};

/// Stages of a long task: done with a tick and time, the running one strong with amount and bar, waiting ones dashed.
class StageList : public QWidget {
    Q_OBJECT
public:
    struct Stage {
        QString name;
        enum class Phase { Waiting, Running, Done, Failed } phase = Phase::Waiting;
        QString amount;     ///< "7.83 ms", "84 of 200", "waiting"
        double share = -1;  ///< of the running stage
    };
    explicit StageList(QWidget* parent = nullptr);
    void setStages(std::vector<Stage> stages);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Stage> stages_;
};

}  // namespace pt2::views

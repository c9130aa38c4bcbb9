#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace pt2::views {

/// The answer side of Run, Compare and Recompile: one widget at a time in a scrolling column on the base ground.
class AnswerPane : public QScrollArea {
    Q_OBJECT
public:
    explicit AnswerPane(QWidget* parent = nullptr);
    /// Replaces what was shown (it is deleted later) and scrolls to the top. An error panel keeps its own height.
    void setAnswer(QWidget* widget);

private:
    QVBoxLayout* column_;
};

}  // namespace pt2::views

#pragma once

#include <QWidget>

#include "views/compare/compare_page.h"

class QHBoxLayout;

namespace pt2::views {

/// Verdict, a row for each output, and for the selected one the worst element, the errors over the allowed error, and the differences.
class CompareResult : public QWidget {
    Q_OBJECT
public:
    explicit CompareResult(const ComparePicture& picture, QWidget* parent = nullptr);

private:
    void showOutput(std::size_t index);
    const ComparePicture picture_;
    QHBoxLayout* lower_ = nullptr;
};

}  // namespace pt2::views

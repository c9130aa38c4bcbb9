#pragma once

#include <QWidget>

#include "views/compare/compare_page.h"

class QGridLayout;

namespace pt2::views {

/// Verdict, a row for each output, and for the selected one the worst element, the errors over the allowed error, and the differences.
class CompareResult : public QWidget {
    Q_OBJECT
public:
    explicit CompareResult(const ComparePicture& picture, QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showOutput(std::size_t index);
    void arrange();
    const ComparePicture picture_;
    QGridLayout* lower_ = nullptr;
    QWidget* where_ = nullptr;  ///< the card of differences
};

}  // namespace pt2::views

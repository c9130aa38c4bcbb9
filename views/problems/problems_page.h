#pragma once

#include "views/frame/page.h"

class QLineEdit;
class QPushButton;
class QStackedWidget;
class QVBoxLayout;

namespace pt2::views {

class Banner;
class DataTable;
class EmptyState;
class HexView;
class LinkLabel;
class RowModel;
class SeverityToggle;
class TextLabel;

/// The issues of this file: how bad, what still works, each with its place and advice; the chosen one in four parts with its evidence. Opening reads
/// no weight, so the page offers to read every byte.
class ProblemsPage : public Page {
    Q_OBJECT
public:
    explicit ProblemsPage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    QStringList statusTexts() const override;
    bool settled() const override;
    void find() override;
    const RowModel& model() const { return *model_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void issuesChanged();
    void fillRows();
    void showIssue(const QString& address);
    QStackedWidget* stack_;
    EmptyState* none_;
    QPushButton* readWholeButton_ = nullptr;
    Banner* banner_;
    SeverityToggle *errors_, *warnings_, *notes_;
    QLineEdit* filter_;
    DataTable* table_;
    RowModel* model_;
    TextLabel* read_;
    LinkLabel* readWhole_;
    QWidget* detailArea_;
    QVBoxLayout* detail_;
    HexView* hex_ = nullptr;
};

}  // namespace pt2::views

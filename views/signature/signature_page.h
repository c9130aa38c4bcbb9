#pragma once

#include "views/frame/page.h"

class QLineEdit;
class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace pt2::views {

class CodeView;
class DataTable;
class RowModel;
class SegmentedSwitch;
class TextLabel;

/// Every input and output: kind in plain words, target, dtype, shape, range; beside it the call as the caller writes it, dynamic sizes, guards.
class SignaturePage : public Page {
    Q_OBJECT
public:
    explicit SignaturePage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    void showAddress(const Address& address) override;
    void find() override;
    const RowModel& model() const { return *model_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fillSide();
    void refreshCount();
    SegmentedSwitch* form_;
    QLineEdit* filter_;
    TextLabel* count_;
    QStackedWidget* stack_;
    DataTable* table_;
    RowModel* model_;
    CodeView *signatureCode_, *programCode_;
    QStringList forms() const;
    QSplitter* splitter_;
    QWidget *side_, *sidePage_;  ///< beside the table, or a form of its own where there is no room
    bool narrow_ = false;
    QVBoxLayout* sideColumn_;
    DataTable* call_;
    RowModel* callModel_;
};

}  // namespace pt2::views

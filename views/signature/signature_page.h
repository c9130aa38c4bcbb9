#pragma once

#include <vector>

#include "views/frame/page.h"
#include "views/signature/signature_facts.h"
#include "views/widgets/data_table.h"

class QComboBox;
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
    bool settled() const override { return !notesPending_; }
    const std::vector<NoteGroup>& notes() const { return notes_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fillSide();
    void refreshCount();
    void refreshKinds();
    void showKind();
    void fitSide();
    void startNotes();
    void fillNotes();
    SegmentedSwitch* form_;
    QLineEdit* filter_;
    QComboBox* kind_;  ///< which groups of the table are shown
    std::vector<Row> rows_;
    TextLabel* count_;
    QStackedWidget* stack_;
    DataTable* table_;
    RowModel* model_;
    CodeView *signatureCode_, *programCode_;
    QStringList forms() const;
    QSplitter* splitter_;
    QWidget *side_, *sidePage_;  ///< beside the table, or a form of its own where there is no room
    bool narrow_ = false, notesPending_ = false;
    std::vector<NoteGroup> notes_;
    QVBoxLayout *sideColumn_, *notesColumn_;  ///< notesColumn_ is inside of the other
    DataTable* call_;
    RowModel* callModel_;
    bool sideMoved_ = false;  ///< by hand: its width is kept
    int callWidth_ = 0;       ///< what the call wants; 0 without one
};

}  // namespace pt2::views

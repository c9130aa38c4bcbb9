#pragma once

#include "views/frame/page.h"

class QLineEdit;
class QSplitter;

namespace pt2::views {

class DataTable;
class MemberView;
class RowModel;
class SegmentedSwitch;
class TextLabel;

/// Every member of the archive as a tree with sizes and meaning, and a fitting viewer beside it.
class FilesPage : public Page {
    Q_OBJECT
public:
    explicit FilesPage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    void showAddress(const Address& address) override;
    Address address() const override;
    QStringList breadcrumb() const override;
    bool settled() const override;
    void find() override;
    const RowModel& model() const { return *model_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    std::shared_ptr<const Package> package() const;
    void open(const QString& address);
    QLineEdit* filter_;
    TextLabel* count_;
    SegmentedSwitch* side_;  ///< which of two files, when one is attached
    DataTable* tree_;
    RowModel* model_;
    MemberView* view_;
    QSplitter* splitter_ = nullptr;
    QString current_;
};

}  // namespace pt2::views

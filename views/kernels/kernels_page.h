#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "core/package/linked_kernels.h"
#include "views/frame/page.h"

class QLineEdit;
class QSplitter;
class QStackedLayout;

namespace pt2::views {

class CallDetails;
class CodeView;
class DataTable;
class RowModel;
class SegmentedSwitch;
class TextLabel;

/// What the compiled model calls, in order; beside it the source of the call chosen, and below that where it comes from.
class KernelsPage : public Page {
    Q_OBJECT
public:
    explicit KernelsPage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    void showAddress(const Address& address) override;
    Address address() const override;
    QStringList breadcrumb() const override;
    QStringList statusTexts() const override;
    bool settled() const override { return !pending_; }
    void find() override;
    const RowModel& model() const { return *model_; }
    const LinkedKernels* kernels() const { return kernels_.get(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void received();
    std::optional<std::size_t> callNamed(const std::string& name) const;
    void showWidget(QWidget* instead);
    void showCall(std::size_t call);
    void showSource();
    QStackedLayout* stack_;
    QWidget* content_;
    QWidget* instead_ = nullptr;
    QSplitter *splitter_, *right_;
    QLineEdit* filter_;
    TextLabel *count_, *legend_, *name_, *calls_, *place_, *lines_;
    SegmentedSwitch* side_;  ///< the kernel's definition, or the call in run_impl
    DataTable* table_;
    RowModel* model_;
    CodeView* code_;
    CallDetails* details_;
    std::shared_ptr<const LinkedKernels> kernels_;
    std::optional<std::size_t> call_;
    QString wanted_;  ///< a kernel's name that was asked for before the calls were read
    bool pending_ = false;
};

}  // namespace pt2::views

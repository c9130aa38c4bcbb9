#pragma once

#include <memory>
#include <vector>

#include "views/frame/page.h"
#include "views/theme/theme.h"
#include "views/weights/weight_rows.h"

class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace pt2::views {

class Banner;
class DataTable;
class RowModel;
class TextLabel;
class WeightView;

/// All weights as a table; the selected one with statistics, distribution, values and how it is stored beside it. Values of small files are read and
/// compared at once, those of large ones when asked for.
class WeightsPage : public Page {
    Q_OBJECT
public:
    explicit WeightsPage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    void showAddress(const Address& address) override;
    Address address() const override;
    QStringList breadcrumb() const override;
    QStringList statusTexts() const override;
    bool settled() const override;
    void find() override;
    const RowModel& model() const { return *model_; }
    const std::shared_ptr<const WeightTable>& table() const { return weights_; }
    /// Writes the weights to a file whose name's end says the format, in the background; an existing file is replaced, the dialog has asked.
    void save(const QString& file);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void open(const QString& address);
    void rebuild();
    void refill();
    void scan();
    void refreshCount();
    void showSaved(State state, const QString& title, const QString& text);
    std::vector<std::size_t> chosenRows() const;
    void askWhere();

    std::shared_ptr<const WeightTable> weights_;
    WeightScan scan_;
    WeightForm form_;
    bool filled_ = false, choosing_ = true;
    QLineEdit* filter_;
    TextLabel* count_;
    QPushButton *scanButton_, *export_;
    QStackedWidget* stack_;
    QWidget* emptyPage_;
    Banner* banner_;
    DataTable* tree_;
    RowModel* model_;
    WeightView* view_;
    QSplitter* splitter_;
    QString current_, state_;
};

}  // namespace pt2::views

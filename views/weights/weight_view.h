#pragma once

#include <QString>
#include <QWidget>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/package/quantized.h"
#include "core/package/weight_carriage.h"
#include "core/package/weight_table.h"
#include "views/frame/document_session.h"

class QBoxLayout;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QVBoxLayout;

namespace pt2::views {

class Card;
class Chip;
class HistogramPlot;
class KeyValueList;
class TextLabel;
class ValueGrid;

/// What reading one weight shows: statistics and histogram, of a subclass one for each of its parts.
struct WeightReading {
    struct Part {
        std::string name;  ///< empty for the weight itself
        DType dtype = DType::Unknown;
        std::vector<std::int64_t> sizes;
        WeightPicture picture;
    };
    std::vector<Part> parts;
};

/// One weight: how it is stored, statistics, distribution, values with slices. Values are read in jobs, those of a large weight only when asked for.
class WeightView : public QWidget {
    Q_OBJECT
public:
    explicit WeightView(DocumentSession& session, QWidget* parent = nullptr);
    void show(std::shared_ptr<const WeightTable> table, std::size_t row);
    void clear();
    /// Facts that the page finds out later.
    void setCarried(const std::optional<CarriedBy>& carried);
    void setQuantized(const std::vector<QuantizedWeight>& quantized);
    /// For a place that names the weight itself.
    void hideHead();
    bool settled() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fillFacts();
    void buildSlices();
    void readAll();
    void readWindow();
    void showReading(const WeightReading& reading);
    void showError(const Error& error);
    void nameSlice();
    QWidget* note(const QString& text);
    void clearBox(QVBoxLayout* box);

    DocumentSession& session_;
    const QString readJob_, windowJob_;  ///< this view's own: a document may have several
    std::shared_ptr<const WeightTable> table_;
    std::size_t row_ = 0;
    std::optional<CarriedBy> carried_;
    std::vector<QuantizedWeight> quantized_;
    WeightWindow window_;

    QWidget *body_, *empty_, *head_;
    TextLabel *name_, *facts_, *slice_, *more_;
    QScrollArea* area_;
    Card *statisticsCard_, *distributionCard_, *valuesCard_, *storedCard_;
    QVBoxLayout* statistics_;
    QBoxLayout* upper_;
    HistogramPlot* plot_;
    ValueGrid* grid_;
    QWidget* slices_;
    std::vector<QSpinBox*> spins_;
    KeyValueList* stored_;
    QPushButton* read_;
};

}  // namespace pt2::views

#pragma once

#include <QWidget>
#include <vector>

#include "core/contract/check.h"
#include "core/contract/inputs.h"
#include "core/contract/legal_size.h"

class QComboBox;
class QGridLayout;
class QLineEdit;
class QSpinBox;
class QSlider;
class QVBoxLayout;

namespace pt2::views {

class LinkLabel;
class TextLabel;

/// The question side of Run and Compare: the caller's inputs as a tree with a generator each, the seed, and the varying sizes. What it says is an
/// InputRequest, the same that the command line makes from --input, --size and --seed.
class InputForm : public QWidget {
    Q_OBJECT
public:
    explicit InputForm(QWidget* parent = nullptr);
    /// Rebuilds the rows for a contract; settings are kept where the input still exists. The contract must outlive the form's next call.
    void setContract(const Contract& contract, bool hasSamples);
    InputRequest request() const;
    /// Marks sizes and inputs that break the contract, each with the mend that the form can do itself; the first such mark, null without breaches.
    QWidget* showBreaches(const std::vector<Breach>& breaches);
    /// Sets a varying size as if it had been typed.
    void setSize(const QString& symbol, std::int64_t value);
    void setSource(std::size_t input, const QString& spec);

signals:
    void edited();

private:
    struct InputRow {
        std::size_t input = 0;
        QComboBox* source = nullptr;
        QLineEdit* setting = nullptr;
        TextLabel* problem = nullptr;
    };
    struct SizeRow {
        std::string symbol;
        QSpinBox* value = nullptr;
        QSlider* slider = nullptr;
        std::int64_t low = 0, high = 0, initial = 0;
        QWidget* problem = nullptr;  // a line with the two below
        TextLabel* allowed = nullptr;
        LinkLabel* nearest = nullptr;
        bool touched = false;
        std::int64_t legalNear() const;
    };
    void rebuild();
    void addInputRows(QGridLayout* grid);
    void addInputRow(QGridLayout* grid, int row, std::size_t index, const QString& label, int depth);
    void addSizeRow(QVBoxLayout* column, const ContractSymbol& symbol);
    void fillAll(const QString& spec);
    void sourceChanged(InputRow& row);
    void inputEdited(InputRow& row);
    Contract contract_;
    bool hasSamples_ = false;
    QVBoxLayout* column_;
    QWidget* body_ = nullptr;
    QSpinBox* seed_ = nullptr;
    std::vector<InputRow> inputs_;
    std::vector<SizeRow> sizes_;
};

}  // namespace pt2::views

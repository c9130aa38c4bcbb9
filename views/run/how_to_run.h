#pragma once

#include <QWidget>

#include "core/compiled/compiled_model.h"
#include "core/run/run.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QSpinBox;
class QVBoxLayout;

namespace pt2::views {

class LinkLabel;
class SegmentedSwitch;
class TextLabel;

/// How a model is run: checks, device, repeats; folded away: runners, modes, calls in sequence, soak, constants from a file.
class HowToRun : public QWidget {
    Q_OBJECT
public:
    explicit HowToRun(QWidget* parent = nullptr);
    /// Devices follow the model; null for none.
    void setModel(const CompiledModel* model);
    /// All but the model's name.
    RunRequest request() const;
    RuntimeChecks checks() const;
    void setChecks(RuntimeChecks checks);

signals:
    void changed();
    /// It has another height.
    void foldChanged();

private:
    QHBoxLayout* row(QVBoxLayout* column, const QString& label);
    void buildMore(QVBoxLayout* column);
    void unfold(bool open);
    void chooseConstants();
    void setConstants(const QString& file);

    SegmentedSwitch* checks_;
    QComboBox* device_;
    QSpinBox *threads_, *warmup_, *repeat_, *limit_, *runners_, *steps_, *soak_;
    QCheckBox *single_, *boxed_;
    QWidget* more_;
    LinkLabel *fold_, *choose_;
    TextLabel* constants_;
    QString constantsFile_;
};

}  // namespace pt2::views

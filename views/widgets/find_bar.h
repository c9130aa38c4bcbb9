#pragma once

#include "views/widgets/ground.h"
#include "views/widgets/text.h"

class QLineEdit;

namespace pt2::views {

class CodeView;

/// Find in a text: opens above it with Ctrl+F, Enter and Shift+Enter go on, Esc closes.
class FindBar : public PageToolbar {
    Q_OBJECT
public:
    explicit FindBar(CodeView* view, QWidget* parent = nullptr);
    void open();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void step(bool backwards);
    CodeView* view_;
    QLineEdit* field_;
    class TextLabel* note_;
};

}  // namespace pt2::views

#pragma once

#include <QVBoxLayout>
#include <QWidget>

#include "views/widgets/panel_action.h"

class QPushButton;

namespace pt2::views {

class TextLabel;

/// What would be here, why it is not, what to do (look.md 8): icon 48, title, one or two sentences, at most one button.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& iconName, const QString& title, const QString& text, QWidget* parent = nullptr);
    void setText(const QString& text);
    /// The button, for whoever takes it away again.
    QPushButton* setButton(const PanelAction& action);
    void setLink(const PanelAction& action);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QVBoxLayout* column_;
    TextLabel* words_;
    QWidget* icon_;  ///< gives way where there is room for the words only
};

}  // namespace pt2::views

#pragma once

#include <QHBoxLayout>
#include <QWidget>

#include "views/theme/theme.h"
#include "views/widgets/panel_action.h"
#include "views/widgets/text.h"

namespace pt2::views {

/// State ground, icon, title in the state's colour, one line of text, actions at the right.
class Banner : public QWidget {
    Q_OBJECT
public:
    explicit Banner(State state, const QString& title, const QString& text = {}, QWidget* parent = nullptr);
    void set(State state, const QString& title, const QString& text);
    /// Small banners stand in cards and forms: icon 16, title strong in text colour.
    void setCompact(bool compact);
    /// Full width without corners, hairline below: the head of a page.
    void setFlat(bool flat);
    void setRightText(const QString& text);
    void addAction(const PanelAction& action, bool asLink = true);
    void clearActions();
    State state() const { return state_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void place();
    State state_;
    QString words_, rightText_;
    class IconLabel* icon_;
    TextLabel *title_, *text_, *right_;
    QHBoxLayout *outer_, *actions_;
    bool compact_ = false, flat_ = false;
};

}  // namespace pt2::views

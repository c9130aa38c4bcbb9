#pragma once

#include <QAbstractButton>

#include "views/theme/theme.h"

namespace pt2::views {

/// A short fact on a ground: icon and text, height 20. Clickable when connected; then it is in the tab order.
class Chip : public QAbstractButton {
    Q_OBJECT
public:
    explicit Chip(const QString& text, const QString& iconName = {}, QWidget* parent = nullptr);
    void setState(State state);       ///< ground and colour of a state instead of neutral
    void setOutlined(bool outlined);  ///< hairline on base instead of a ground: Min, Example, Max
    void setCode(bool code);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString icon_;
    State state_ = State::Neutral;
    bool outlined_ = false, code_ = false;
};

}  // namespace pt2::views

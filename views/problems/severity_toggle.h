#pragma once

#include <QAbstractButton>

#include "views/theme/theme.h"

namespace pt2::views {

/// "4 errors" with its icon; pressed in while rows of this severity are shown.
class SeverityToggle : public QAbstractButton {
    Q_OBJECT
public:
    explicit SeverityToggle(State state, QWidget* parent = nullptr);
    void setCount(int count, const QString& words);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    State state_;
};

}  // namespace pt2::views

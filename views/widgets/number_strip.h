#pragma once

#include <QString>
#include <QWidget>
#include <vector>

namespace pt2::views {

/// Few big numbers with unit and a muted line, in columns with hairlines between (Overview only).
class NumberStrip : public QWidget {
    Q_OBJECT
public:
    struct Item {
        QString value, unit, detail, tooltip;
    };
    explicit NumberStrip(QWidget* parent = nullptr);
    void setItems(std::vector<Item> items);
    const std::vector<Item>& items() const { return items_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    int columns() const;
    std::vector<Item> items_;
};

}  // namespace pt2::views

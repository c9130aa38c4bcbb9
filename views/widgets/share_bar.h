#pragma once

#include <QString>
#include <QWidget>
#include <vector>

namespace pt2::views {

/// Shares of a whole: one bar in series colours over a list of name, amount and percent.
class ShareBar : public QWidget {
    Q_OBJECT
public:
    struct Part {
        QString name, amount, percent;
        double share = 0;
    };
    explicit ShareBar(QWidget* parent = nullptr);
    void setParts(std::vector<Part> parts);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Part> parts_;
};

}  // namespace pt2::views

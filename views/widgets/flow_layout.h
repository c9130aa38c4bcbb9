#pragma once

#include <QLayout>
#include <vector>

namespace pt2::views {

/// Widgets one after another, in as many lines as the width needs (chips, statements).
class FlowLayout : public QLayout {
public:
    FlowLayout(QWidget* parent, int horizontalGap, int verticalGap);
    ~FlowLayout() override;
    void addItem(QLayoutItem* item) override;
    int count() const override;
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool place) const;
    std::vector<QLayoutItem*> items_;
    int horizontal_, vertical_;
};

}  // namespace pt2::views

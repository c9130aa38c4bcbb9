#pragma once

#include <QAbstractButton>

namespace pt2::views {

/// Text that looks and behaves like a link: goes to a page ("Signature ›") or opens a dialog ("Copy as…").
class LinkLabel : public QAbstractButton {
    Q_OBJECT
public:
    explicit LinkLabel(const QString& text, QWidget* parent = nullptr);
    void setCaption(bool caption);  ///< the small size
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont font_() const;
    bool caption_ = false;
};

}  // namespace pt2::views

#pragma once

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <QWidget>

#include "views/widgets/text.h"

namespace pt2::views {

/// Facts that belong together: title row 40 with links at its right end, then the content (look.md 5 "Cards").
class Card : public QWidget {
    Q_OBJECT
public:
    explicit Card(const QString& title, QWidget* parent = nullptr);
    void setSubtitle(const QString& text);  ///< muted, beside the title
    void setRightText(const QString& text);
    /// Before the links of the title row's right end.
    void addToTitle(QWidget* widget);
    /// A hairline below the title row, for cards that hold a table.
    void setTitleLine(bool line);
    /// Content; inset 16 at the sides unless `flush`.
    QVBoxLayout* content() const { return content_; }
    void setFlush(bool flush);
    TextLabel* titleLabel() const { return title_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextLabel *title_, *subtitle_, *right_;
    QHBoxLayout* titleRow_;
    QVBoxLayout* content_;
    bool line_ = false;
};

}  // namespace pt2::views

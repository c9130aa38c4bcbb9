#pragma once

#include <QFrame>
#include <QLineEdit>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/program/program.h"
#include "views/widgets/spoken.h"

class QToolButton;

namespace pt2::views {

class FindResults;

/// Finds nodes by name, operator or module: a field with "3 of 6" and next and previous, and a list of results that drops below it.
class GraphFindField : public QWidget {
    Q_OBJECT
public:
    /// The list is shown inside `area`, at its upper right.
    explicit GraphFindField(QWidget* area, QWidget* parent = nullptr);
    void setProgram(std::shared_ptr<const Program> program);
    const std::vector<NodeId>& hits() const { return hits_; }
    NodeId current() const { return place_ < hits_.size() ? hits_[place_] : kNone; }
    void focus();
    void clear();
    void next(int step);
    void setText(const QString& text);
    QString text() const;
    void placeResults();

signals:
    void hitsChanged();
    void currentChanged(pt2::NodeId node);
    void leave();  ///< Esc in the field

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override;

private:
    void search(const QString& text);
    void showPlace();
    std::shared_ptr<const Program> program_;
    std::vector<NodeId> hits_;
    std::size_t place_ = 0;
    QLineEdit* field_;
    class TextLabel* count_;
    QToolButton *previous_, *next_;
    QWidget* area_;
    FindResults* results_;
};

/// The list below the field: as many rows as fit, matching letters underlined, module at the right.
class FindResults : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit FindResults(QWidget* parent);
    void setHits(const Program* program, const std::vector<NodeId>* hits, QString pattern);
    void setCurrent(std::size_t place);
    QSize sizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    int spokenCount() const override { return program_ == nullptr ? 0 : static_cast<int>(rows()); }
    SpokenPart spokenPart(int index) const override;
    void pressSpokenPart(int index) override;

signals:
    void clicked(std::size_t place);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    std::size_t rows() const;
    std::size_t first() const;
    const Program* program_ = nullptr;
    const std::vector<NodeId>* hits_ = nullptr;
    QString pattern_;
    std::size_t current_ = 0;
    int hovered_ = -1;
};

}  // namespace pt2::views

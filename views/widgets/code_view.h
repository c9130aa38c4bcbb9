#pragma once

#include <QAbstractScrollArea>
#include <QString>
#include <set>
#include <utility>
#include <vector>

#include "views/widgets/spoken.h"
#include "views/widgets/syntax.h"

namespace pt2::views {

/// Read-only text with line numbers and highlighting. Only what is visible is coloured and drawn, so a text of many megabytes opens at once.
/// Selection by mouse and Shift+click, Ctrl+A, Ctrl+C; find with Ctrl+F of the page.
class CodeView : public QAbstractScrollArea, public SpokenText {
    Q_OBJECT
public:
    explicit CodeView(QWidget* parent = nullptr);
    void setText(const QString& text, Language language, int firstLine = 1);
    const QString& text() const { return text_; }
    int lineCount() const { return static_cast<int>(starts_.size()); }
    void setLineNumbers(bool shown);
    void setGround(Role role);
    /// A line on the current-line ground, 1-based by its shown number; 0 for none. Scrolls to it.
    void markLine(int number);
    void scrollToLine(int number);
    /// Adds one line at the end and keeps the end in view if it was (logs).
    void appendLine(const QString& line);
    /// Next place of `word` from the selection on, without regard to case; false when there is none.
    bool findNext(const QString& word, bool backwards = false);
    QString selectedText() const;
    QString spokenText() const override { return text_; }
    std::pair<int, int> spokenSelection() const override { return {static_cast<int>(anchor_), static_cast<int>(cursor_)}; }
    void selectSpokenText(int begin, int end) override;
    QRect spokenPlace(int offset) const override;
    int spokenOffsetAt(const QPoint& point) const override { return static_cast<int>(positionAt(viewport()->mapFrom(this, point))); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QStringView line(std::size_t index) const;
    void index(qsizetype from);
    void adjustBars();
    int gutterWidth() const;
    int lineHeight() const;
    double charWidth() const;
    qsizetype positionAt(const QPoint& point) const;
    std::size_t lineOf(qsizetype position) const;
    void copy() const;
    QString text_;
    Language language_ = Language::Plain;
    std::vector<qsizetype> starts_;
    std::vector<LineState> states_;
    qsizetype longest_ = 0;
    qsizetype anchor_ = 0, cursor_ = 0;
    int firstLine_ = 1, marked_ = 0;
    bool numbers_ = true;
    Role ground_ = Role::Base;
};

}  // namespace pt2::views

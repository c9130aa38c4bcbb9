#include "views/widgets/code_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

namespace {
constexpr qsizetype kTab = 4;
constexpr qsizetype kLongestDrawn = 4096;  // of one line, beyond what is visible
}  // namespace

CodeView::CodeView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    setText({}, Language::Plain);
    setAccessibleName(tr("Text"));
}

void CodeView::setText(const QString& text, Language language, int firstLine) {
    text_ = text;
    text_.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    text_.replace(u'\t', QString(kTab, u' '));
    language_ = language;
    firstLine_ = firstLine;
    anchor_ = cursor_ = 0;
    marked_ = 0;
    starts_.assign(1, 0);
    states_.assign(1, LineState::Code);
    longest_ = 0;
    index(0);
    verticalScrollBar()->setValue(0);
    horizontalScrollBar()->setValue(0);
    viewport()->update();
}

void CodeView::index(qsizetype from) {
    qsizetype at = from;
    while (true) {
        const qsizetype end = text_.indexOf(u'\n', at);
        const QStringView current = QStringView(text_).mid(at, (end < 0 ? text_.size() : end) - at);
        longest_ = std::max(longest_, current.size());
        if (end < 0) break;
        LineState state = states_.back();
        if (language_ == Language::Cpp || language_ == Language::Python) {
            tokenize(language_, current, state);
        }
        starts_.push_back(end + 1);
        states_.push_back(state);
        at = end + 1;
    }
    adjustBars();
}

void CodeView::setLineNumbers(bool shown) {
    numbers_ = shown;
    adjustBars();
}

void CodeView::setGround(Role role) {
    ground_ = role;
    viewport()->update();
}

void CodeView::markLine(int number) {
    marked_ = number;
    if (number > 0) scrollToLine(number);
    viewport()->update();
}

void CodeView::scrollToLine(int number) {
    const int visible = viewport()->height() / lineHeight();
    verticalScrollBar()->setValue(std::max(0, number - firstLine_ - visible / 3));
}

void CodeView::appendLine(const QString& added) {
    const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 1;
    const qsizetype from = text_.isEmpty() && starts_.size() == 1 ? 0 : text_.size() + 1;
    if (from > 0) {
        text_ += u'\n';
        starts_.push_back(from);
        states_.push_back(LineState::Code);
    }
    text_ += added;
    index(from);
    if (atEnd) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    viewport()->update();
}

QStringView CodeView::line(std::size_t index) const {
    const qsizetype start = starts_[index];
    const qsizetype end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
    return QStringView(text_).mid(start, std::max<qsizetype>(0, end - start));
}

int CodeView::lineHeight() const { return std::max(18, static_cast<int>(std::ceil(QFontMetricsF(codeFont()).height() * 1.25))); }
double CodeView::charWidth() const { return QFontMetricsF(codeFont()).horizontalAdvance(u'0'); }

int CodeView::gutterWidth() const {
    if (!numbers_) return Spacing::m;
    const int digits = std::max(3, static_cast<int>(QString::number(firstLine_ + lineCount()).size()));
    return static_cast<int>(charWidth() * digits) + 2 * Spacing::m;
}

void CodeView::adjustBars() {
    const int rows = std::max(1, viewport()->height() / lineHeight());
    verticalScrollBar()->setRange(0, std::max(0, lineCount() - rows));
    verticalScrollBar()->setPageStep(rows);
    verticalScrollBar()->setSingleStep(1);
    const double full = static_cast<double>(longest_) * charWidth() + gutterWidth() + Spacing::xl;
    horizontalScrollBar()->setRange(0, static_cast<int>(std::clamp(full - viewport()->width(), 0.0, 1e9)));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(charWidth() * 4));
}

void CodeView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    adjustBars();
}

void CodeView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) adjustBars();
}

void CodeView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const int height = lineHeight(), gutter = gutterWidth();
    const double advance = charWidth();
    const QFont font = codeFont();
    const double ascent = (height - QFontMetricsF(font).height()) / 2 + QFontMetricsF(font).ascent();
    painter.fillRect(viewport()->rect(), color(ground_));
    painter.setFont(font);
    const int shift = horizontalScrollBar()->value();
    const std::size_t first = static_cast<std::size_t>(verticalScrollBar()->value());
    const std::size_t rows = static_cast<std::size_t>(viewport()->height() / height + 2);
    const qsizetype from = std::min(anchor_, cursor_), to = std::max(anchor_, cursor_);
    const qsizetype firstColumn = static_cast<qsizetype>(shift / advance);
    const qsizetype columns = std::min<qsizetype>(kLongestDrawn, static_cast<qsizetype>(viewport()->width() / advance) + 2);
    for (std::size_t row = 0; row < rows && first + row < starts_.size(); ++row) {
        const std::size_t number = first + row;
        const int top = static_cast<int>(row) * height;
        const QStringView text = line(number);
        if (marked_ > 0 && static_cast<int>(number) + firstLine_ == marked_)
            painter.fillRect(QRect(0, top, viewport()->width(), height), color(Role::CurrentLine));
        const double origin = gutter - shift;
        if (to > from) {
            const qsizetype begin = std::clamp<qsizetype>(from - starts_[number], 0, text.size());
            const qsizetype end = std::clamp<qsizetype>(to - starts_[number], 0, text.size() + 1);
            if (end > begin)
                painter.fillRect(QRectF(origin + static_cast<double>(begin) * advance, top, static_cast<double>(end - begin) * advance, height),
                                 color(Role::Selection));
        }
        LineState state = states_[number];
        std::vector<SyntaxToken> tokens;
        if (text.size() <= 64 * kLongestDrawn) tokens = tokenize(language_, text, state);
        const auto draw = [&](qsizetype begin, qsizetype end, Role role) {
            begin = std::max(begin, firstColumn);
            end = std::min(end, firstColumn + columns);
            if (end <= begin) return;
            painter.setPen(color(role));
            painter.drawText(QPointF(origin + static_cast<double>(begin) * advance, top + ascent), text.mid(begin, end - begin).toString());
        };
        qsizetype done = 0;
        for (const SyntaxToken& token : tokens) {
            draw(done, token.start, Role::Text);
            draw(token.start, token.start + token.length, token.role);
            done = token.start + token.length;
        }
        draw(done, text.size(), Role::Text);
    }
    if (numbers_) {
        painter.fillRect(QRect(0, 0, gutter - Spacing::s, viewport()->height()), color(Role::Window));
        for (std::size_t row = 0; row < rows && first + row < starts_.size(); ++row) {
            const int number = static_cast<int>(first + row) + firstLine_;
            painter.setPen(color(number == marked_ ? Role::Text : Role::Muted));
            painter.drawText(QRect(0, static_cast<int>(row) * height, gutter - Spacing::s - Spacing::xs, height), Qt::AlignVCenter | Qt::AlignRight,
                             QString::number(number));
        }
    }
}

std::size_t CodeView::lineOf(qsizetype position) const {
    return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), position) - starts_.begin()) - 1;
}

qsizetype CodeView::positionAt(const QPoint& point) const {
    const std::size_t row = static_cast<std::size_t>(std::clamp(verticalScrollBar()->value() + point.y() / lineHeight(), 0, lineCount() - 1));
    const qsizetype column = static_cast<qsizetype>(std::lround((point.x() - gutterWidth() + horizontalScrollBar()->value()) / charWidth()));
    return starts_[row] + std::clamp<qsizetype>(column, 0, line(row).size());
}

void CodeView::selectSpokenText(int begin, int end) {
    anchor_ = begin;
    cursor_ = end;
    scrollToLine(static_cast<int>(lineOf(begin)) + firstLine_);
    viewport()->update();
}

QRect CodeView::spokenPlace(int offset) const {
    const qsizetype position = std::clamp<qsizetype>(offset, 0, text_.size());
    const std::size_t row = lineOf(position);
    const double x = gutterWidth() - horizontalScrollBar()->value() + static_cast<double>(position - starts_[row]) * charWidth();
    const int y = (static_cast<int>(row) - verticalScrollBar()->value()) * lineHeight();
    return QRect(static_cast<int>(x), y, static_cast<int>(charWidth()) + 1, lineHeight()).translated(viewport()->pos());
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    cursor_ = positionAt(event->position().toPoint());
    if (!(event->modifiers() & Qt::ShiftModifier)) anchor_ = cursor_;
    viewport()->update();
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    cursor_ = positionAt(event->position().toPoint());
    const int y = event->position().toPoint().y();
    if (y < 0) verticalScrollBar()->setValue(verticalScrollBar()->value() - 1);
    if (y > viewport()->height()) verticalScrollBar()->setValue(verticalScrollBar()->value() + 1);
    viewport()->update();
}

void CodeView::mouseDoubleClickEvent(QMouseEvent* event) {
    qsizetype begin = positionAt(event->position().toPoint()), end = begin;
    const auto word = [this](qsizetype at) { return at >= 0 && at < text_.size() && (text_[at].isLetterOrNumber() || text_[at] == u'_'); };
    while (word(begin - 1)) --begin;
    while (word(end)) ++end;
    anchor_ = begin;
    cursor_ = end;
    viewport()->update();
}

QString CodeView::selectedText() const { return text_.mid(std::min(anchor_, cursor_), std::abs(cursor_ - anchor_)); }

void CodeView::copy() const {
    if (anchor_ != cursor_) QApplication::clipboard()->setText(selectedText());
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copy();
    if (event->matches(QKeySequence::SelectAll)) {
        anchor_ = 0;
        cursor_ = text_.size();
        viewport()->update();
        return;
    }
    QScrollBar* bar = verticalScrollBar();
    switch (event->key()) {
        case Qt::Key_Home: bar->setValue(0); return;
        case Qt::Key_End: bar->setValue(bar->maximum()); return;
        case Qt::Key_Up: bar->setValue(bar->value() - 1); return;
        case Qt::Key_Down: bar->setValue(bar->value() + 1); return;
        case Qt::Key_PageUp: bar->setValue(bar->value() - bar->pageStep()); return;
        case Qt::Key_PageDown: bar->setValue(bar->value() + bar->pageStep()); return;
        default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void CodeView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy"), this, [this] { copy(); })->setEnabled(anchor_ != cursor_);
    menu.addAction(tr("Copy all"), this, [this] { QApplication::clipboard()->setText(text_); });
    menu.exec(event->globalPos());
}

bool CodeView::findNext(const QString& word, bool backwards) {
    if (word.isEmpty()) return false;
    const qsizetype from = std::max(anchor_, cursor_), before = std::min(anchor_, cursor_);
    qsizetype found =
        backwards ? (before > 0 ? text_.lastIndexOf(word, before - 1, Qt::CaseInsensitive) : -1) : text_.indexOf(word, from, Qt::CaseInsensitive);
    if (found < 0) found = backwards ? text_.lastIndexOf(word, -1, Qt::CaseInsensitive) : text_.indexOf(word, 0, Qt::CaseInsensitive);
    if (found < 0) return false;
    anchor_ = found;
    cursor_ = found + word.size();
    scrollToLine(static_cast<int>(lineOf(found)) + firstLine_);
    const qsizetype column = found - starts_[lineOf(found)];
    const int x = static_cast<int>(static_cast<double>(column) * charWidth());
    if (x < horizontalScrollBar()->value() || x > horizontalScrollBar()->value() + viewport()->width() - gutterWidth() - Spacing::xxl) {
        horizontalScrollBar()->setValue(std::max(0, x - viewport()->width() / 2));
    }
    viewport()->update();
    return true;
}

}  // namespace pt2::views

#include "views/widgets/text.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <vector>

#include "core/base/text.h"
#include "views/theme/theme.h"

namespace pt2::views {

TextLabel::TextLabel(const QString& text, TextSize size, Role role, QWidget* parent) : QLabel(parent), full_(text), size_(size), role_(role) {
    setText(text);
    setTextFormat(Qt::AutoText);
    restyle();
}

void TextLabel::setRole(Role role) {
    role_ = role;
    restyle();
}

void TextLabel::setCode(bool code) {
    code_ = code;
    restyle();
}

void TextLabel::setSelectable(bool selectable) {
    setTextInteractionFlags(selectable ? Qt::TextSelectableByMouse : Qt::NoTextInteraction);
    if (selectable) setCursor(Qt::IBeamCursor);
}

void TextLabel::setElided(bool elided) {
    elided_ = elided;
    setSizePolicy(elided ? QSizePolicy::Maximum : QSizePolicy::Preferred, QSizePolicy::Preferred);
    elide();
}

void TextLabel::setFullText(const QString& text) {
    full_ = text;
    if (elided_) {
        updateGeometry();
        elide();
    } else {
        setText(text);
    }
}

QSize TextLabel::minimumSizeHint() const {
    if (!elided_) return QLabel::minimumSizeHint();
    const int sides = contentsMargins().left() + contentsMargins().right();
    return {sides + std::min(fontMetrics().horizontalAdvance(full_) + 2, fontMetrics().averageCharWidth() * 8), QLabel::minimumSizeHint().height()};
}

QSize TextLabel::sizeHint() const {
    if (!elided_) return QLabel::sizeHint();
    return {contentsMargins().left() + contentsMargins().right() + fontMetrics().horizontalAdvance(full_) + 2, QLabel::sizeHint().height()};
}

void TextLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    const auto type = event->type();
    if (!restyling_ && (type == QEvent::PaletteChange || type == QEvent::ApplicationPaletteChange || type == QEvent::ApplicationFontChange))
        restyle();
}

void TextLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void TextLabel::restyle() {
    restyling_ = true;
    setFont(code_ ? codeFont(size_) : uiFont(size_));
    QPalette p = palette();
    p.setColor(QPalette::WindowText, color(role_));
    p.setColor(QPalette::Text, color(role_));
    p.setColor(QPalette::Link, color(Role::Link));
    setPalette(p);
    restyling_ = false;
    elide();
}

void TextLabel::elide() {
    if (!elided_) return;
    const QString cut = fontMetrics().elidedText(full_, Qt::ElideMiddle, std::max(0, contentsRect().width()));
    if (cut != text()) setText(cut);
    setToolTip(cut == full_ ? QString() : full_);
}

QString breakable(const QString& text) {
    constexpr qsizetype kLongWord = 24, kPiece = 8;
    QString out;
    qsizetype begin = 0;
    const auto take = [&](qsizetype end) {
        const qsizetype length = end - begin;
        for (qsizetype at = begin; at < end; ++at) {
            if (length > kLongWord && at > begin && (at - begin) % kPiece == 0) out += QChar(0x200B);
            out += text[at];
        }
        begin = end;
    };
    for (qsizetype i = 0; i <= text.size(); ++i) {
        if (i < text.size() && !text[i].isSpace()) continue;
        take(i);
        if (i < text.size()) out += text[i];
        begin = i + 1;
    }
    return out;
}

TextLabel* paragraph(const QString& text, TextSize size, Role role, QWidget* parent) {
    auto* label = new TextLabel(text, size, role, parent);
    label->setWordWrap(true);
    label->setSelectable(true);
    return label;
}

namespace {

struct Run {
    QString text;
    bool symbol = false;
};

std::vector<Run> symbolRuns(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral("(?<![A-Za-z0-9_.])(?:s|u|z|zuf|zf)[0-9]+(?![A-Za-z0-9_])"));
    std::vector<Run> runs;
    qsizetype at = 0;
    auto matches = pattern.globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        if (match.capturedStart() > at) runs.push_back({text.mid(at, match.capturedStart() - at), false});
        runs.push_back({match.captured(), true});
        at = match.capturedEnd();
    }
    if (at < text.size()) runs.push_back({text.mid(at), false});
    return runs;
}

}  // namespace

QString symbolHtml(const QString& text) {
    QString html;
    for (const Run& run : symbolRuns(text)) html += run.symbol ? QStringLiteral("<i>%1</i>").arg(run.text.toHtmlEscaped()) : run.text.toHtmlEscaped();
    return html;
}

int symbolTextWidth(const QString& text, const QFont& font) {
    QFont italic = font;
    italic.setItalic(true);
    int width = 0;
    for (const Run& run : symbolRuns(text)) width += QFontMetrics(run.symbol ? italic : font).horizontalAdvance(run.text);
    return width;
}

int drawSymbolText(QPainter& painter, const QRect& rect, const QString& text, const QFont& font, Qt::Alignment alignment) {
    QFont italic = font;
    italic.setItalic(true);
    const int full = symbolTextWidth(text, font);
    if (full > rect.width()) {
        painter.setFont(font);
        painter.drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                         QFontMetrics(font).elidedText(text, Qt::ElideMiddle, rect.width()));
        return rect.width();
    }
    int x = alignment & Qt::AlignRight     ? rect.right() - full + 1
            : alignment & Qt::AlignHCenter ? rect.left() + (rect.width() - full) / 2
                                           : rect.left();
    for (const Run& run : symbolRuns(text)) {
        const QFont& use = run.symbol ? italic : font;
        painter.setFont(use);
        const int width = QFontMetrics(use).horizontalAdvance(run.text);
        painter.drawText(QRect(x, rect.top(), width + 4, rect.height()), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                         run.text);
        x += width;
    }
    return full;
}

QString shown(std::string_view fromFile) { return toQt(escapeForDisplay(fromFile)); }

QString counted(std::uint64_t count, const QString& one, const QString& many) {
    return toQt(formatCount(count)) + QLatin1Char(' ') + (count == 1 ? one : many);
}

}  // namespace pt2::views

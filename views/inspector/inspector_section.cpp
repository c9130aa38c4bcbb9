#include "views/inspector/inspector_section.h"

#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {
namespace {

constexpr int kTitleHeight = 32, kCodeLine = 24;

}  // namespace

class FoldingSection::Title : public QAbstractButton {
public:
    Title(const QString& title, int count, QWidget* parent) : QAbstractButton(parent), count_(count) {
        setText(title);
        setAccessibleName(title);
        if (count >= 0) setAccessibleDescription(QString::number(count));
        setCheckable(true);
        setChecked(true);
        setFixedHeight(kTitleHeight);
        setFocusPolicy(Qt::TabFocus);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        paintIcon(painter, QRectF(Spacing::s, (height() - 14) / 2.0, 14, 14),
                  isChecked() ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), Role::Muted);
        const QFont font = uiFont(TextSize::Strong);
        painter.setFont(font);
        painter.setPen(color(Role::Text));
        const QRect room(26, 0, width() - 26, height());
        painter.drawText(room, Qt::AlignVCenter, text());
        if (count_ >= 0) {
            painter.setFont(uiFont());
            painter.setPen(color(Role::Muted));
            painter.drawText(room.adjusted(QFontMetrics(font).horizontalAdvance(text()) + Spacing::s, 0, 0, 0), Qt::AlignVCenter,
                             QString::number(count_));
        }
        if (hasFocus()) {
            painter.setPen(QPen(color(Role::Focus), 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(rect()).adjusted(3, 3, -3, -3), 4, 4);
        }
    }

private:
    int count_;
};

FoldingSection::FoldingSection(const QString& title, int count, QWidget* parent)
    : QWidget(parent), title_(new Title(title, count, this)), body_(new QWidget), content_(new QVBoxLayout(body_)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    column->addWidget(title_);
    column->addWidget(body_);
    content_->setContentsMargins(0, 0, 0, Spacing::m);
    content_->setSpacing(Spacing::s);
    connect(title_, &QAbstractButton::toggled, this, [this](bool open) {
        body_->setVisible(open);
        emit toggled(open);
    });
}

void FoldingSection::setOpen(bool open) {
    title_->blockSignals(true);
    title_->setChecked(open);
    title_->blockSignals(false);
    body_->setVisible(open);
}

bool FoldingSection::isOpen() const { return title_->isChecked(); }

CodeLink::CodeLink(const QString& text, QWidget* parent) : QAbstractButton(parent) {
    setText(text);
    setAccessibleName(text);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

QSize CodeLink::sizeHint() const {
    const QFontMetrics metrics(codeFont());
    return {metrics.horizontalAdvance(text()) + 2, metrics.height() + 2};
}

QSize CodeLink::minimumSizeHint() const { return {40, sizeHint().height()}; }

void CodeLink::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QFont font = codeFont();
    font.setUnderline(underMouse() || hasFocus());
    painter.setFont(font);
    painter.setPen(color(Role::Link));
    const QString fits = QFontMetrics(font).elidedText(text(), Qt::ElideMiddle, width());
    if (fits != text() && toolTip().isEmpty()) setToolTip(text());
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft, fits);
}

SourceLine::SourceLine(int number, QString code, QWidget* parent) : QWidget(parent), number_(number), code_(std::move(code)) {
    setFixedHeight(kCodeLine + 10);
    setToolTip(code_);
    setAccessibleName(QStringLiteral("%1: %2").arg(number_).arg(code_.trimmed()));
}

QSize SourceLine::sizeHint() const { return {120, kCodeLine + 10}; }

void SourceLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(Spacing::l, 1, -Spacing::m, -1);
    drawPanel(painter, box, Metrics::controlRadius, color(Role::Base), color(Role::Border));
    const QRectF marked = box.adjusted(1, 4, -1, -4);
    painter.fillRect(marked, color(Role::CurrentLine));
    const QFont font = codeFont();
    const QFontMetrics metrics(font);
    painter.setFont(font);
    painter.setPen(color(Role::Muted));
    const QString number = QString::number(number_);
    const double left = marked.left() + Spacing::s;
    painter.drawText(QRectF(left, marked.top(), 60, marked.height()), Qt::AlignVCenter, number);
    const double start = left + metrics.horizontalAdvance(number) + Spacing::m;
    painter.setPen(color(Role::Text));
    painter.drawText(QRectF(start, marked.top(), marked.right() - start - 4, marked.height()), Qt::AlignVCenter,
                     metrics.elidedText(code_.trimmed(), Qt::ElideRight, static_cast<int>(marked.right() - start - 6)));
}

}  // namespace pt2::views

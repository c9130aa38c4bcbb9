#include "views/widgets/hex_view.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr std::uint64_t kWindow = 64 * 1024;
constexpr std::size_t kWindowsKept = 64;
constexpr int kGroup = 8;  // bytes before a wider gap
}  // namespace

HexView::HexView(JobRunner& jobs, QWidget* parent) : QAbstractScrollArea(parent), jobs_(jobs) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Bytes"));
}

void HexView::setMember(std::shared_ptr<const Archive> archive, MemberIndex member) {
    archive_ = std::move(archive);
    member_ = member;
    size_ = archive_->members()[member].size;
    windows_.clear();
    reading_ = 0;
    ++generation_;
    adjustBars();
    verticalScrollBar()->setValue(0);
    want();
    viewport()->update();
}

void HexView::clear() {
    archive_.reset();
    size_ = 0;
    windows_.clear();
    reading_ = 0;
    ++generation_;
    adjustBars();
    viewport()->update();
}

bool HexView::settled() const { return reading_ == 0; }

void HexView::goTo(std::uint64_t offset) {
    verticalScrollBar()->setValue(
        static_cast<int>(std::min<std::uint64_t>(offset / static_cast<std::uint64_t>(perRow_), std::numeric_limits<int>::max())));
}

void HexView::setBytesPerRow(int count) {
    fixedPerRow_ = true;
    perRow_ = count;
    adjustBars();
    viewport()->update();
}

void HexView::setGround(Role role) {
    ground_ = role;
    viewport()->update();
}

int HexView::lineHeight() const { return std::max(19, static_cast<int>(std::ceil(QFontMetricsF(codeFont()).height() * 1.25))); }
int HexView::rowsInView() const { return std::max(1, (viewport()->height() - Spacing::s) / lineHeight()); }

void HexView::adjustBars() {
    const std::uint64_t rows = (size_ + static_cast<std::uint64_t>(perRow_) - 1) / static_cast<std::uint64_t>(perRow_);
    const std::uint64_t most = rows > static_cast<std::uint64_t>(rowsInView()) ? rows - static_cast<std::uint64_t>(rowsInView()) : 0;
    verticalScrollBar()->setRange(0, static_cast<int>(std::min<std::uint64_t>(most, std::numeric_limits<int>::max())));
    verticalScrollBar()->setPageStep(rowsInView());
    horizontalScrollBar()->setRange(0, 0);
}

void HexView::want() {
    if (!archive_ || size_ == 0) return;
    const std::uint64_t first = static_cast<std::uint64_t>(verticalScrollBar()->value()) * static_cast<std::uint64_t>(perRow_);
    const std::uint64_t last = std::min(size_ - 1, first + static_cast<std::uint64_t>(rowsInView() + 1) * static_cast<std::uint64_t>(perRow_));
    if (windows_.size() > kWindowsKept) windows_.clear();
    for (std::uint64_t number = first / kWindow; number <= last / kWindow; ++number) {
        if (windows_.count(number) > 0) continue;
        windows_[number] = nullptr;
        ++reading_;
        const std::uint64_t length = std::min(kWindow, size_ - number * kWindow);
        jobs_.start(
            this, QStringLiteral("hex/%1/%2/%3").arg(reinterpret_cast<quintptr>(this)).arg(generation_).arg(number), tr("Reading bytes"),
            [archive = archive_, member = member_, number, length](const CancelToken&, const ProgressSink&) -> Result<Window> {
                auto bytes = std::make_shared<ByteBuffer>(static_cast<std::size_t>(length));
                if (Status status = archive->readAt(member, number * kWindow, *bytes); !status) return tl::unexpected<Error>(status.error());
                return Window(std::move(bytes));
            },
            [this, number, generation = generation_](Result<Window> window) {
                if (generation != generation_) return;
                --reading_;
                if (window) {
                    windows_[number] = *window;
                } else {
                    emit failed(window.error());
                }
                viewport()->update();
                if (reading_ == 0) emit settledChanged();
            });
    }
}

void HexView::scrollContentsBy(int, int) {
    want();
    viewport()->update();
}

/// Offset, bytes, and the same as text.
double HexView::rowWidth(int perRow) const {
    const double advance = QFontMetricsF(codeFont()).horizontalAdvance(u'0');
    const int digits = size_ > 0xFFFFFFFFULL ? 16 : 8;
    return 2 * Spacing::l + advance * (digits + 2 + perRow * 4 + (perRow > kGroup ? 2 : 1));
}

void HexView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    const int fitting = rowWidth(16) <= viewport()->width() ? 16 : 8;
    if (!fixedPerRow_ && fitting != perRow_) {
        const std::uint64_t first = static_cast<std::uint64_t>(verticalScrollBar()->value()) * static_cast<std::uint64_t>(perRow_);
        perRow_ = fitting;
        adjustBars();
        goTo(first);
    }
    adjustBars();
    want();
}

void HexView::keyPressEvent(QKeyEvent* event) {
    QScrollBar* bar = verticalScrollBar();
    switch (event->key()) {
        case Qt::Key_Home: bar->setValue(0); return;
        case Qt::Key_End: bar->setValue(bar->maximum()); return;
        default: QAbstractScrollArea::keyPressEvent(event);
    }
}

/// "00000010  50 4b 03 04 …  PK··".
QString HexView::lineText(std::uint64_t offset) const {
    const auto found = windows_.find(offset / kWindow);
    const Window window = found == windows_.end() ? nullptr : found->second;
    const int count = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(perRow_), size_ - offset));
    QString line = QStringLiteral("%1 ").arg(offset, size_ > 0xFFFFFFFFULL ? 16 : 8, 16, QLatin1Char('0')), text;
    for (int i = 0; i < count; ++i) {
        if (!window) {
            line += QStringLiteral(" ··");
            continue;
        }
        const auto byte = std::to_integer<unsigned>((*window)[static_cast<std::size_t>(offset % kWindow) + static_cast<std::size_t>(i)]);
        line += QStringLiteral(" %1").arg(byte, 2, 16, QLatin1Char('0'));
        text += byte >= 0x20 && byte < 0x7F ? QChar(static_cast<char16_t>(byte)) : QChar(u'·');
    }
    return line + QStringLiteral("  ") + text;
}

QString HexView::spokenText() const {
    QStringList lines;
    const std::uint64_t first = static_cast<std::uint64_t>(verticalScrollBar()->value()) * static_cast<std::uint64_t>(perRow_);
    for (int row = 0; row < rowsInView(); ++row) {
        const std::uint64_t offset = first + static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(perRow_);
        if (offset >= size_) break;
        lines << lineText(offset);
    }
    return lines.join(QLatin1Char('\n'));
}

QRect HexView::spokenPlace(int offset) const {
    const auto row = static_cast<int>(spokenText().left(offset).count(QLatin1Char('\n')));
    return {viewport()->x(), viewport()->y() + Spacing::s + row * lineHeight(), viewport()->width(), lineHeight()};
}

int HexView::spokenOffsetAt(const QPoint& point) const {
    const int row = (point.y() - viewport()->y() - Spacing::s) / lineHeight();
    qsizetype at = 0;
    const QStringList lines = spokenText().split(QLatin1Char('\n'));
    for (int i = 0; i < row && i < lines.size(); ++i) at += lines[i].size() + 1;
    return static_cast<int>(at);
}

void HexView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), color(ground_));
    const QFont font = codeFont();
    painter.setFont(font);
    const double advance = QFontMetricsF(font).horizontalAdvance(u'0');
    const int height = lineHeight();
    const int digits = size_ > 0xFFFFFFFFULL ? 16 : 8;
    const double offsetX = Spacing::l, hexX = offsetX + advance * (digits + 2), textX = hexX + advance * (perRow_ * 3 + (perRow_ > kGroup ? 2 : 1));
    const std::uint64_t first = static_cast<std::uint64_t>(verticalScrollBar()->value()) * static_cast<std::uint64_t>(perRow_);
    for (int row = 0; row <= rowsInView() + 1; ++row) {
        const std::uint64_t offset = first + static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(perRow_);
        if (offset >= size_) break;
        const double baseline = Spacing::s + row * height + (height + QFontMetricsF(font).ascent() - QFontMetricsF(font).descent()) / 2;
        painter.setPen(color(Role::Muted));
        painter.drawText(QPointF(offsetX, baseline), QStringLiteral("%1").arg(offset, digits, 16, QLatin1Char('0')));
        const auto found = windows_.find(offset / kWindow);
        const Window window = found == windows_.end() ? nullptr : found->second;
        const int count = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(perRow_), size_ - offset));
        QString text;
        for (int i = 0; i < count; ++i) {
            const double x = hexX + advance * (i * 3 + (i >= kGroup ? 1 : 0));
            if (!window) {
                painter.drawText(QPointF(x, baseline), QStringLiteral("··"));
                continue;
            }
            const auto byte = std::to_integer<unsigned>((*window)[static_cast<std::size_t>(offset % kWindow) + static_cast<std::size_t>(i)]);
            painter.setPen(color(byte == 0 ? Role::Disabled : Role::Text));
            painter.drawText(QPointF(x, baseline), QStringLiteral("%1").arg(byte, 2, 16, QLatin1Char('0')));
            text += byte >= 0x20 && byte < 0x7F ? QChar(static_cast<char16_t>(byte)) : QChar(u'·');
        }
        painter.setPen(color(Role::Muted));
        painter.drawText(QPointF(textX, baseline), text);
    }
}

}  // namespace pt2::views

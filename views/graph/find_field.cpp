#include "views/graph/find_field.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "core/program/operator_family.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr int kFieldWidth = 252, kLeastWidth = 168, kHead = 34, kRow = 28, kFoot = 32;
constexpr std::size_t kMostRows = 8;

bool containsWord(std::string_view text, std::string_view lowered) {
    if (lowered.size() > text.size()) return false;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::search(text.begin(), text.end(), lowered.begin(), lowered.end(), [&](char a, char b) { return lower(a) == b; }) != text.end();
}

}  // namespace

GraphFindField::GraphFindField(QWidget* area, QWidget* parent)
    : QWidget(parent),
      field_(new QLineEdit(this)),
      count_(new TextLabel({}, TextSize::Caption, Role::Muted, this)),
      previous_(iconButton(QStringLiteral("chevron-up"), tr("Previous hit (Shift+F3)"), this)),
      next_(iconButton(QStringLiteral("chevron-down"), tr("Next hit (F3)"), this)),
      area_(area),
      results_(new FindResults(area)) {
    auto* row = new QHBoxLayout(this);
    setMargins(row, 28, 1, 0);
    row->setContentsMargins(28, 1, 3, 1);
    field_->setFrame(false);
    field_->setPlaceholderText(tr("Find node, operator, module"));
    field_->setAccessibleName(tr("Find in the graph"));
    field_->setStyleSheet(QStringLiteral("QLineEdit { background: transparent; border: none; padding: 0; }"));
    field_->installEventFilter(this);
    row->addWidget(field_, 1);
    row->addWidget(count_);
    row->addSpacing(Spacing::xs);
    for (QToolButton* button : {previous_, next_}) {
        button->setFixedSize(24, 24);
        button->setIconSize(QSize(14, 14));
        button->setFocusPolicy(Qt::NoFocus);
        row->addWidget(button);
        button->hide();
    }
    setFixedHeight(Metrics::control);
    setMinimumWidth(kLeastWidth);
    setMaximumWidth(kFieldWidth);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    results_->hide();
    connect(field_, &QLineEdit::textEdited, this, [this](const QString& text) { search(text); });
    connect(previous_, &QToolButton::clicked, this, [this] { next(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { next(1); });
    connect(results_, &FindResults::clicked, this, [this](std::size_t place) {
        place_ = place;
        showPlace();
        emit currentChanged(current());
    });
}

QSize GraphFindField::sizeHint() const { return {kFieldWidth, Metrics::control}; }

void GraphFindField::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focused = field_->hasFocus();
    drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(Role::Base), color(focused ? Role::Focus : Role::Strong), focused ? 2 : 1);
    paintIcon(painter, QRectF(7, (height() - 16) / 2.0, 16, 16), QStringLiteral("search"), Role::Muted);
}

void GraphFindField::setProgram(std::shared_ptr<const Program> program) {
    program_ = std::move(program);
    search(field_->text());
}

void GraphFindField::focus() {
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

QString GraphFindField::text() const { return field_->text(); }

void GraphFindField::setText(const QString& text) {
    field_->setText(text);
    search(text);
}

void GraphFindField::clear() {
    field_->clear();
    search({});
}

void GraphFindField::search(const QString& text) {
    const NodeId before = current();
    hits_.clear();
    place_ = 0;
    const std::string lowered = text.trimmed().toLower().toStdString();
    if (program_ && !lowered.empty()) {
        for (NodeId n = 0; n < program_->nodes().size(); ++n) {
            if (containsWord(program_->displayName(n), lowered) || containsWord(splitOperatorName(program_->node(n).target).name, lowered) ||
                containsWord(program_->modulePath(n), lowered)) {
                if (n == before) place_ = hits_.size();
                hits_.push_back(n);
            }
        }
    }
    const bool any = !lowered.empty();
    previous_->setVisible(any);
    next_->setVisible(any);
    results_->setHits(program_.get(), &hits_, text.trimmed());
    results_->setVisible(any && (field_->hasFocus() || results_->isVisible()));
    showPlace();
    emit hitsChanged();
    if (current() != kNone) emit currentChanged(current());
}

void GraphFindField::showPlace() {
    const bool any = !field_->text().trimmed().isEmpty();
    count_->setText(!any ? QString() : hits_.empty() ? tr("none") : tr("%1 of %2").arg(place_ + 1).arg(hits_.size()));
    results_->setCurrent(place_);
    placeResults();
}

void GraphFindField::placeResults() {
    results_->resize(std::max(kFieldWidth + 8, 260), results_->sizeHint().height());
    results_->move(area_->width() - results_->width() - Spacing::m, Spacing::xs);
    results_->raise();
    results_->update();
}

void GraphFindField::next(int step) {
    if (hits_.empty()) return;
    const auto count = static_cast<std::ptrdiff_t>(hits_.size());
    place_ = static_cast<std::size_t>((static_cast<std::ptrdiff_t>(place_) + step + count) % count);
    showPlace();
    emit currentChanged(current());
}

bool GraphFindField::eventFilter(QObject* watched, QEvent* event) {
    if (watched == field_) {
        if (event->type() == QEvent::FocusIn) {
            results_->setVisible(!field_->text().trimmed().isEmpty());
            placeResults();
            update();
        }
        if (event->type() == QEvent::FocusOut) {
            results_->hide();
            update();
        }
        if (event->type() == QEvent::KeyPress) {
            const auto* key = static_cast<QKeyEvent*>(event);
            switch (key->key()) {
                case Qt::Key_Down: next(1); return true;
                case Qt::Key_Up: next(-1); return true;
                case Qt::Key_Return:
                case Qt::Key_Enter: next(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1); return true;
                case Qt::Key_Escape:
                    if (!field_->text().isEmpty()) {
                        clear();
                    } else {
                        emit leave();
                    }
                    return true;
                default: break;
            }
        }
    }
    return QWidget::eventFilter(watched, event);
}

FindResults::FindResults(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setCursor(Qt::ArrowCursor);
    setAccessibleName(tr("Found nodes"));
}

void FindResults::setHits(const Program* program, const std::vector<NodeId>* hits, QString pattern) {
    program_ = program;
    hits_ = hits;
    pattern_ = std::move(pattern);
    current_ = 0;
    update();
}

void FindResults::setCurrent(std::size_t place) {
    current_ = place;
    update();
}

std::size_t FindResults::rows() const { return hits_ == nullptr ? 0 : std::min(kMostRows, hits_->size()); }
std::size_t FindResults::first() const {
    if (hits_ == nullptr || hits_->size() <= kMostRows || current_ < kMostRows / 2) return 0;
    return std::min(current_ - kMostRows / 2, hits_->size() - kMostRows);
}
QSize FindResults::sizeHint() const { return {260, kHead + static_cast<int>(rows()) * kRow + kFoot}; }

void FindResults::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor shade(0, 0, 0, 24);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0, 2, 0, 0), Metrics::cardRadius, Metrics::cardRadius);
    drawPanel(painter, QRectF(rect()).adjusted(0, 0, 0, -1), Metrics::cardRadius, color(Role::Raised), color(Role::Border));
    if (program_ == nullptr || hits_ == nullptr) return;
    painter.setFont(uiFont(TextSize::Strong));
    painter.setPen(color(Role::Text));
    painter.drawText(QRect(Spacing::m, 0, width(), kHead), Qt::AlignVCenter, hits_->size() == 1 ? tr("1 node") : tr("%1 nodes").arg(hits_->size()));
    const QFont code = codeFont();
    const QFontMetrics metrics(code);
    for (std::size_t i = 0; i < rows(); ++i) {
        const std::size_t place = first() + i;
        const NodeId node = (*hits_)[place];
        const QRect row(0, kHead + static_cast<int>(i) * kRow, width(), kRow);
        const bool now = place == current_;
        if (now || hovered_ == static_cast<int>(i)) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color(now ? Role::Selection : Role::Alt));
            painter.drawRoundedRect(QRectF(row).adjusted(4, 0, -4, 0), 4, 4);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(familyColor(operatorFamily(program_->node(node).target)));
        painter.drawRoundedRect(QRectF(Spacing::m, row.center().y() - 4, 10, 10), 2, 2);
        const QString path = shown(program_->modulePath(node)).replace('.', QStringLiteral(" › "));
        painter.setFont(uiFont());
        const QString name = shown(program_->displayName(node));
        const int nameWidth = metrics.horizontalAdvance(name);
        const QFontMetrics body(uiFont());
        const int room = width() - 30 - Spacing::m - nameWidth - Spacing::m;
        painter.setPen(color(now ? Role::SelectionText : Role::Muted));
        if (room > 40) {
            painter.drawText(QRect(width() - Spacing::m - room, row.top(), room, kRow), Qt::AlignVCenter | Qt::AlignRight,
                             body.elidedText(path, Qt::ElideLeft, room));
        }
        painter.setFont(code);
        painter.setPen(color(now ? Role::SelectionText : Role::Text));
        const QString fits = metrics.elidedText(name, Qt::ElideMiddle, width() - 30 - Spacing::m);
        painter.drawText(QRect(30, row.top(), width(), kRow), Qt::AlignVCenter, fits);
        const qsizetype match = fits.indexOf(pattern_, 0, Qt::CaseInsensitive);
        if (match >= 0) {
            const int from = 30 + metrics.horizontalAdvance(fits.left(match)),
                      to = 30 + metrics.horizontalAdvance(fits.left(match + pattern_.size()));
            const double y = row.center().y() + metrics.ascent() / 2.0 + 2;
            painter.drawLine(QPointF(from, y), QPointF(to, y));
        }
    }
    painter.setFont(uiFont(TextSize::Caption));
    painter.setPen(color(Role::Muted));
    const std::size_t more = hits_->size() - rows();
    const QString foot = hits_->empty() ? tr("No node, operator or module has this name. Esc clears")
                         : more > 0     ? tr("%1 more · F3 next · Esc clears").arg(more)
                                        : tr("F3 next · Enter shows · Esc clears");
    painter.drawText(QRect(Spacing::m, height() - kFoot, width() - 2 * Spacing::m, kFoot - 2), Qt::AlignVCenter, foot);
}

SpokenPart FindResults::spokenPart(int index) const {
    SpokenPart part;
    if (index < 0 || index >= spokenCount()) return part;
    const std::size_t place = first() + static_cast<std::size_t>(index);
    const NodeId node = (*hits_)[place];
    part.name = shown(program_->displayName(node));
    part.description = QStringLiteral("%1\n%2").arg(shown(program_->node(node).target), shown(program_->modulePath(node))).trimmed();
    part.place = QRect(0, kHead + index * kRow, width(), kRow);
    part.role = QAccessible::ListItem;
    part.pressable = part.selectable = true;
    part.selected = place == current_;
    return part;
}

void FindResults::pressSpokenPart(int index) {
    if (index >= 0 && index < spokenCount()) emit clicked(first() + static_cast<std::size_t>(index));
}

void FindResults::mousePressEvent(QMouseEvent* event) {
    const int row = (static_cast<int>(event->position().y()) - kHead) / kRow;
    if (event->position().y() >= kHead && row >= 0 && static_cast<std::size_t>(row) < rows()) emit clicked(first() + static_cast<std::size_t>(row));
}

void FindResults::mouseMoveEvent(QMouseEvent* event) {
    const int y = static_cast<int>(event->position().y());
    hovered_ = y < kHead ? -1 : (y - kHead) / kRow;
    update();
}

void FindResults::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

}  // namespace pt2::views

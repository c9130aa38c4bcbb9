#include "views/frame/address_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/spoken.h"
#include "views/widgets/text.h"

namespace pt2::views {

/// The place in words with chevrons between; parts are clickable, a click beside them edits.
class AddressBar::Breadcrumb : public QWidget, public SpokenParts {
public:
    explicit Breadcrumb(AddressBar* bar) : QWidget(bar), bar_(bar) {
        setMouseTracking(true);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
        setAccessibleName(tr("Place"));
    }
    QStringList parts;
    int usedWidth() const {
        const std::vector<QRect> all = places();
        return all.empty() ? 0 : all.back().right() + 1;
    }
    int spokenCount() const override { return static_cast<int>(parts.size()); }
    SpokenPart spokenPart(int index) const override {
        SpokenPart part;
        if (index < 0 || index >= parts.size()) return part;
        part.name = parts[index];
        part.place = places()[static_cast<std::size_t>(index)];
        part.pressable = index + 1 < parts.size();
        part.role = part.pressable ? QAccessible::Link : QAccessible::StaticText;
        return part;
    }
    void pressSpokenPart(int index) override { emit bar_->crumbClicked(index); }

protected:
    std::vector<QRect> places() const {
        std::vector<QRect> rects;
        int x = Spacing::xs;
        for (int i = 0; i < parts.size(); ++i) {
            const QFontMetrics metrics(uiFont(i + 1 == parts.size() ? TextSize::Strong : TextSize::Body));
            const int w = std::min(metrics.horizontalAdvance(parts[i]) + 2, std::max(40, width() / 3));
            rects.emplace_back(x, 0, w, height());
            x += w + 16 + 2 * Spacing::xs;
        }
        return rects;
    }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const std::vector<QRect> all = places();
        for (int i = 0; i < parts.size(); ++i) {
            const bool last = i + 1 == parts.size();
            const QRect& r = all[static_cast<std::size_t>(i)];
            const QFont font = uiFont(last ? TextSize::Strong : TextSize::Body);
            painter.setFont(font);
            painter.setPen(color(last ? Role::Text : i == hovered_ ? Role::Link : Role::Muted));
            painter.drawText(r, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                             QFontMetrics(font).elidedText(parts[i], Qt::ElideMiddle, r.width()));
            if (!last)
                paintIcon(painter, QRectF(r.right() + Spacing::xs, (height() - 14) / 2.0, 14, 14), QStringLiteral("chevron-right"), Role::Muted);
        }
    }
    int partAt(const QPoint& position) const {
        const std::vector<QRect> all = places();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].contains(position)) return static_cast<int>(i);
        }
        return -1;
    }
    void mouseMoveEvent(QMouseEvent* event) override {
        const int at = partAt(event->position().toPoint());
        if (at == hovered_) return;
        hovered_ = at;
        setCursor(at >= 0 && at + 1 < parts.size() ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
    void leaveEvent(QEvent*) override {
        hovered_ = -1;
        update();
    }
    void mouseReleaseEvent(QMouseEvent* event) override {
        const int at = partAt(event->position().toPoint());
        if (at >= 0 && at + 1 < parts.size()) {
            emit bar_->crumbClicked(at);
        } else {
            bar_->edit();
        }
    }

private:
    AddressBar* bar_;
    int hovered_ = -1;
};

AddressBar::AddressBar(QWidget* parent)
    : QWidget(parent),
      back_(iconButton(QStringLiteral("back"), tr("Back (Alt+Left)"))),
      forward_(iconButton(QStringLiteral("forward"), tr("Forward (Alt+Right)"))),
      copy_(iconButton(QStringLiteral("copy"), tr("Copy the address"))),
      place_(new QStackedWidget),
      crumbs_(new Breadcrumb(this)),
      field_(new QLineEdit),
      tools_(new QHBoxLayout),
      shortcut_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      primary_(primaryButton({})) {
    setFixedHeight(std::max(Metrics::addressBar, fontMetrics().height() + 2 * Spacing::m));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Spacing::s, 0, Spacing::l, 1);
    row->setSpacing(0);
    row->addWidget(back_);
    row->addWidget(forward_);
    row->addSpacing(Spacing::xs);
    place_->addWidget(crumbs_);
    place_->addWidget(field_);
    row->addWidget(place_, 1);
    row->addSpacing(Spacing::s);
    setMargins(tools_, 0, Spacing::s);
    row->addLayout(tools_);
    row->addSpacing(Spacing::m);
    row->addWidget(shortcut_);
    row->addSpacing(Spacing::m);
    row->addWidget(primary_);
    copy_->setParent(crumbs_);
    field_->setPlaceholderText(tr("program/model/node/relu"));
    field_->setAccessibleName(tr("Address"));
    field_->installEventFilter(this);
    connect(back_, &QToolButton::clicked, this, &AddressBar::back);
    connect(forward_, &QToolButton::clicked, this, &AddressBar::forward);
    connect(copy_, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(address_); });
    connect(primary_, &QPushButton::clicked, this, &AddressBar::primaryClicked);
    connect(field_, &QLineEdit::returnPressed, this, [this] {
        place_->setCurrentWidget(crumbs_);
        emit entered(field_->text().trimmed());
    });
}

void AddressBar::setPlace(const QStringList& crumbs, const QString& address) {
    crumbs_->parts = crumbs;
    address_ = address;
    copy_->move(crumbs_->usedWidth() + Spacing::s, (crumbs_->height() - copy_->height()) / 2);
    crumbs_->update();
}

void AddressBar::setHistory(bool back, bool forward) {
    back_->setEnabled(back);
    forward_->setEnabled(forward);
}

void AddressBar::setPrimary(const PrimaryAction& action, const QString& shortcut) {
    primary_->setVisible(action.visible);
    shortcut_->setVisible(action.visible);
    primary_->setText(action.text);
    primary_->setProperty("iconName", action.icon);
    primary_->setIcon(icon(action.icon, Role::OnAccent));
    primary_->setEnabled(action.enabled);
    primary_->setToolTip(action.enabled ? QStringLiteral("%1 (%2)").arg(action.text, shortcut) : action.reason);
    primary_->setAccessibleDescription(action.reason);
    shortcut_->setFullText(shortcut);
}

void AddressBar::addTool(QWidget* tool) { tools_->addWidget(tool); }

void AddressBar::edit() {
    field_->setText(address_);
    place_->setCurrentWidget(field_);
    field_->setFocus();
    field_->selectAll();
}

bool AddressBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == field_) {
        if (event->type() == QEvent::FocusOut) place_->setCurrentWidget(crumbs_);
        if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
            place_->setCurrentWidget(crumbs_);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void AddressBar::paintEvent(QPaintEvent*) {
    copy_->move(crumbs_->usedWidth() + Spacing::s, (crumbs_->height() - copy_->height()) / 2);
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Base));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(Role::Border));
}

}  // namespace pt2::views

#include "views/frame/side_navigation.h"

#include <QAbstractButton>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/ground.h"

namespace pt2::views {

class SideNavigation::Entry : public QAbstractButton {
public:
    Entry(const QString& title, QString iconName, QWidget* parent) : QAbstractButton(parent), icon_(std::move(iconName)) {
        setText(title);
        setAccessibleName(title);
        setCheckable(true);
        setAutoExclusive(true);
        setAttribute(Qt::WA_Hover);
        setFocusPolicy(Qt::TabFocus);
        setFixedHeight(std::max(Metrics::navigationEntry, fontMetrics().height() + 2 * Spacing::s));
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    bool narrow = false, error = false;
    int badge = 0;
    QString reason, shortcut;

    void describe() {
        QString tip = text();
        if (!shortcut.isEmpty()) tip += QStringLiteral(" (%1)").arg(shortcut);
        if (!reason.isEmpty()) tip += u'\n' + reason;
        setToolTip(tip);
        QStringList words;
        if (badge > 0) words << (error ? QObject::tr("%1, with errors").arg(badge) : QString::number(badge));
        if (!reason.isEmpty()) words << reason;
        setAccessibleDescription(words.join(QStringLiteral(". ")));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const QRect body = rect().adjusted(0, 1, 0, -1);
        const bool on = isChecked();
        if (on) {
            drawPanel(painter, QRectF(body), Metrics::controlRadius + 1, color(Role::Selection), QColor(), 0);
            painter.fillRect(QRect(0, body.top() + Spacing::s, Metrics::accentBar, body.height() - 2 * Spacing::s), color(Role::Accent));
        } else if (underMouse()) {
            drawPanel(painter, QRectF(body), Metrics::controlRadius + 1, color(Role::GroupRow), QColor(), 0);
        }
        const Role role = !reason.isEmpty() ? (on ? Role::Muted : Role::Disabled) : on ? Role::SelectionText : Role::Text;
        const int iconLeft = narrow ? (width() - 18) / 2 : Spacing::m;
        const QColor iconColour = color(!reason.isEmpty() ? Role::Disabled : on ? Role::Accent : Role::Muted);
        paintIcon(painter, QRectF(iconLeft, (height() - 18) / 2.0, 18, 18), icon_,
                  Theme::instance().isDark() && on ? color(Role::SelectionText) : iconColour);
        if (!narrow) {
            painter.setFont(uiFont(on ? TextSize::Strong : TextSize::Body));
            painter.setPen(color(role));
            painter.drawText(rect().adjusted(40, 0, -Spacing::s, 0), Qt::AlignVCenter | Qt::TextSingleLine, text());
        }
        if (badge > 0) {
            const QFont small = uiFont(TextSize::Caption);
            const QString count = badge > 999 ? QStringLiteral("999+") : QString::number(badge);
            const int w = std::max(20, QFontMetrics(small).horizontalAdvance(count) + 12);
            const QRect pill = narrow ? QRect(width() - w, 1, w, 16) : QRect(width() - w - Spacing::m, (height() - 20) / 2, w, 20);
            drawPanel(painter, QRectF(pill), Metrics::controlRadius, color(error ? Role::ErrorGround : Role::WarningGround), QColor(), 0);
            QFont strong = small;
            strong.setWeight(QFont::DemiBold);
            painter.setFont(strong);
            painter.setPen(color(error ? Role::Error : Role::Warning));
            painter.drawText(pill, Qt::AlignCenter, count);
        }
        if (hasFocus()) drawPanel(painter, QRectF(body), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
    }

private:
    QString icon_;
};

SideNavigation::SideNavigation(const PageRegistry& registry, QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Spacing::s, Spacing::s - 1, Spacing::s, Spacing::s);
    column->setSpacing(0);
    int section = registry.pages().empty() ? 0 : registry.pages().front().section;
    for (const PageInfo& page : registry.pages()) {
        if (page.section != section) {
            section = page.section;
            column->addSpacing(1);
            auto* holder = new QWidget;
            auto* inset = new QVBoxLayout(holder);
            inset->setContentsMargins(Spacing::s, Spacing::xs, Spacing::s, Spacing::xs);
            inset->addWidget(new Hairline);
            column->addWidget(holder);
            column->addSpacing(1);
        }
        auto* entry = new Entry(page.title, page.icon, this);
        entry->shortcut = QStringLiteral("Ctrl+%1").arg(page.digit);
        entry->describe();
        connect(entry, &QAbstractButton::clicked, this, [this, key = page.key] { emit chosen(key); });
        column->addWidget(entry);
        entries_.insert(page.key, entry);
    }
    column->addStretch(1);
    setFixedWidth(Metrics::navigationWidth);
    setAccessibleName(tr("Pages"));
}

void SideNavigation::setCurrent(const QString& key) {
    if (Entry* entry = entries_.value(key)) entry->setChecked(true);
}

void SideNavigation::setNarrow(bool narrow) {
    if (narrow == narrow_) return;
    narrow_ = narrow;
    setFixedWidth(narrow ? Metrics::navigationNarrow : Metrics::navigationWidth);
    layout()->setContentsMargins(narrow ? Spacing::xs : Spacing::s, Spacing::s - 1, narrow ? Spacing::xs : Spacing::s, Spacing::s);
    for (Entry* entry : std::as_const(entries_)) {
        entry->narrow = narrow;
        entry->update();
    }
}

void SideNavigation::setUnavailable(const QString& key, const QString& reason) {
    if (Entry* entry = entries_.value(key)) {
        entry->reason = reason;
        entry->describe();
        entry->update();
    }
}

void SideNavigation::setBadge(const QString& key, int count, bool error) {
    if (Entry* entry = entries_.value(key)) {
        entry->badge = count;
        entry->error = error;
        entry->describe();
        entry->update();
    }
}

void SideNavigation::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Window));
    painter.fillRect(QRect(width() - 1, 0, 1, height()), color(Role::Border));
}

}  // namespace pt2::views

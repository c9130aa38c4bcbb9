#include "views/widgets/error_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/advice.h"
#include "core/base/text.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/ground.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/link_label.h"
#include "views/widgets/panel_action.h"
#include "views/widgets/text.h"

namespace pt2::views {

ErrorPanel::ErrorPanel(const Error& error, QWidget* parent) : QWidget(parent), error_(error) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 1, 0);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    rebuild();
}

void ErrorPanel::setError(const Error& error) {
    error_ = error;
    details_.clear();
    rebuild();
}

void ErrorPanel::setEffect(const QString& text) {
    effect_ = text;
    rebuild();
}

void ErrorPanel::setSeverity(State state) {
    state_ = state;
    rebuild();
}

void ErrorPanel::addAction(const PanelAction& action, bool asLink) {
    actions_.emplace_back(action, asLink);
    rebuild();
}

void ErrorPanel::clearActions() {
    actions_.clear();
    rebuild();
}

void ErrorPanel::addDetail(const QString& text) {
    details_ << text;
    rebuild();
}

QString ErrorPanel::report() const {
    QString text = toQt(error_.what);
    const auto part = [&text](const char* caption, const QString& value) {
        if (!value.isEmpty()) text += QStringLiteral("\n%1: %2").arg(QLatin1String(caption), value);
    };
    part("Where", toQt(error_.where));
    part("Why", toQt(error_.why));
    part("Effect", effect_);
    part("What to do", toQt(adviceOf(error_)));
    part("Code", toQt(error_.code));
    for (const QString& detail : details_) text += u'\n' + detail;
    return text;
}

void ErrorPanel::rebuild() {
    auto* column = static_cast<QVBoxLayout*>(layout());
    for (QWidget* old : {head_, body_}) {
        if (!old) continue;
        column->removeWidget(old);
        old->hide();
        old->deleteLater();
    }
    head_ = new QWidget;
    auto* headRow = new QHBoxLayout(head_);
    setMargins(headRow, Spacing::l, Spacing::m, Spacing::m);
    headRow->addWidget(new IconLabel(stateIcon(state_), 20, stateRole(state_)), 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    setMargins(words, 0, 2);
    auto* what = paragraph(breakable(shown(error_.what)), TextSize::Strong);
    words->addWidget(what);
    if (!error_.where.empty()) {
        const QString place = shown(error_.where), broken = breakable(place);
        auto* where = new TextLabel(broken, TextSize::Caption);
        where->setCode(true);
        where->setWordWrap(true);
        // What is copied of a place must be the place, without marks for breaking it: the report has it.
        where->setSelectable(broken == place);
        words->addWidget(where);
    }
    headRow->addLayout(words, 1);
    column->addWidget(head_);

    body_ = new QWidget;
    auto* body = new QVBoxLayout(body_);
    setMargins(body, Spacing::l, Spacing::m, Spacing::xs);
    const auto part = [body](const QString& caption, const QString& text) {
        if (text.isEmpty()) return;
        auto* label = new TextLabel(caption, TextSize::Caption, Role::Muted);
        QFont font = label->font();
        font.setWeight(QFont::DemiBold);
        label->setFont(font);
        body->addWidget(label);
        body->addWidget(paragraph(text));
        body->addSpacing(Spacing::xs);
    };
    part(tr("Why"), shown(error_.why));
    part(tr("Effect"), effect_);
    part(tr("What to do"), shown(adviceOf(error_)));
    auto* buttonBox = new QWidget;
    auto* buttons = new FlowLayout(buttonBox, Spacing::s, Spacing::s);
    buttons->setContentsMargins(0, 0, 0, 0);
    const auto add = [this, buttons](const PanelAction& action, bool asLink) {
        QAbstractButton* button = asLink ? static_cast<QAbstractButton*>(new LinkLabel(action.text)) : plainButton(action.text);
        connect(button, &QAbstractButton::clicked, this, [run = action.run] {
            if (run) run();
        });
        buttons->addWidget(button);
    };
    for (const auto& [action, asLink] : actions_) add(action, asLink);
    add({tr("Copy report"), [this] { QApplication::clipboard()->setText(report()); }}, true);
    body->addWidget(buttonBox);
    body->addSpacing(Spacing::xs);
    body->addWidget(new Hairline);
    auto* fold = new QHBoxLayout;
    setMargins(fold, 0, Spacing::s);
    auto* toggle = plainButton(tr("Details"), QStringLiteral("chevron-right"));
    toggle->setProperty("flat", true);
    auto* detailText = paragraph(details_.isEmpty() ? report() : details_.join(u'\n'), TextSize::Caption);
    detailText->setCode(true);
    detailText->hide();
    connect(toggle, &QPushButton::clicked, detailText, [toggle, detailText] {
        const bool open = detailText->isHidden();
        detailText->setVisible(open);
        toggle->setProperty("iconName", open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"));
        toggle->update();
    });
    fold->addWidget(toggle);
    fold->addStretch(1);
    auto* code = new TextLabel(toQt(error_.code), TextSize::Caption, Role::Muted);
    code->setCode(true);
    code->setSelectable(true);
    fold->addWidget(code);
    body->addLayout(fold);
    body->addWidget(detailText);
    column->addWidget(body_);
    setAccessibleName(toQt(error_.what));
    updateGeometry();
}

void ErrorPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawStateCard(painter, rect(), head_ ? head_->geometry().bottom() + 1 : 0, state_, true);
}

}  // namespace pt2::views

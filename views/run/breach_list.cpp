#include "views/run/breach_list.h"

#include <QGridLayout>
#include <QVBoxLayout>

#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/banner.h"
#include "views/widgets/card.h"
#include "views/widgets/ground.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

BreachList::BreachList(const CheckReport& report, QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, Spacing::l);
    auto* banner = new Banner(State::Error, tr("The inputs break the contract, so nothing was run"),
                              tr("%1. With runtime checks off a compiled model would take such inputs and may compute wrong numbers.")
                                  .arg(counted(report.breaches.size(), tr("breach"), tr("breaches"))));
    banner->addAction({tr("Run anyway"), [this] { emit runAnywayRequested(); }}, false);
    column->addWidget(banner);
    auto* card = new Card(tr("Contract"));
    card->setRightText(tr("%1, not run").arg(counted(report.breaches.size(), tr("breach"), tr("breaches"))));
    card->setTitleLine(true);
    auto* grid = new QGridLayout;
    setMargins(grid, 0, Spacing::s, Spacing::xs);
    grid->setHorizontalSpacing(Spacing::l);
    grid->setColumnStretch(1, 2);
    grid->setColumnStretch(2, 3);
    int row = 0, at = 0;
    for (const QString& title : {tr("Input"), tr("Found"), tr("Allowed"), tr("Runtime checks")}) {
        grid->addWidget(new TextLabel(title, TextSize::Caption, Role::Muted), row, at++);
    }
    for (const Breach& breach : report.breaches) {
        ++row;
        grid->addWidget(new Hairline, row++, 0, 1, 4);
        auto* name = new TextLabel(shown(breach.input));
        name->setCode(true);
        auto* found = new TextLabel(shown(breach.found), TextSize::Body, Role::Error);
        found->setCode(true);
        found->setSelectable(true);
        found->setWordWrap(true);
        auto* allowed = new TextLabel(shown(breach.allowed));
        allowed->setCode(true);
        allowed->setSelectable(true);
        allowed->setWordWrap(true);
        grid->addWidget(name, row, 0, Qt::AlignTop);
        grid->addWidget(found, row, 1, Qt::AlignTop);
        grid->addWidget(allowed, row, 2, Qt::AlignTop);
        grid->addWidget(new TextLabel(breach.caughtByRuntimeChecks ? tr("on: refused") : tr("not noticed")), row, 3, Qt::AlignTop);
        ++row;
        const QString place = breach.dimension ? tr("dimension %1").arg(*breach.dimension) : QString::fromUtf8(breachName(breach.what));
        grid->addWidget(new TextLabel(place, TextSize::Caption, Role::Muted), row, 0, Qt::AlignTop);
        if (!breach.fix.empty()) {
            auto* mend = new LinkLabel(toQt(breach.fixSentence.empty() ? breach.fix : breach.fixSentence));
            mend->setObjectName(QStringLiteral("mend"));
            mend->setCaption(true);
            connect(mend, &QAbstractButton::clicked, this, [this, breach] { emit mendRequested(breach); });
            grid->addWidget(mend, row, 1, 1, 2, Qt::AlignLeft | Qt::AlignTop);
        }
        auto* off = new TextLabel(tr("off: runs anyway"), TextSize::Caption, Role::Warning);
        grid->addWidget(off, row, 3, Qt::AlignTop);
    }
    card->content()->addLayout(grid);
    column->addWidget(card);
    column->addStretch(1);
}

}  // namespace pt2::views

#include "views/inspector/inspector_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/inspector/inspector_section.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/ground.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr int kKeyWidth = 62, kIndent = 26;

/// Square in a family's colour before a node's name.
class FamilySwatch : public QWidget {
public:
    explicit FamilySwatch(OperatorFamily family) : family_(family) {
        setFixedSize(14, 14);
        setAccessibleName(QString::fromUtf8(operatorFamilyName(family)));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(familyColor(family_));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 2, 2);
    }

private:
    OperatorFamily family_;
};

TextLabel* selectable(const QString& text, TextSize size, Role role, bool code) {
    auto* label = new TextLabel({}, size, role);
    label->setCode(code);
    label->setTextFormat(Qt::RichText);
    label->setText(symbolHtml(text));
    label->setWordWrap(true);
    label->setSelectable(true);
    label->setMinimumWidth(20);
    return label;
}

}  // namespace

InspectorPanel::InspectorPanel(DocumentSession& session, QWidget* parent) : QWidget(parent), session_(session), scroll_(new QScrollArea) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    scroll_->setAccessibleName(tr("What is selected"));
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    outer->addWidget(scroll_);
    setAccessibleName(tr("Inspector"));
    connect(&session, &DocumentSession::kernelsChanged, this, [this] {
        if (address_.kind == Address::Kind::Node) show(address_);
    });
    connect(&session, &DocumentSession::selectionChanged, this, &InspectorPanel::show);
    connect(&session, &DocumentSession::documentChanged, this, [this] { show(session_.selection()); });
    show(session.selection());
}

void InspectorPanel::show(const Address& address) {
    address_ = address;
    if (address.kind == Address::Kind::Node) session_.requestKernels();
    facts_ = inspectorFacts(session_, address);
    rebuild();
}

void InspectorPanel::rebuild() {
    auto* content = new Ground(Role::Window);
    column_ = new QVBoxLayout(content);
    setMargins(column_, 0, 0);
    if (facts_.empty()) {
        auto* words = paragraph(tr("Nothing is selected. A click on a node, an input or a group shows it here."), TextSize::Body, Role::Muted);
        words->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
        words->setContentsMargins(Spacing::l, Spacing::xxl, Spacing::l, 0);
        column_->addWidget(words);
    } else {
        column_->addWidget(head());
        for (const InspectorSection& each : facts_.sections) {
            column_->addWidget(new Hairline);
            column_->addWidget(section(each));
        }
    }
    column_->addStretch(1);
    delete scroll_->takeWidget();
    scroll_->setWidget(content);
}

QWidget* InspectorPanel::head() {
    auto* head = new QWidget;
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(Spacing::m, Spacing::m, Spacing::s, Spacing::m);
    column->setSpacing(Spacing::xs);
    auto* first = new QHBoxLayout;
    first->setSpacing(Spacing::s);
    if (facts_.family) {
        first->addWidget(new FamilySwatch(*facts_.family));
    } else {
        first->addWidget(new IconLabel(facts_.icon, 16, Role::Muted));
    }
    auto* title = new TextLabel(facts_.title, TextSize::Section);
    title->setElided(true);
    title->setFullText(facts_.title);
    title->setSelectable(true);
    first->addWidget(title, 1);
    first->addStretch(0);
    auto* more = iconButton(QStringLiteral("more"), tr("More"));
    connect(more, &QToolButton::clicked, this, [this, more] {
        QMenu menu;
        menu.addAction(tr("Copy name"), this, [this] { QApplication::clipboard()->setText(facts_.title); });
        menu.addAction(tr("Copy address"), this, [this] { QApplication::clipboard()->setText(toQt(address_.text())); });
        menu.exec(more->mapToGlobal(QPoint(0, more->height())));
    });
    first->addWidget(more);
    column->addLayout(first);
    auto* second = new QHBoxLayout;
    second->setContentsMargins(22, 0, Spacing::xs, 0);
    second->setSpacing(Spacing::s);
    auto* kind = new TextLabel({}, TextSize::Body, Role::Text);
    kind->setCode(facts_.family.has_value());
    kind->setTextFormat(Qt::RichText);
    const QString muted = color(Role::Muted).name();
    kind->setText(QStringLiteral("<span style='color:%1'>%2</span>%3<span style='color:%1'>%4</span>")
                      .arg(muted, facts_.mutedBefore.toHtmlEscaped(), facts_.strong.toHtmlEscaped(), facts_.mutedAfter.toHtmlEscaped()));
    kind->setSelectable(true);
    kind->setMinimumWidth(40);
    kind->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    kind->setToolTip(facts_.mutedBefore + facts_.strong + facts_.mutedAfter);
    second->addWidget(kind, 1);
    if (!facts_.right.isEmpty()) second->addWidget(new TextLabel(facts_.right, TextSize::Caption, Role::Muted));
    column->addLayout(second);
    return head;
}

QWidget* InspectorPanel::section(const InspectorSection& facts) {
    auto* fold = new FoldingSection(facts.title, facts.count);
    QSettings settings;
    const QString key = QStringLiteral("inspector/open/") + facts.title;
    fold->setOpen(settings.value(key, facts.openAtFirst).toBool());
    connect(fold, &FoldingSection::toggled, this, [key](bool open) { QSettings().setValue(key, open); });
    QVBoxLayout* content = fold->content();
    bool placed = facts.code.isEmpty();
    for (const InspectorRow& each : facts.rows) {
        content->addWidget(row(each));
        if (!placed) {
            content->addWidget(new SourceLine(facts.codeLine, facts.code));
            placed = true;
        }
    }
    return fold;
}

QWidget* InspectorPanel::row(const InspectorRow& facts) {
    auto* box = new QWidget;
    auto* line = new QHBoxLayout(box);
    line->setContentsMargins(kIndent, 0, Spacing::m, 0);
    line->setSpacing(Spacing::s);
    if (facts.keyed || !facts.key.isEmpty()) {
        auto* key = new TextLabel(facts.key, TextSize::Body, Role::Muted);
        key->setCode(true);
        key->setElided(true);
        key->setFullText(facts.key);
        key->setFixedWidth(kKeyWidth);
        line->addWidget(key, 0, Qt::AlignTop);
    }
    auto* column = new QVBoxLayout;
    column->setSpacing(1);
    if (!facts.text.isEmpty()) {
        auto* first = new QHBoxLayout;
        first->setSpacing(Spacing::s);
        if (!facts.address.isEmpty()) {
            auto* link = new CodeLink(facts.text);
            connect(link, &QAbstractButton::clicked, this, [this, address = facts.address] { session_.navigate(address); });
            first->addWidget(link, 0);
            first->addStretch(1);
        } else if (facts.missing) {
            auto* none = new TextLabel({}, TextSize::Body, Role::Muted);
            none->setTextFormat(Qt::RichText);
            none->setText(QStringLiteral("<i>%1</i>").arg(facts.text.toHtmlEscaped()));
            first->addWidget(none, 1);
        } else {
            first->addWidget(selectable(facts.text, TextSize::Body, Role::Text, true), 1);
        }
        if (!facts.right.isEmpty()) {
            auto* right = new TextLabel(facts.right, TextSize::Caption, Role::Muted);
            right->setElided(true);
            right->setFullText(facts.right);
            first->addWidget(right);
        }
        column->addLayout(first);
    }
    for (const InspectorRow::Line& each : facts.lines) {
        column->addWidget(selectable(each.text, each.muted ? TextSize::Caption : TextSize::Body, each.muted ? Role::Muted : Role::Text, each.code));
    }
    line->addLayout(column, 1);
    return box;
}

}  // namespace pt2::views

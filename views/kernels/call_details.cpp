#include "views/kernels/call_details.h"

#include <QBoxLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/program/operator_family.h"
#include "views/frame/document_session.h"
#include "views/kernels/kernel_rows.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/ground.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kSideBySide = 620;
constexpr std::size_t kMostNodes = 40, kMostFrames = 4;

/// The colour of a node's operator family, 4 px wide.
class FamilyBar : public QWidget {
public:
    explicit FamilyBar(OperatorFamily family) : family_(family) {
        setFixedWidth(4);
        setAccessibleName(QString::fromUtf8(operatorFamilyName(family)));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(Qt::NoPen);
        painter.setBrush(familyColor(family_));
        painter.drawRoundedRect(rect(), 2, 2);
    }

private:
    OperatorFamily family_;
};

TextLabel* heading(const QString& text) { return new TextLabel(text, TextSize::Strong); }

/// "call 7, in place"
QString useText(const BufferUse& use) {
    QStringList parts;
    if (!use.calls.empty()) parts << callNumbers(use.calls);
    if (use.inPlace) parts << QObject::tr("in place");
    if (use.isOutput) parts << QObject::tr("an output of the model");
    return parts.join(QStringLiteral(", "));
}

}  // namespace

CallDetails::CallDetails(DocumentSession& session, QWidget* parent)
    : QWidget(parent), session_(session), row_(new QBoxLayout(QBoxLayout::TopToBottom, this)) {
    setMargins(row_, 0, 0);
}

void CallDetails::clear() {
    delete body_;
    body_ = nullptr;
    kernels_.reset();
}

void CallDetails::show(std::shared_ptr<const LinkedKernels> kernels, std::size_t call) {
    clear();
    kernels_ = std::move(kernels);
    call_ = call;
    body_ = new QWidget;
    auto* row = new QBoxLayout(width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight, body_);
    row->setContentsMargins(Spacing::l, Spacing::m, Spacing::l, Spacing::m);
    row->setSpacing(Spacing::xl);
    auto* left = new QVBoxLayout;
    setMargins(left, 0, Spacing::s);
    addNodes(left);
    addMemory(left);
    left->addStretch(1);
    row->addLayout(left, 1);
    auto* right = new QVBoxLayout;
    setMargins(right, 0, Spacing::s);
    addPython(right);
    right->addStretch(1);
    row->addLayout(right, 1);
    row_->addWidget(body_);
}

void CallDetails::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (body_ == nullptr) return;
    static_cast<QBoxLayout*>(body_->layout())->setDirection(width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void CallDetails::addNodes(QVBoxLayout* column) {
    const std::vector<KernelLink>& links = kernels_->links[call_];
    auto* head = new QHBoxLayout;
    setMargins(head, 0, Spacing::s);
    head->addWidget(heading(tr("ATen nodes")));
    if (kernels_->program) {
        head->addWidget(
            new TextLabel(tr("%1 of %2").arg(links.size()).arg(kernels_->program.entry->program->nodes().size()), TextSize::Caption, Role::Muted));
    }
    head->addStretch(1);
    column->addLayout(head);
    if (!kernels_->program) {
        const auto& named = kernels_->listing.calls[call_].sourceNodes;
        QStringList names;
        for (const std::string& name : named) names << shown(name);
        column->addWidget(paragraph(
            names.isEmpty()
                ? tr("There is no exported program in this file, so its nodes are not known.")
                : tr("The source names %1; there is no exported program in this file to look them up.").arg(names.join(QStringLiteral(", "))),
            TextSize::Body, Role::Muted));
        return;
    }
    if (links.empty()) {
        column->addWidget(
            paragraph(tr("Not known. Compiled with Recompile, the package records where each kernel comes from."), TextSize::Body, Role::Muted));
        return;
    }
    const Program& program = *kernels_->program.entry->program;
    for (std::size_t i = 0; i < std::min(links.size(), kMostNodes); ++i) {
        const KernelLink& link = links[i];
        auto* line = new QHBoxLayout;
        setMargins(line, 0, Spacing::s);
        line->addWidget(new FamilyBar(operatorFamily(program.node(link.node).target)));
        auto* texts = new QVBoxLayout;
        setMargins(texts, 0, 0);
        const QString address = toQt(kernels_->nodeAddress(link.node));
        auto* name = new LinkLabel(shown(program.displayName(link.node)));
        name->setToolTip(tr("Show in graph"));
        connect(name, &QAbstractButton::clicked, this, [this, address] { session_.navigate(address); });
        texts->addWidget(name);
        const OperatorName op = splitOperatorName(program.node(link.node).target);
        auto* kind = new TextLabel(shown(std::string(op.ns) + "." + std::string(op.name)), TextSize::Caption, Role::Muted);
        kind->setCode(true);
        texts->addWidget(kind);
        line->addLayout(texts);
        line->addStretch(1);
        auto* facts = new QVBoxLayout;
        setMargins(facts, 0, 0);
        QString shape;
        program.forEachOutputValue(program.node(link.node), [&](ValueId value) {
            if (shape.isEmpty() && program.value(value).kind == ValueKind::Tensor) shape = toQt(formatShape(program.sizesText(program.value(value))));
        });
        auto* size = new TextLabel(symbolHtml(shape));
        size->setCode(true);
        facts->addWidget(size, 0, Qt::AlignRight);
        auto* how = new TextLabel(linkWords(link.by), TextSize::Caption, Role::Muted);
        how->setToolTip(shown(link.why));
        facts->addWidget(how, 0, Qt::AlignRight);
        line->addLayout(facts);
        column->addLayout(line);
    }
    if (links.size() > kMostNodes) {
        column->addWidget(new TextLabel(tr("%1 more nodes").arg(links.size() - kMostNodes), TextSize::Caption, Role::Muted));
    }
}

void CallDetails::addMemory(QVBoxLayout* column) {
    column->addWidget(new Hairline);
    auto* facts = new KeyValueList;
    facts->setKeyWidth(72);
    const auto add = [&](const QString& key, const std::vector<BufferUse>& uses) {
        QString title = key;
        for (const BufferUse& use : uses) {
            auto* line = new QWidget;
            line->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
            auto* row = new QHBoxLayout(line);
            setMargins(row, 0, Spacing::s);
            auto* what = new TextLabel(use.what);
            what->setCode(true);
            what->setElided(true);
            if (use.what != use.name) {
                line->setToolTip(use.name);  // of the whole line: an elided label has a tooltip of its own
                what->setAccessibleDescription(use.name);
            }
            row->addWidget(what);
            row->addStretch(1);
            const QString text = useText(use);
            if (use.calls.empty()) {
                row->addWidget(new TextLabel(text, TextSize::Caption, Role::Muted));
            } else {
                auto* link = new LinkLabel(text);
                link->setCaption(true);
                connect(link, &QAbstractButton::clicked, this, [this, call = use.calls.front()] { emit callRequested(call); });
                row->addWidget(link);
            }
            facts->addWidget(title, line);
            title.clear();
        }
    };
    add(tr("Reads"), readsOf(*kernels_, call_));
    add(tr("Writes"), writesOf(*kernels_, call_));
    QStringList operators;
    for (const std::string& name : kernels_->listing.calls[call_].aten) operators << shown(name);
    if (!operators.isEmpty()) facts->add(tr("ATen"), operators.join(QStringLiteral(", ")), true);
    column->addWidget(facts);
}

void CallDetails::addPython(QVBoxLayout* column) {
    auto* head = new QHBoxLayout;
    setMargins(head, 0, Spacing::s);
    head->addWidget(heading(tr("Python source")));
    head->addStretch(1);
    head->addWidget(new TextLabel(tr("recorded at export"), TextSize::Caption, Role::Muted));
    column->addLayout(head);
    std::vector<SourceFrame> frames;
    for (const KernelLink& link : kernels_->links[call_]) {
        std::vector<SourceFrame> stack = kernels_->program.entry->program->metadata(link.node).stackTrace;
        // Innermost first: that is the line that made the node.
        std::reverse(stack.begin(), stack.end());
        for (SourceFrame& frame : stack) {
            const bool known =
                std::any_of(frames.begin(), frames.end(), [&](const SourceFrame& f) { return f.file == frame.file && f.line == frame.line; });
            if (!known && frames.size() < kMostFrames) frames.push_back(std::move(frame));
        }
    }
    if (frames.empty()) {
        column->addWidget(paragraph(tr("None is recorded for this call."), TextSize::Body, Role::Muted));
        return;
    }
    for (const SourceFrame& frame : frames) {
        auto* where = new QHBoxLayout;
        setMargins(where, 0, Spacing::s);
        const std::string file = frame.file.substr(frame.file.find_last_of('/') + 1);
        auto* place = new TextLabel(QStringLiteral("%1:%2").arg(shown(file)).arg(frame.line), TextSize::Body, Role::Link);
        place->setCode(true);
        place->setSelectable(true);
        place->setToolTip(shown(frame.file));
        where->addWidget(place);
        where->addStretch(1);
        where->addWidget(new TextLabel(shown(frame.function), TextSize::Caption, Role::Muted));
        column->addLayout(where);
        if (frame.code.empty()) continue;
        auto* code = new TextLabel(shown(frame.code));
        code->setCode(true);
        code->setElided(true);
        column->addWidget(code);
    }
}

}  // namespace pt2::views

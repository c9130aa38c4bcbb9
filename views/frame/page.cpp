#include "views/frame/page.h"

#include "core/base/text.h"
#include "views/widgets/text.h"

namespace pt2::views {

Page::Page(DocumentSession& session, QWidget* parent) : QWidget(parent), session_(session) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    connect(&session, &DocumentSession::documentChanged, this, [this] {
        documentChanged();
        emit changed();
    });
}

Address Page::address() const {
    Address here;
    here.kind = Address::Kind::Page;
    here.name = key_.toStdString();
    return here;
}

PrimaryAction Page::primaryAction() const {
    PrimaryAction action;
    if (session_.state() != DocumentSession::State::Ready) {
        action.enabled = false;
    } else if (!session_.compiledModel()) {
        action.enabled = false;
        action.reason = tr("There is no compiled model to run. Recompile makes one from the program.");
    } else if (!session_.refusal().isEmpty()) {
        action.enabled = false;
        action.reason = session_.refusal();
    }
    return action;
}

void Page::runPrimaryAction() { session_.startPage(QStringLiteral("run")); }

QStringList Page::statusTexts() const {
    QStringList texts{session_.issueCount(Severity::Error) > 0 ? tr("Opened with problems") : tr("Ready")};
    QStringList counts;
    if (const auto program = session_.program()) counts << counted(program->nodes().size(), tr("node"), tr("nodes"));
    if (const ProgramEntry* entry = session_.programEntry()) counts << counted(entry->weights.size(), tr("weight"), tr("weights"));
    if (const CompiledModel* model = session_.compiledModel(); model && model->kernelCalls) {
        counts << counted(*model->kernelCalls, tr("kernel call"), tr("kernel calls"));
    }
    if (!counts.isEmpty()) texts << counts.join(QStringLiteral(" · "));
    if (const auto program = session_.program()) {
        texts << tr("torch %1 · schema %2.%3").arg(shown(program->torchVersion())).arg(program->schemaMajor()).arg(program->schemaMinor());
    }
    return texts;
}

const PageInfo* PageRegistry::find(const QString& key) const {
    for (const PageInfo& page : pages_) {
        if (page.key == key) return &page;
    }
    return nullptr;
}

QString PageRegistry::pageOf(const Address& address) {
    switch (address.kind) {
        case Address::Kind::Program:
        case Address::Kind::Graph:
        case Address::Kind::Node:
        case Address::Kind::Value: return QStringLiteral("graph");
        case Address::Kind::Weight: return QStringLiteral("weights");
        case Address::Kind::Member: return QStringLiteral("files");
        case Address::Kind::Compiled: return QStringLiteral("overview");
        case Address::Kind::Kernel: return QStringLiteral("kernels");
        case Address::Kind::Symbol: return QStringLiteral("signature");
        case Address::Kind::Page: return QString::fromStdString(address.name);
        case Address::Kind::None: break;
    }
    return QStringLiteral("overview");
}

}  // namespace pt2::views

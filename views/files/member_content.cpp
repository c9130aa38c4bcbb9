#include "views/files/member_content.h"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/compiled/elf.h"
#include "core/compiled/library_source.h"
#include "core/compiled/mach_o.h"
#include "core/compiled/this_machine.h"
#include "core/package/weight_table.h"
#include "core/run/engine_discovery.h"
#include "core/tensor/pickle.h"
#include "views/files/library_rows.h"
#include "views/files/pickle_rows.h"
#include "views/frame/engine_service.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/weights/weight_view.h"
#include "views/widgets/banner.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::uint64_t kMostPickle = std::uint64_t{256} << 20;  // held in memory while it is shown
constexpr std::uint64_t kMostElements = 6;                       // of a tensor in a pickle's row

QString contentJob() { return QStringLiteral("member-content"); }

/// The first tensor that a member holds.
std::optional<HeldWeight> tensorIn(const Package& package, MemberIndex member) {
    for (const HeldWeight& held : heldWeights(package, member)) {
        if (!held.weight->isObject) return held;
    }
    return std::nullopt;
}

std::string elementsText(const TorchSaveFile& file, const PickleNode& node) {
    const Result<std::uint64_t> count = node.layout.elementCount();
    if (!count || *count == 0) return {};
    const Result<Tensor> tensor = file.tensor(node);
    if (!tensor) return {};
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < std::min(*count, kMostElements); ++i) texts.push_back(elementText(tensor->view(), i));
    if (*count > kMostElements) texts.emplace_back("…");
    return formatShape(texts);
}

}  // namespace

MemberContent::MemberContent(DocumentSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      stack_(new QStackedWidget),
      tablePage_(new QWidget),
      banner_(new Banner(State::Warning, {})),
      table_(new DataTable),
      weight_(new WeightView(session)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    column->addWidget(stack_);
    auto* tableColumn = new QVBoxLayout(tablePage_);
    setMargins(tableColumn, 0, 0);
    banner_->setFlat(true);
    banner_->setCompact(true);
    banner_->hide();
    tableColumn->addWidget(banner_);
    table_->setIndented(true);
    table_->setAccessibleName(tr("Content of the member"));
    tableColumn->addWidget(table_, 1);
    stack_->addWidget(tablePage_);
    stack_->addWidget(weight_);
    weight_->hideHead();
}

void MemberContent::clear() {
    reading_ = false;
    session_.jobs().cancel(contentJob());
    weight_->clear();
    banner_->hide();
    if (model_) model_->setRows({});
}

bool MemberContent::canShow(const Package& package, MemberIndex member, MemberKind::Content content) const {
    switch (content) {
        case MemberKind::Content::None: return false;
        case MemberKind::Content::Tensor: {
            const auto held = tensorIn(package, member);
            return held && session_.document().program(held->program->name).package.get() == &package;
        }
        case MemberKind::Content::Pickle: return package.archive().members()[member].size <= kMostPickle;
        case MemberKind::Content::Library: return true;
    }
    return false;
}

void MemberContent::show(const std::shared_ptr<const Package>& package, MemberIndex member, MemberKind::Content content) {
    clear();
    if (content == MemberKind::Content::Tensor) return showTensor(*package, member);
    stack_->setCurrentWidget(tablePage_);
    reading_ = true;
    session_.jobs().start(
        this, contentJob(), tr("Reading \"%1\"").arg(shown(package->archive().nameBelowRoot(member))),
        [package, member, content, engine = EngineService::instance().engine()](const CancelToken& cancel, const ProgressSink&) {
            if (content == MemberKind::Content::Pickle) return readPickleParts(*package, member, cancel);
            return readLibraryParts(*package, member, engine ? machineWith(*engine) : thisMachine());
        },
        [this](Result<Parts> parts) {
            reading_ = false;
            if (!parts) {
                if (parts.error().kind != ErrorKind::Cancelled) emit failed(parts.error());
            } else {
                RowModel* const before = std::exchange(model_, new RowModel(std::move(parts->columns), this));
                table_->setSource(model_);
                delete before;
                model_->setRows(std::move(parts->rows));
                banner_->set(State::Warning, parts->warning, parts->warningText);
                banner_->setVisible(!parts->warning.isEmpty());
            }
            emit settledChanged();
        });
}

Result<MemberContent::Parts> MemberContent::readPickleParts(const Package& package, MemberIndex member, const CancelToken& cancel) {
    Result<ByteBuffer> bytes = package.archive().read(member, kMostPickle);
    if (!bytes) return fail(bytes.error());
    if (cancel.requested()) return cancelled();
    Parts parts;
    parts.columns = pickleColumns();
    PickleScan scan;
    const bool isZip = bytes->size() > 2 && asText(Bytes(*bytes)).substr(0, 2) == "PK";
    if (isZip) {
        const Result<TorchSaveFile> file = TorchSaveFile::read(std::move(*bytes));
        if (!file) return fail(file.error());
        scan = file->scan();
        parts.rows = pickleRows(*file->root(), [&file](const PickleNode& node) { return elementsText(*file, node); });
    } else {
        const auto root = readPickle(*bytes, &scan);
        if (!root) return fail(root.error());
        parts.rows = pickleRows(**root);
    }
    if (!scan.unsafe.empty()) {
        parts.warning = tr("It names what torch's safe loader refuses");
        QStringList names;
        for (std::size_t i = 0; i < scan.unsafe.size() && i < 6; ++i) names << shown(scan.unsafe[i]);
        if (scan.unsafe.size() > 6) names << tr("%1 more").arg(scan.unsafe.size() - 6);
        parts.warningText = tr("%1. Here it is read as data: nothing is imported or called.").arg(names.join(QStringLiteral(", ")));
    }
    return parts;
}

Result<MemberContent::Parts> MemberContent::readLibraryParts(const Package& package, MemberIndex member, const Target& here) {
    ByteBuffer held;
    const Result<ByteSource> source = libraryBytes(package.archive(), member, held);
    if (!source) return fail(source.error());
    ElfWanted wanted;
    wanted.code = true;
    wanted.exports = true;
    const Result<ElfReading> reading = readElf(*source, wanted);
    if (!reading) return fail(reading.error());
    Parts parts;
    parts.columns = libraryColumns();
    const auto forMac = reading->facts.isElf ? std::nullopt : readMachO(*source);
    parts.rows = forMac ? libraryRows(*forMac) : libraryRows(*reading, [&here](const std::string& name) { return here.hasLibrary(name); });
    return parts;
}

/// The weights of a program are listed once per document, in the background; members after the first find the table made.
void MemberContent::showTensor(const Package& package, MemberIndex member) {
    const auto held = tensorIn(package, member);
    if (!held) return;
    stack_->setCurrentWidget(weight_);
    const auto document = session_.documentPointer();
    if (tablesOf_ != document) {
        tables_.clear();
        tablesOf_ = document;
    }
    const std::string model = held->program->name, name = held->weight->fqn;
    if (const auto known = tables_.find(model); known != tables_.end()) return showRow(known->second, name);
    reading_ = true;
    session_.jobs().start(
        this, contentJob(), tr("Listing weights"),
        [document, model](const CancelToken&, const ProgressSink&) { return WeightTable::make(*document, model); },
        [this, document, model, name](Result<std::shared_ptr<const WeightTable>> table) {
            reading_ = false;
            if (tablesOf_ == document && table) {
                tables_[model] = *table;
                showRow(*table, name);
            } else if (!table && table.error().kind != ErrorKind::Cancelled) {
                emit failed(table.error());
            }
            emit settledChanged();
        });
}

void MemberContent::showRow(const std::shared_ptr<const WeightTable>& table, const std::string& name) {
    if (const auto row = table->find(name)) weight_->show(table, *row);
}

bool MemberContent::settled() const { return !reading_ && weight_->settled(); }

}  // namespace pt2::views

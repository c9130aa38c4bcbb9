#include "views/weights/weights_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "views/frame/file_path.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/weights/weight_view.h"
#include "views/widgets/banner.h"
#include "views/widgets/buttons.h"
#include "views/widgets/data_table.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/filter_field.h"
#include "views/widgets/ground.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kTableShare = 64, kTableLeast = 400, kViewLeast = 336;
constexpr int kNarrowTable = 600;  // below, the table has fewer columns

QString scanJob() { return QStringLiteral("weights-scan"); }
QString saveJob() { return QStringLiteral("weights-save"); }

}  // namespace

WeightsPage::WeightsPage(DocumentSession& session, QWidget* parent)
    : Page(session, parent),
      filter_(makeFilterField(tr("Filter weights"), tr("Filter weights"))),
      count_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      scanButton_(plainButton(tr("Read all values"))),
      export_(plainButton(tr("Export…"), QStringLiteral("save"))),
      stack_(new QStackedWidget),
      emptyPage_(new QWidget),
      banner_(new Banner(State::Info, {})),
      tree_(new DataTable),
      model_(nullptr),
      view_(new WeightView(session)),
      splitter_(new QSplitter(Qt::Horizontal)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    auto* left = new QWidget;
    auto* leftColumn = new QVBoxLayout(left);
    setMargins(leftColumn, 0, 0);
    auto* bar = new PageToolbar;
    bar->row()->addWidget(filter_, 1);
    count_->setElided(true);
    bar->row()->addWidget(count_);
    scanButton_->setToolTip(tr("Reads every weight: counts NaN and Inf, and compares with the compiled model"));
    bar->row()->addWidget(scanButton_);
    export_->setToolTip(tr("Saves the selected weights as .safetensors, .npz, .npy or .pt; all of them when none is selected"));
    bar->row()->addWidget(export_);
    leftColumn->addWidget(bar);
    banner_->setFlat(true);
    banner_->setCompact(true);
    banner_->addAction({tr("Dismiss"), [this] { banner_->hide(); }});
    banner_->hide();
    leftColumn->addWidget(banner_);
    tree_->setAccessibleName(tr("Weights"));
    leftColumn->addWidget(tree_, 1);
    splitter_->addWidget(left);
    splitter_->addWidget(view_);
    splitter_->setChildrenCollapsible(false);
    left->setMinimumWidth(kTableLeast);
    view_->setMinimumWidth(kViewLeast);
    stack_->addWidget(splitter_);
    stack_->addWidget(emptyPage_);
    auto* emptyColumn = new QVBoxLayout(emptyPage_);
    setMargins(emptyColumn, 0, 0);
    column->addWidget(stack_);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        tree_->filter()->setText(text);
        refreshCount();
    });
    connect(tree_, &DataTable::rowSelected, this, &WeightsPage::open);
    connect(scanButton_, &QPushButton::clicked, this, &WeightsPage::scan);
    connect(export_, &QPushButton::clicked, this, &WeightsPage::askWhere);
    documentChanged();
}

void WeightsPage::documentChanged() {
    session().jobs().cancel(scanJob());
    const std::shared_ptr<const Document> document = session().documentPointer();
    const auto made = WeightTable::make(*document, session().model());
    weights_ = made ? *made : nullptr;
    scan_ = {};
    state_.clear();
    banner_->hide();
    form_.compiled = weights_ && weights_->ofProgram() && session().compiledModel() != nullptr;
    view_->clear();
    if (!weights_ || weights_->rows().empty()) {
        while (QLayoutItem* item = emptyPage_->layout()->takeAt(0)) {
            if (item->widget()) item->widget()->deleteLater();
            delete item;
        }
        auto* empty = new EmptyState(QStringLiteral("weights"), tr("There are no weights"),
                                     weights_ && weights_->ofProgram()
                                         ? tr("The program has no parameters, no buffers and no constants: all it computes with are its inputs.")
                                         : tr("No constants of the compiled model are known here."));
        empty->setLink({tr("Show files"), [this] { session().showPage(QStringLiteral("files")); }});
        emptyPage_->layout()->addWidget(empty);
        stack_->setCurrentWidget(emptyPage_);
        current_.clear();
        return;
    }
    stack_->setCurrentWidget(splitter_);
    std::vector<QuantizedWeight> quantized;
    if (const auto program = session().program(); program && weights_->ofProgram()) quantized = quantizedWeights(*weights_, *program);
    view_->setQuantized(quantized);
    rebuild();
    const bool unasked = weights_->totals().bytes <= kReadUnasked;
    scanButton_->setVisible(!unasked);
    if (unasked) scan();
    const QString wanted = model_->indexOfAddress(current_).isValid() ? current_ : weightAddress(weights_->rows().front());
    current_.clear();
    choosing_ = false;  // what a page shows at first is no choice of the reader's
    tree_->selectAddress(wanted);
    choosing_ = true;
}

/// The model anew: other columns.
void WeightsPage::rebuild() {
    filled_ = false;
    RowModel* const before = std::exchange(model_, new RowModel(weightColumns(form_), this));
    tree_->setSource(model_);
    delete before;
    refill();
}

/// Rows anew, with what has been found out; selection and place stay.
void WeightsPage::refill() {
    const QString kept = current_;
    filled_ = false;  // what the reset selects meanwhile is no choice
    model_->setRows(weightRows(*weights_, scan_, form_));
    if (!kept.isEmpty()) tree_->selectAddress(kept);
    filled_ = true;
    refreshCount();
}

void WeightsPage::refreshCount() {
    if (!weights_) return;
    const auto all = static_cast<std::uint64_t>(weights_->rows().size());
    const auto left = static_cast<std::uint64_t>(tree_->filter()->rowCount());
    count_->setFullText(left == all ? totalsText(*weights_) : tr("%1 of %2").arg(toQt(formatCount(left)), toQt(formatCount(all))));
}

void WeightsPage::scan() {
    scanButton_->setEnabled(false);
    session().jobs().start(
        this, scanJob(), tr("Reading weights"),
        [table = weights_, document = session().documentPointer()](const CancelToken& cancel, const ProgressSink& progress) {
            return scanWeights(*table, *document, cancel, progress);
        },
        [this, table = weights_](Result<WeightScan> found) {
            scanButton_->setEnabled(true);
            if (table != weights_) return;
            if (found) {
                scan_ = std::move(*found);
                scanButton_->hide();
                refill();
                if (const auto row = chosenRows(); row.size() == 1 && row.front() < scan_.carried.size())
                    view_->setCarried(scan_.carried[row.front()]);
            } else if (found.error().kind != ErrorKind::Cancelled) {
                showSaved(State::Error, toQt(found.error().what), toQt(found.error().why));
            }
            emit changed();
        });
    emit changed();
}

void WeightsPage::open(const QString& address) {
    if (!filled_ || address == current_ || !weights_) return;
    const auto row = weights_->find(address.mid(8).toStdString());  // below "weights/"
    if (!row) return;
    current_ = address;
    view_->show(weights_, *row);
    if (*row < scan_.carried.size()) view_->setCarried(scan_.carried[*row]);
    if (auto parsed = Address::parse(address.toStdString()); parsed && choosing_) session().select(*parsed);
    emit changed();
}

void WeightsPage::showAddress(const Address& address) {
    if (address.kind != Address::Kind::Weight || !weights_ || weights_->rows().empty()) return;
    const QString text = toQt(address.text());
    if (tree_->selectAddress(text)) return;
    filter_->clear();  // a link goes to its weight, whatever the filter hides
    tree_->selectAddress(text);
}

Address WeightsPage::address() const {
    if (!current_.isEmpty()) {
        if (auto parsed = Address::parse(current_.toStdString())) return *parsed;
    }
    return Page::address();
}

QStringList WeightsPage::breadcrumb() const {
    if (current_.isEmpty()) return {};
    return {tr("Weights"), shown(elideMiddle(current_.mid(8).toStdString(), 60))};
}

QStringList WeightsPage::statusTexts() const {
    if (state_.isEmpty()) return Page::statusTexts();
    return {state_};
}

bool WeightsPage::settled() const { return view_->settled() && !session().jobs().isRunning(scanJob()) && !session().jobs().isRunning(saveJob()); }

void WeightsPage::find() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

std::vector<std::size_t> WeightsPage::chosenRows() const {
    std::vector<std::size_t> rows;
    // The model's rows are the table's, in its order.
    for (const QModelIndex& index : tree_->selectionModel()->selectedRows())
        rows.push_back(static_cast<std::size_t>(tree_->filter()->mapToSource(index).row()));
    std::sort(rows.begin(), rows.end());
    return rows;
}

void WeightsPage::askWhere() {
    if (!weights_) return;
    const std::vector<std::size_t> rows = chosenRows();
    const QString name = rows.size() == 1 ? shown(weights_->rows()[rows.front()].name).replace(QLatin1Char('/'), QLatin1Char('_')) : tr("weights");
    const QStringList filters{tr("Safetensors (*.safetensors)"), tr("NumPy archive (*.npz)"), tr("torch.save state dict (*.pt)"),
                              tr("NumPy array, one weight (*.npy)")};
    QString chosen = filters.front();
    QString file =
        QFileDialog::getSaveFileName(this, tr("Export weights"), name + QStringLiteral(".safetensors"), filters.join(QStringLiteral(";;")), &chosen);
    if (file.isEmpty()) return;
    if (QFileInfo(file).suffix().isEmpty()) file += chosen.mid(chosen.lastIndexOf(QLatin1Char('.'))).chopped(1);
    save(file);
}

void WeightsPage::save(const QString& file) {
    if (!weights_) return;
    std::vector<std::size_t> rows = chosenRows();
    if (rows.empty()) {
        for (std::size_t i = 0; i < weights_->rows().size(); ++i) rows.push_back(i);
    }
    using Saved = Result<std::vector<std::string>>;
    const std::size_t count = rows.size();
    session().jobs().start(
        this, saveJob(), tr("Exporting weights"),
        [table = weights_, rows = std::move(rows), path = systemPath(file)](const CancelToken& cancel, const ProgressSink& progress) -> Saved {
            std::vector<std::string> notes;
            if (Status saved = saveWeights(*table, rows, path, true, notes, cancel, progress); !saved) return fail(saved.error());
            return notes;
        },
        [this, file, count](Saved saved) {
            const QString weights = counted(count, tr("weight"), tr("weights"));
            if (saved) {
                const QString title = tr("%1 exported to %2").arg(weights, QFileInfo(file).fileName());
                showSaved(saved->empty() ? State::Ok : State::Info, title, toQt(join(*saved, " ")));
            } else if (saved.error().kind != ErrorKind::Cancelled) {
                showSaved(State::Error, toQt(saved.error().what), toQt(saved.error().why + " " + saved.error().help));
            }
        });
    emit changed();
}

void WeightsPage::showSaved(State state, const QString& title, const QString& text) {
    banner_->set(state, title, text);
    banner_->show();
    state_ = title;
    emit changed();
}

void WeightsPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    if (event->oldSize().width() == width()) return;
    const int table = std::clamp(width() * kTableShare / 100, kTableLeast, std::max(kTableLeast, width() - kViewLeast));
    splitter_->setSizes({table, std::max(1, width() - table)});
    const bool narrow = table < kNarrowTable;
    if (narrow == form_.narrow) return;
    form_.narrow = narrow;
    if (weights_ && model_) rebuild();
}

}  // namespace pt2::views

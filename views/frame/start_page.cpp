#include "views/frame/start_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "views/frame/file_path.h"
#include "views/frame/recent_files.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/data_table.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kWidth = 560, kDropHeight = 120, kRecentRow = 44;

/// Dashed outline with what to drop; dropping itself is the window's.
class DropArea : public QWidget {
public:
    DropArea() {
        setFixedHeight(kDropHeight);
        setAccessibleName(QObject::tr("Drop a .pt2 archive here"));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(color(Role::Window));
        painter.setPen(QPen(color(Role::Strong), 1.2, Qt::DashLine));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), Metrics::cardRadius, Metrics::cardRadius);
        paintIcon(painter, QRectF((width() - 28) / 2.0, 16, 28, 28), QStringLiteral("archive"), Role::Muted);
        painter.setFont(uiFont(TextSize::Section));
        painter.setPen(color(Role::Text));
        painter.drawText(QRect(0, 52, width(), 24), Qt::AlignCenter, QObject::tr("Drop a .pt2 archive here"));
        painter.setFont(uiFont());
        painter.setPen(color(Role::Muted));
        painter.drawText(QRect(0, 78, width(), 22), Qt::AlignCenter, QObject::tr("Nothing in it runs until Run is pressed."));
    }
};

}  // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent),
      recent_(new DataTable),
      model_(new RowModel({{QString(), 300, false, true, {}}, {QString(), 190, true, false, {}}}, this)),
      caption_(new TextLabel(tr("Recent"), TextSize::Caption, Role::Muted)),
      sample_(new LinkLabel(tr("Open the sample"))) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, Spacing::xl, 0);
    outer->addStretch(1);
    auto* middle = new QWidget;
    middle->setMaximumWidth(kWidth);
    auto* column = new QVBoxLayout(middle);
    setMargins(column, 0, Spacing::l);
    column->addWidget(new DropArea);
    auto* row = new QHBoxLayout;
    setMargins(row, 0, Spacing::s);
    auto* open = primaryButton(tr("Open…"));
    auto* folder = plainButton(tr("Open folder…"));
    row->addWidget(open);
    row->addWidget(folder);
    row->addStretch(1);
    row->addWidget(sample_);
    column->addLayout(row);
    column->addWidget(caption_);
    recent_->setSource(model_);
    recent_->setAccessibleName(tr("Recent files"));
    recent_->header()->hide();
    recent_->setRowHeight(kRecentRow);
    recent_->setFitToRows(true);
    column->addWidget(recent_);
    auto* centred = new QHBoxLayout;
    centred->addStretch(1);
    centred->addWidget(middle, 10);
    centred->addStretch(1);
    outer->addLayout(centred);
    outer->addStretch(2);
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(folder, &QPushButton::clicked, this, &StartPage::openFolderRequested);
    connect(sample_, &LinkLabel::clicked, this, [this] { emit fileRequested(samplePath_); });
    connect(recent_, &DataTable::clicked, this,
            [this](const QModelIndex& index) { emit fileRequested(index.siblingAtColumn(0).data(AddressRole).toString()); });
    connect(recent_, &DataTable::rowActivated, this, &StartPage::fileRequested);
    setSample({});
    refresh();
}

void StartPage::setSample(const QString& path) {
    samplePath_ = path;
    sample_->setVisible(!path.isEmpty());
}

void StartPage::refresh() {
    std::vector<Row> rows;
    const QDateTime now = QDateTime::currentDateTime();
    for (const RecentFile& file : recentFiles()) {
        Row row;
        Cell name(shownFileName(file.path));
        name.strong = true;
        name.icon = QStringLiteral("archive");
        name.iconColour = Role::Accent;
        name.second = shownPath(folderOf(file.path));
        name.tooltip = shownPath(file.path);
        Cell facts(file.problems > 0 ? counted(static_cast<std::uint64_t>(file.problems), tr("problem"), tr("problems")) : file.kind);
        if (file.problems > 0) facts.colour = Role::Error;
        facts.second = QStringLiteral("%1 · %2").arg(toQt(formatBytes(static_cast<std::uint64_t>(file.size))), ageInWords(file.opened, now));
        row.cells = {name, facts};
        row.address = file.path;
        rows.push_back(std::move(row));
    }
    caption_->setVisible(!rows.empty());
    recent_->setVisible(!rows.empty());
    model_->setRows(std::move(rows));
}

}  // namespace pt2::views

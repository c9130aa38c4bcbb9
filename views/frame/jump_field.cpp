#include "views/frame/jump_field.h"

#include <QAction>
#include <QApplication>
#include <QFrame>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "views/frame/page.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kDelayMs = 90;
constexpr std::size_t kLimit = 200;
constexpr int kVisibleRows = 12;
constexpr std::size_t kCommandsAmongOthers = 5;

QString iconOf(const std::string& kind) {
    if (kind == "node") return QStringLiteral("node");
    if (kind == "weight") return QStringLiteral("weight");
    if (kind == "member") return QStringLiteral("page");
    if (kind == "symbol") return QStringLiteral("symbol");
    if (kind == "module") return QStringLiteral("graph");
    if (kind == "input") return QStringLiteral("samples");
    if (kind == "source") return QStringLiteral("code");
    return QStringLiteral("unknown");
}

/// What a prefix narrows to, and the pattern without it.
std::pair<std::string, QString> narrowed(const QString& text) {
    if (text.startsWith(u'@')) return {"node", text.mid(1)};
    if (text.startsWith(u'#')) return {"weight", text.mid(1)};
    if (text.startsWith(u'/')) return {"member", text.mid(1)};
    return {{}, text};
}

const QString kCommand = QStringLiteral("command:");

QString commandName(const QAction& action) {
    QString name = action.text().remove(u'&');
    return name.endsWith(u'…') ? name.chopped(1) : name;
}

/// The popup below the field: raised, hairline, no focus of its own.
class Popup : public QFrame {
public:
    explicit Popup(QWidget* parent) : QFrame(parent, Qt::ToolTip | Qt::FramelessWindowHint) { setFrameShape(QFrame::NoFrame); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), color(Role::Raised));
        drawPanel(painter, QRectF(rect()), 0, QColor(), color(Role::Border));
    }
};

}  // namespace

JumpField::JumpField(const PageRegistry& registry, QWidget* parent)
    : QLineEdit(parent),
      registry_(registry),
      popup_(new Popup(this)),
      list_(new DataTable),
      model_(new RowModel({{QString(), 240, false, true, {}}, {QString(), 180, true, false, {}}}, this)),
      footer_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      delay_(new QTimer(this)) {
    setPlaceholderText(tr("Go to anything…"));
    setAccessibleName(tr("Go to anything"));
    setTextMargins(20, 0, 56, 0);
    setMaximumWidth(Metrics::jumpField);
    setFocusPolicy(Qt::ClickFocus);  // Ctrl+K brings the keyboard here; a new window does not
    auto* column = new QVBoxLayout(popup_);
    setMargins(column, 1, 0);
    list_->setGround(Role::Raised);
    list_->setSource(model_);
    list_->header()->hide();
    list_->setFocusPolicy(Qt::NoFocus);
    column->addWidget(list_, 1);
    footer_->setContentsMargins(Spacing::m, Spacing::xs, Spacing::m, Spacing::xs);
    column->addWidget(footer_);
    delay_->setSingleShot(true);
    delay_->setInterval(kDelayMs);
    connect(delay_, &QTimer::timeout, this, &JumpField::search);
    connect(this, &QLineEdit::textEdited, this, [this] { delay_->start(); });
    connect(list_, &DataTable::clicked, this, [this](const QModelIndex& index) { choose(index.siblingAtColumn(0).data(AddressRole).toString()); });
    installEventFilter(this);
}

JumpField::~JumpField() { delete popup_; }

void JumpField::setSession(DocumentSession* session) {
    session_ = session;
    clear();
    closePopup();
}

void JumpField::startCommands() {
    setFocus(Qt::ShortcutFocusReason);
    setText(QStringLiteral(">"));
    search();
}

std::vector<Row> JumpField::commandRows(const QString& pattern) const {
    std::vector<Row> rows;
    for (qsizetype i = 0; i < commands_.size(); ++i) {
        const QAction& action = *commands_[i];
        if (!action.isEnabled() || !commandName(action).contains(pattern, Qt::CaseInsensitive)) continue;
        Row row;
        Cell name(commandName(action));
        name.icon = QStringLiteral("forward");
        const QString keys = action.shortcut().toString(QKeySequence::NativeText);
        row.cells = {name, Cell::muted(keys.isEmpty() ? tr("command") : tr("command · %1").arg(keys))};
        row.address = kCommand + QString::number(i);
        rows.push_back(std::move(row));
    }
    return rows;
}

void JumpField::search() {
    const QString typed = text().trimmed();
    if (typed.startsWith(u'>')) return showRows(commandRows(typed.mid(1).trimmed()), tr("No command is called \"%1\".").arg(typed.mid(1).trimmed()));
    const auto [kind, pattern] = narrowed(typed);
    if (!session_ && !pattern.isEmpty()) return showRows(commandRows(pattern), tr("Nothing is open, and no command is called \"%1\".").arg(pattern));
    if (!session_ || session_->state() != DocumentSession::State::Ready || pattern.isEmpty()) return closePopup();
    session_->jobs().start(
        this, QStringLiteral("jump"), tr("Searching"),
        [document = session_->documentPointer(), pattern = pattern.toStdString(), kind = kind](const CancelToken& cancel, const ProgressSink&) {
            std::vector<SearchHit> hits = findInDocument(*document, pattern, kind.empty() ? kLimit : 50 * kLimit, cancel);
            if (!kind.empty())
                hits.erase(std::remove_if(hits.begin(), hits.end(), [&kind](const SearchHit& hit) { return hit.kind != kind; }), hits.end());
            if (hits.size() > kLimit) hits.resize(kLimit);
            return hits;
        },
        [this, pattern = pattern](std::vector<SearchHit> hits) { show(hits, pattern); });
}

void JumpField::show(const std::vector<SearchHit>& hits, const QString& pattern) {
    std::vector<Row> rows;
    for (const PageInfo& page : registry_.pages()) {
        if (!page.title.startsWith(pattern, Qt::CaseInsensitive)) continue;
        Row row;
        Cell name(page.title);
        name.icon = page.icon;
        row.cells = {name, Cell::muted(tr("page"))};
        row.address = QStringLiteral("page/") + page.key;
        rows.push_back(std::move(row));
    }
    const bool narrowedDown = text().startsWith(u'@') || text().startsWith(u'#') || text().startsWith(u'/');
    std::vector<Row> commands = narrowedDown ? std::vector<Row>{} : commandRows(pattern);
    if (commands.size() > kCommandsAmongOthers) commands.resize(kCommandsAmongOthers);
    for (const SearchHit& hit : hits) {
        Row row;
        const qsizetype slash = toQt(hit.address).lastIndexOf(u'/');
        Cell name = Cell::fixed(shown(toQt(hit.address).mid(slash + 1).toStdString()));
        name.icon = iconOf(hit.kind);
        QString beside = shown(hit.text);
        if (beside.startsWith(name.text + QStringLiteral(": "))) beside = beside.mid(name.text.size() + 2);  // the name is said already
        if (beside == name.text) beside.clear();
        Cell what = Cell::muted(beside.isEmpty() ? toQt(hit.kind) : QStringLiteral("%1 · %2").arg(toQt(hit.kind), beside));
        row.cells = {name, what};
        row.address = toQt(hit.address);
        rows.push_back(std::move(row));
    }
    for (Row& command : commands) rows.push_back(std::move(command));
    showRows(std::move(rows), tr("Nothing named \"%1\" in pages, nodes, weights, members or commands.").arg(pattern));
}

void JumpField::showRows(std::vector<Row> rows, const QString& none) {
    const std::size_t count = rows.size();
    model_->setRows(std::move(rows));
    if (count > 0) {
        list_->setCurrentIndex(list_->model()->index(0, 0));
        footer_->setFullText(tr("Enter goes there · Esc closes · @ node, # weight, / member, > command"));
    } else {
        footer_->setFullText(none);
    }
    const int shownRows = std::min<int>(static_cast<int>(count), kVisibleRows);
    const QPoint corner = mapToGlobal(QPoint(0, height() + 2));
    popup_->setGeometry(corner.x(), corner.y(), std::max(width(), 320), shownRows * list_->rowHeight() + footer_->sizeHint().height() + 4);
    list_->setVisible(count > 0);
    popup_->show();
    popup_->raise();
}

void JumpField::choose(const QString& address) {
    closePopup();
    clear();
    clearFocus();
    if (address.startsWith(kCommand)) {
        const int place = address.mid(kCommand.size()).toInt();
        if (place >= 0 && place < commands_.size()) commands_[place]->trigger();
        return;
    }
    if (!session_ || address.isEmpty()) return;
    if (address.startsWith(QLatin1String("page/"))) {
        session_->showPage(address.mid(5));
    } else {
        session_->navigate(address);
    }
}

void JumpField::closePopup() { popup_->hide(); }

void JumpField::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    if (!text().isEmpty()) delay_->start();
}

void JumpField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        if (popup_->isVisible()) {
            closePopup();
        } else {
            clear();
            clearFocus();
        }
        return;
    }
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        const int step = event->key() == Qt::Key_Down ? 1 : -1;
        const int row = std::clamp(list_->currentIndex().row() + step, 0, std::max(0, list_->model()->rowCount() - 1));
        list_->setCurrentIndex(list_->model()->index(row, 0));
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        choose(list_->currentAddress());
        return;
    }
    QLineEdit::keyPressEvent(event);
}

bool JumpField::eventFilter(QObject* watched, QEvent* event) {
    if (watched == this && event->type() == QEvent::FocusOut) closePopup();
    return QLineEdit::eventFilter(watched, event);
}

void JumpField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    paintIcon(painter, QRectF(Spacing::s, (height() - 16) / 2.0, 16, 16), QStringLiteral("search"), isEnabled() ? Role::Muted : Role::Disabled);
    if (hasFocus()) return;
    const QString keys = QKeySequence(QStringLiteral("Ctrl+K")).toString(QKeySequence::NativeText);
    const QFont font = uiFont(TextSize::Caption);
    const int w = QFontMetrics(font).horizontalAdvance(keys) + 2 * Spacing::s;
    const QRect pill(width() - w - 5, 4, w, height() - 8);
    drawPanel(painter, QRectF(pill), Metrics::controlRadius, color(Role::Alt), QColor(), 0);
    painter.setFont(font);
    painter.setPen(color(Role::Muted));
    painter.drawText(pill, Qt::AlignCenter, keys);
}

}  // namespace pt2::views

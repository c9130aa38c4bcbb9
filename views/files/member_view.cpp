#include "views/files/member_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "views/files/member_kind.h"
#include "views/frame/file_path.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/code_view.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/find_bar.h"
#include "views/widgets/ground.h"
#include "views/widgets/hex_view.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::uint64_t kTextLimit = 48u << 20;  // larger members are shown as bytes
constexpr std::size_t kIndentLimit = 128u << 20;

QString methodWords(const Member& member) {
    if (member.method == 0) return QObject::tr("stored");
    if (member.method == 8) return QObject::tr("deflated to %1").arg(toQt(formatBytes(member.compressedSize)));
    return QObject::tr("zip method %1").arg(member.method);
}

}  // namespace

MemberView::MemberView(DocumentSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      name_(new TextLabel({}, TextSize::Strong)),
      facts_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      holds_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      form_(new SegmentedSwitch({tr("Text"), tr("Bytes")})),
      stack_(new QStackedWidget),
      code_(new CodeView),
      hex_(new HexView(session.jobs())),
      errorPage_(new Ground(Role::Base)),
      error_(new ErrorPanel),
      empty_(new EmptyState(QStringLiteral("files"), tr("No member is selected"),
                            tr("Choose a member at the left. Text, JSON and source open with highlighting, everything else as bytes."))),
      findBar_(new FindBar(code_)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    auto* head = new Ground(Role::Base);
    head->setEdges(Qt::BottomEdge);
    auto* headRow = new QHBoxLayout(head);
    headRow->setContentsMargins(Spacing::l, Spacing::s, Spacing::m, Spacing::s);
    headRow->setSpacing(Spacing::s);
    auto* words = new QVBoxLayout;
    setMargins(words, 0, 2);
    name_->setCode(true);
    name_->setSelectable(true);
    name_->setElided(true);
    facts_->setSelectable(true);
    facts_->setElided(true);
    holds_->setSelectable(true);
    holds_->setElided(true);
    words->addWidget(name_);
    words->addWidget(facts_);
    words->addWidget(holds_);
    headRow->addLayout(words, 1);
    headRow->addWidget(form_, 0, Qt::AlignTop);
    auto* save = iconButton(QStringLiteral("save"), tr("Save this member as…"));
    headRow->addWidget(save, 0, Qt::AlignTop);
    column->addWidget(head);
    column->addWidget(findBar_);
    column->addWidget(stack_, 1);
    auto* errorColumn = new QVBoxLayout(errorPage_);
    setMargins(errorColumn, Spacing::xl, 0);
    error_->addAction({tr("Show bytes"), [this] { form_->setCurrent(Hex); }});
    errorColumn->addWidget(error_);
    errorColumn->addStretch(1);
    for (QWidget* page : {empty_, static_cast<QWidget*>(code_), static_cast<QWidget*>(hex_), errorPage_}) stack_->addWidget(page);
    connect(form_, &SegmentedSwitch::currentChanged, this, [this](int index) { showForm(static_cast<Form>(index)); });
    connect(hex_, &HexView::failed, this, &MemberView::showError);
    connect(hex_, &HexView::settledChanged, this, &MemberView::settledChanged);
    connect(save, &QToolButton::clicked, this, &MemberView::copyToDisk);
    clear();
}

void MemberView::clear() {
    package_.reset();
    name_->setFullText({});
    facts_->setFullText({});
    holds_->hide();
    findBar_->hide();
    form_->hide();
    hex_->clear();
    stack_->setCurrentWidget(empty_);
}

void MemberView::show(std::shared_ptr<const Package> package, MemberIndex member) {
    package_ = std::move(package);
    member_ = member;
    reading_ = false;
    const Archive& archive = package_->archive();
    const Member& record = archive.members()[member];
    const MemberKind kind = memberKind(*package_, member);
    language_ = kind.language;
    indent_ = kind.indent;
    name_->setFullText(shown(archive.nameBelowRoot(member)));
    QStringList facts{kind.meaning, toQt(formatBytes(record.size))};
    if (record.size >= 1000) facts << tr("%1 bytes").arg(toQt(formatCount(record.size)));
    if (archive.kind() != ContainerKind::Folder) {
        facts << methodWords(record) << tr("at %1").arg(toQt(formatOffset(record.dataOffset)))
              << tr("CRC-32 %1").arg(record.crc32, 8, 16, QLatin1Char('0'));
    }
    facts_->setFullText(facts.join(QStringLiteral(" · ")));
    const QStringList weights = weightsInMember(*package_, member);
    holds_->setVisible(!weights.isEmpty());
    holds_->setFullText(
        tr("holds %1")
            .arg(weights.mid(0, 3).join(QStringLiteral(", ")) + (weights.size() > 3 ? tr(", … %1 more").arg(weights.size() - 3) : QString())));
    form_->show();
    const bool asText = kind.view == MemberKind::View::Text && record.size <= kTextLimit;
    const Form wanted = asText ? Text : Hex;
    if (form_->current() == wanted)
        showForm(wanted);
    else
        form_->setCurrent(wanted);
}

void MemberView::showForm(Form form) {
    if (!package_) return;
    if (form == Hex) {
        findBar_->hide();
        hex_->setMember(package_->archivePointer(), member_);
        stack_->setCurrentWidget(hex_);
        return;
    }
    readText();
}

void MemberView::readText() {
    const Member& record = package_->archive().members()[member_];
    if (record.size > kTextLimit) {
        return showError({ErrorKind::Unreadable, "files.too-large-for-text", "This member is too large to show as text.", record.name,
                          "It has " + formatBytes(record.size) + "; text is shown up to " + formatBytes(kTextLimit) + ".",
                          "Look at its bytes, or save it and open it in an editor."});
    }
    reading_ = true;
    code_->setText({}, Language::Plain);
    stack_->setCurrentWidget(code_);
    session_.jobs().start(
        this, QStringLiteral("member-text"), tr("Reading \"%1\"").arg(shown(package_->archive().nameBelowRoot(member_))),
        [package = package_, member = member_, indent = indent_](const CancelToken&, const ProgressSink&) -> Result<QString> {
            Result<ByteBuffer> bytes = package->archive().read(member, kTextLimit);
            if (!bytes) return tl::unexpected<Error>(bytes.error());
            const std::string_view text = asText(Bytes(*bytes));
            std::string indented;
            if (indent) indented = indentJson(text, kIndentLimit);
            const std::string_view chosen = indent ? std::string_view(indented) : text;
            QString result = toQt(chosen);
            // What an editor would not show either: control characters become their pictures.
            for (QChar& c : result) {
                if (c.unicode() < 0x20 && c != u'\n' && c != u'\t' && c != u'\r') c = QChar(static_cast<char16_t>(0x2400 + c.unicode()));
            }
            return result;
        },
        [this](const Result<QString>& text) {
            reading_ = false;
            if (text) {
                code_->setText(*text, language_);
                stack_->setCurrentWidget(code_);
            } else {
                showError(text.error());
            }
            emit settledChanged();
        });
}

void MemberView::showError(const Error& error) {
    error_->setError(error);
    stack_->setCurrentWidget(errorPage_);
    emit settledChanged();
}

bool MemberView::settled() const { return !reading_ && (stack_->currentWidget() != hex_ || hex_->settled()); }

void MemberView::find() {
    if (stack_->currentWidget() == code_) findBar_->open();
}

void MemberView::copyToDisk() {
    if (!package_) return;
    const QString suggested = QFileInfo(shown(package_->archive().nameBelowRoot(member_))).fileName();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save this member"), suggested);
    if (path.isEmpty()) return;
    session_.jobs().start(
        this, QStringLiteral("save-member"), tr("Saving \"%1\"").arg(suggested),
        [package = package_, member = member_, target = systemPath(path)](const CancelToken& cancel, const ProgressSink&) -> Status {
            Result<AtomicFile> file = AtomicFile::create(target, true);
            if (!file) return tl::unexpected<Error>(file.error());
            Status written = package->archive().stream(
                member, [&file](Bytes bytes) { return file->write(bytes); }, cancel);
            if (!written) return written;
            return file->commit();
        },
        [this](const Status& status) {
            if (!status) showError(status.error());
        });
}

}  // namespace pt2::views

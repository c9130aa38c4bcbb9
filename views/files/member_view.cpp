#include "views/files/member_view.h"

#include <QBoxLayout>
#include <QFileDialog>
#include <QFileInfo>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "views/files/member_content.h"
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
constexpr int kNarrow = 480;                     // of the view; the choice of forms goes below the name
constexpr std::size_t kIndentLimit = 128u << 20;

QString contentTitle(MemberKind::Content content) {
    switch (content) {
        case MemberKind::Content::Tensor: return QObject::tr("Tensor");
        case MemberKind::Content::Pickle: return QObject::tr("Objects");
        case MemberKind::Content::Library: return QObject::tr("Summary");
        case MemberKind::Content::None: break;
    }
    return {};
}

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
      content_(new MemberContent(session)),
      errorPage_(new Ground(Role::Base)),
      error_(new ErrorPanel),
      empty_(
          new EmptyState(QStringLiteral("files"), tr("No member is selected"),
                         tr("Choose a member at the left. Source and JSON open with highlighting; weights, pickles and libraries are taken apart."))),
      findBar_(new FindBar(code_)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    auto* head = new Ground(Role::Base);
    head->setEdges(Qt::BottomEdge);
    head_ = new QBoxLayout(QBoxLayout::LeftToRight, head);
    head_->setContentsMargins(Spacing::l, Spacing::s, Spacing::m, Spacing::s);
    head_->setSpacing(Spacing::s);
    auto* words = new QVBoxLayout;
    setMargins(words, 0, 2);
    name_->setCode(true);
    name_->setSelectable(true);
    name_->setElided(true);
    facts_->setSelectable(true);
    facts_->setElided(true);
    holds_->setSelectable(true);
    holds_->setElided(true);
    // They take the room that the tools leave.
    for (TextLabel* label : {name_, facts_, holds_}) label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    words->addWidget(name_);
    words->addWidget(facts_);
    words->addWidget(holds_);
    head_->addLayout(words, 1);
    auto* tools = new QHBoxLayout;
    tools->setAlignment(Qt::AlignLeft);
    setMargins(tools, 0, Spacing::s);
    tools->addWidget(form_, 0, Qt::AlignTop);
    auto* save = iconButton(QStringLiteral("save"), tr("Save this member as…"));
    tools->addWidget(save, 0, Qt::AlignTop);
    head_->addLayout(tools);
    column->addWidget(head);
    column->addWidget(findBar_);
    column->addWidget(stack_, 1);
    auto* errorColumn = new QVBoxLayout(errorPage_);
    setMargins(errorColumn, Spacing::xl, 0);
    error_->addAction({tr("Show bytes"), [this] {
                           if (const auto hex = std::find(forms_.begin(), forms_.end(), Form::Hex); hex != forms_.end())
                               form_->setCurrent(static_cast<int>(hex - forms_.begin()));
                       }});
    errorColumn->addWidget(error_);
    errorColumn->addStretch(1);
    for (QWidget* page : {empty_, static_cast<QWidget*>(code_), static_cast<QWidget*>(hex_), static_cast<QWidget*>(content_), errorPage_})
        stack_->addWidget(page);
    connect(form_, &SegmentedSwitch::currentChanged, this, [this](int index) {
        if (index >= 0 && static_cast<std::size_t>(index) < forms_.size()) showForm(forms_[static_cast<std::size_t>(index)]);
    });
    connect(hex_, &HexView::failed, this, &MemberView::showError);
    connect(content_, &MemberContent::failed, this, &MemberView::showError);
    connect(content_, &MemberContent::settledChanged, this, &MemberView::settledChanged);
    connect(hex_, &HexView::settledChanged, this, &MemberView::settledChanged);
    connect(save, &QToolButton::clicked, this, &MemberView::copyToDisk);
    clear();
}

void MemberView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    head_->setDirection(width() < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void MemberView::clear() {
    package_.reset();
    wantsText_ = false;
    name_->setFullText({});
    facts_->setFullText({});
    holds_->hide();
    findBar_->hide();
    form_->hide();
    hex_->clear();
    content_->clear();
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
    kind_ = kind.content;
    name_->setFullText(shown(archive.nameBelowRoot(member)));
    const QStringList weights = weightsInMember(*package_, member);
    QStringList facts{toQt(formatBytes(record.size))};
    if (weights.isEmpty()) facts.prepend(kind.meaning);  // else the line below says it
    if (record.size >= 1000) facts << tr("%1 bytes").arg(toQt(formatCount(record.size)));
    if (archive.kind() != ContainerKind::Folder) {
        facts << methodWords(record) << tr("at %1").arg(toQt(formatOffset(record.dataOffset)))
              << tr("CRC-32 %1").arg(record.crc32, 8, 16, QLatin1Char('0'));
    }
    facts_->setFullText(facts.join(QStringLiteral(" · ")));
    holds_->setVisible(!weights.isEmpty());
    holds_->setFullText(
        tr("holds %1")
            .arg(weights.mid(0, 3).join(QStringLiteral(", ")) + (weights.size() > 3 ? tr(", … %1 more").arg(weights.size() - 3) : QString())));
    content_->clear();
    if (content_->canShow(*package_, member, kind.content)) return offer({Form::Content, Form::Hex}, Form::Content);
    offer({Form::Text, Form::Hex}, kind.view == MemberKind::View::Text && record.size <= kTextLimit ? Form::Text : Form::Hex);
}

void MemberView::offer(std::vector<Form> forms, Form first) {
    forms_ = std::move(forms);
    QStringList labels;
    for (const Form form : forms_) labels << (form == Form::Content ? contentTitle(kind_) : form == Form::Text ? tr("Text") : tr("Bytes"));
    form_->setLabels(labels);
    form_->show();
    const auto index = static_cast<int>(std::find(forms_.begin(), forms_.end(), first) - forms_.begin());
    if (form_->current() == index)
        showForm(first);
    else
        form_->setCurrent(index);
}

void MemberView::showForm(Form form) {
    if (!package_) return;
    wantsText_ = form == Form::Text;
    if (!wantsText_) findBar_->hide();
    if (form == Form::Content) {
        stack_->setCurrentWidget(content_);
        content_->show(package_, member_, kind_);
        return;
    }
    if (form == Form::Hex) {
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
            if (!wantsText_) return emit settledChanged();  // another member or form was chosen meanwhile
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

bool MemberView::settled() const { return !reading_ && (stack_->currentWidget() != hex_ || hex_->settled()) && content_->settled(); }

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

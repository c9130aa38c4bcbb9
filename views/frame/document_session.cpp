#include "views/frame/document_session.h"

#include <QElapsedTimer>
#include <QFileSystemWatcher>
#include <QTimer>
#include <algorithm>

#include "core/archive/byte_check.h"
#include "core/compiled/runnable.h"
#include "core/compiled/this_machine.h"
#include "core/run/engine_discovery.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

struct Opened {
    Result<Document> document = fail({});
    std::string model;
    std::optional<Result<Contract>> contract;
};

int rank(Severity severity) { return severity == Severity::Error ? 0 : severity == Severity::Warning ? 1 : 2; }

constexpr int kSettleMs = 400;  // a writer may touch a file several times
constexpr qsizetype kLogLimit = 20000;
constexpr QLatin1String kWholeRead("whole");  // its job

}  // namespace

DocumentSession::DocumentSession(QString path, QString with, QObject* parent)
    : QObject(parent),
      path_(std::move(path)),
      with_(std::move(with)),
      jobs_(new JobRunner(this)),
      watcher_(new QFileSystemWatcher(this)),
      settle_(new QTimer(this)) {
    settle_->setSingleShot(true);
    settle_->setInterval(kSettleMs);
    connect(watcher_, &QFileSystemWatcher::fileChanged, settle_, qOverload<>(&QTimer::start));
    connect(settle_, &QTimer::timeout, this, [this] {
        if (state_ == State::Ready && document_->primary->archive().verifyUnchanged() && pathExists(path_)) return;
        changedOnDisk_ = true;
        emit changedOnDiskChanged();
    });
    connect(jobs_, &JobRunner::progressed, this, [this](JobId id, const Progress& progress) {
        if (id == opening_ && state_ == State::Opening) emit openProgress(progress);
    });
    connect(&EngineService::instance(), &EngineService::changed, this, [this] {
        if (state_ == State::Ready) judge();
    });
    connect(jobs_, &JobRunner::threw, this, [this](JobId, const Error& thrown) { log(shown(thrown.what + " " + thrown.why)); });
}

DocumentSession::~DocumentSession() { jobs_->cancelAll(); }

QString DocumentSession::fileName() const { return path_ == QLatin1String("-") ? tr("standard input") : shownFileName(path_); }

void DocumentSession::attach(const QString& with) { read(with); }

void DocumentSession::open() { read(with_); }

void DocumentSession::read(const QString& withPath) {
    if (!document_) {
        state_ = State::Opening;
        emit stateChanged();
    }
    changedOnDisk_ = false;
    emit changedOnDiskChanged();
    const std::filesystem::path path = systemPath(path_), with = systemPath(withPath);
    opening_ = jobs_->start(
        this, QStringLiteral("open"), tr("Opening \"%1\"").arg(fileName()),
        [path, with, wanted = wished_.empty() ? model_ : wished_](const CancelToken& cancel, const ProgressSink& progress) {
            Opened opened;
            opened.document = Document::open(path, with, cancel, progress);
            if (opened.document) {
                const auto resolved = opened.document->resolveModel(wanted);
                opened.model = resolved ? *resolved : opened.document->defaultModel();
                opened.contract = buildContract(*opened.document, opened.model);
            }
            return opened;
        },
        [this, withPath](Opened opened) {
            if (!opened.document) {
                error_ = opened.document.error();
                if (document_) {  // what was read before stays on the screen
                    emit reloadFailed(error_);
                    return;
                }
                state_ = State::Failed;
                emit stateChanged();
                return;
            }
            with_ = withPath;
            document_ = std::make_shared<const Document>(std::move(*opened.document));
            model_ = opened.model;
            contract_ = std::move(opened.contract);
            setIssues(document_->issues());
            wholeRead_.reset();
            jobs_->cancel(kWholeRead);
            state_ = State::Ready;
            watch();
            forgetModel();
            judge();
            emit stateChanged();
            emit documentChanged();
            if (!wished_.empty() && wished_ != model_) setModel(wished_);
        });
}

void DocumentSession::watch() {
    if (path_ == QLatin1String("-")) return;
    if (!watcher_->files().isEmpty()) watcher_->removePaths(watcher_->files());
    std::error_code problem;
    if (knownToQt(path_) && std::filesystem::is_regular_file(systemPath(path_), problem)) watcher_->addPath(path_);
}

void DocumentSession::setModel(const std::string& model) {
    if (!document_ || (!document_->program(model) && !document_->compiled(model))) return;
    wished_ = model;
    if (model == model_) return;
    jobs_->start(
        this, QStringLiteral("model"), tr("Reading the model \"%1\"").arg(shown(model)),
        [document = document_, model](const CancelToken&, const ProgressSink&) { return buildContract(*document, model); },
        [this, document = document_, model](Result<Contract> contract) {
            if (model != wished_) return;                       // another wish since
            if (document != document_) return setModel(model);  // the file was read anew meanwhile
            model_ = model;
            contract_ = std::move(contract);
            forgetModel();
            judge();
            emit documentChanged();
        });
}

/// What is known of the model shown before.
void DocumentSession::forgetModel() {
    runnable_.reset();
    kernels_.reset();
    kernelsAsked_ = false;
}

void DocumentSession::requestKernels() {
    if (kernelsAsked_ || !compiledModel()) return;
    kernelsAsked_ = true;
    jobs_->start(
        this, QStringLiteral("kernels"), tr("Reading kernels"),
        [document = document_, model = model_](const CancelToken&, const ProgressSink&) { return readLinkedKernels(*document, model); },
        [this, document = document_, model = model_](Result<LinkedKernels> read) {
            if (document != document_ || model != model_) return;  // the next request has its own answer
            kernels_ = std::make_shared<const Result<LinkedKernels>>(std::move(read));
            emit kernelsChanged();
        });
}

void DocumentSession::judge() {
    if (!compiledModel()) return;
    jobs_->start(
        this, QStringLiteral("verdict"), tr("Judging whether it runs here"),
        [document = document_, model = model_, engine = EngineService::instance().engine()](const CancelToken& cancel, const ProgressSink&) {
            const Document::CompiledRef found = document->compiled(model);
            if (!found) return Runnable{};
            return judgeRunnable(found.package->archive(), *found.model, engine ? machineWith(*engine) : thisMachine(), cancel);
        },
        [this](Runnable runnable) {
            runnable_ = std::move(runnable);
            emit runnableChanged();
        });
}

QString DocumentSession::refusal() const {
    if (!runnable_ || runnable_->verdict != Runnable::Verdict::No || !EngineService::instance().engineKnown()) return {};
    for (const RunReason& reason : runnable_->reasons) {
        if (reason.ok != false) continue;
        return tr("It cannot run here: %1.").arg(shown(reasonLine(reason)));
    }
    return tr("It cannot run here.");
}

std::shared_ptr<const Program> DocumentSession::program() const {
    const ProgramEntry* entry = programEntry();
    return entry ? entry->program : nullptr;
}

const ProgramEntry* DocumentSession::programEntry() const { return document_ ? document_->program(model_).entry : nullptr; }

const CompiledModel* DocumentSession::compiledModel() const { return document_ ? document_->compiled(model_).model : nullptr; }

int DocumentSession::issueCount(Severity severity) const {
    return static_cast<int>(std::count_if(issues_.begin(), issues_.end(), [severity](const Issue& issue) { return issue.severity == severity; }));
}

void DocumentSession::setIssues(Issues issues) {
    issues_ = std::move(issues);
    std::stable_sort(issues_.begin(), issues_.end(), [](const Issue& a, const Issue& b) { return rank(a.severity) < rank(b.severity); });
}

bool DocumentSession::isReadingWhole() const { return jobs_->isRunning(kWholeRead); }

void DocumentSession::readWhole() {
    if (!document_ || wholeRead_ || isReadingWhole()) return;
    struct Read {
        Issues issues;
        WholeRead whole;
    };
    jobs_->start(
        this, kWholeRead, tr("Reading every byte"),
        [document = document_](const CancelToken& cancel, const ProgressSink& progress) -> Result<Read> {
            QElapsedTimer timer;
            timer.start();
            Read read;
            read.issues = document->issues();
            const std::size_t known = read.issues.size();
            for (const auto* package : {document->primary.get(), document->attached.get()}) {
                if (!package) continue;
                const auto bytes = readEveryByte(package->archive(), read.issues, cancel, progress);
                if (!bytes) return fail(bytes.error());
                read.whole.bytes += *bytes;
            }
            read.whole.seconds = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
            read.whole.found = read.issues.size() - known;
            return read;
        },
        [this, document = document_](Result<Read> read) {
            if (read && document == document_) {  // not read anew meanwhile
                wholeRead_ = read->whole;
                setIssues(std::move(read->issues));
            } else if (!read && read.error().kind != ErrorKind::Cancelled) {
                log(shown(read.error().what));
            }
            emit issuesChanged();
        });
    emit issuesChanged();
}

void DocumentSession::select(const Address& address) {
    if (address == selection_) return;
    selection_ = address;
    emit selectionChanged(selection_);
}

void DocumentSession::navigate(const QString& address) {
    if (auto parsed = Address::parse(address.toStdString())) emit navigationRequested(*parsed);
}

void DocumentSession::log(const QString& line) {
    log_ << line;
    if (log_.size() > kLogLimit) log_.remove(0, log_.size() - kLogLimit);
    emit logged(line);
}

}  // namespace pt2::views

#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "core/compiled/compiled_model.h"
#include "core/compiled/runnable.h"
#include "core/contract/contract.h"
#include "core/package/address.h"
#include "core/package/linked_kernels.h"
#include "core/package/package.h"
#include "views/jobs/job_runner.h"

class QFileSystemWatcher;
class QTimer;

namespace pt2::views {

/// One opened document of the window: the core Document, the model the pages show, the selection all pages share, and its jobs.
/// Pages hold a reference; it outlives them.
class DocumentSession : public QObject {
    Q_OBJECT
public:
    enum class State { Opening, Ready, Failed };

    explicit DocumentSession(QString path, QString with = {}, QObject* parent = nullptr);
    ~DocumentSession() override;

    /// Opens in the background; `stateChanged` follows. Also used to reload: the old document stays until the new one is read.
    void open();
    State state() const { return state_; }
    const Error& error() const { return error_; }
    const QString& path() const { return path_; }
    const QString& withPath() const { return with_; }
    QString fileName() const;
    /// Joins a second file (program here, compiled model there) and reads both. If that fails, the document stays as it is and `reloadFailed`
    /// follows.
    void attach(const QString& with);

    /// Never null when Ready.
    std::shared_ptr<const Document> documentPointer() const { return document_; }
    const Document& document() const { return *document_; }
    bool changedOnDisk() const { return changedOnDisk_; }

    /// The model pages show.
    const std::string& model() const { return model_; }
    /// Its contract is made in the background; `documentChanged` follows, and until then pages show the model before. A name that the document does
    /// not have is ignored.
    void setModel(const std::string& model);
    /// Null when the model has no program or it could not be read.
    std::shared_ptr<const Program> program() const;
    const ProgramEntry* programEntry() const;
    const CompiledModel* compiledModel() const;
    /// Of the present model; made with the document.
    const Result<Contract>& contract() const { return *contract_; }
    /// Whether the compiled model runs on this machine, judged in the background without loading it; nothing while it is not known, and for a model
    /// that is not compiled.
    const std::optional<Runnable>& runnable() const { return runnable_; }
    /// Why the compiled model cannot be run here, in words; empty when it can, or may, or is not known.
    QString refusal() const;
    /// The kernel calls of the present model with the nodes they come from; null before requestKernels() and while they are read, and for a model
    /// that is not compiled.
    const std::shared_ptr<const Result<LinkedKernels>>& kernels() const { return kernels_; }
    /// Has them read in the background, once; `kernelsChanged` follows.
    void requestKernels();
    /// Issues of the file(s), errors first, then in file order.
    const Issues& issues() const { return issues_; }
    int issueCount(Severity severity) const;
    /// What reading the whole of the file(s) took, once somebody asked for it; what was found is among the issues.
    struct WholeRead {
        std::uint64_t bytes = 0;
        double seconds = 0;
        std::size_t found = 0;  ///< issues that opening had not seen
    };
    const std::optional<WholeRead>& wholeRead() const { return wholeRead_; }
    bool isReadingWhole() const;
    /// Reads every byte and compares it with the archive's CRCs in the background, once; `issuesChanged` follows.
    void readWhole();

    const Address& selection() const { return selection_; }
    /// Selects in place, without moving to another page.
    void select(const Address& address);
    /// Shows the page an address belongs to, with the thing selected.
    void navigate(const Address& address) { emit navigationRequested(address); }
    void navigate(const QString& address);
    void showPage(const QString& key) { emit pageRequested(key); }
    /// Shows a page and does its main act ("run").
    void startPage(const QString& key) { emit pageStartRequested(key); }

    JobRunner& jobs() { return *jobs_; }
    /// A line for the Log panel.
    void log(const QString& line);
    const QStringList& logLines() const { return log_; }

signals:
    void stateChanged();
    void openProgress(const pt2::Progress& progress);
    /// Another document or model: pages read everything anew, and keep what they can.
    void documentChanged();
    /// What is odd about the present document: reading the whole of it has begun, found something, or ended.
    void issuesChanged();
    void runnableChanged();
    void kernelsChanged();
    void selectionChanged(const pt2::Address& address);
    void navigationRequested(const pt2::Address& address);
    void pageRequested(const QString& key);
    void pageStartRequested(const QString& key);
    void changedOnDiskChanged();
    /// The document shown is the one read before.
    void reloadFailed(const pt2::Error& error);
    void logged(const QString& line);

private:
    void watch();
    void read(const QString& withPath);
    void judge();
    void forgetModel();
    void setIssues(Issues issues);
    QString path_, with_;
    State state_ = State::Opening;
    Error error_;
    std::shared_ptr<const Document> document_;
    std::string model_, wished_;  ///< shown; last asked for
    std::optional<Result<Contract>> contract_;
    std::optional<Runnable> runnable_;
    std::shared_ptr<const Result<LinkedKernels>> kernels_;
    bool kernelsAsked_ = false;
    Issues issues_;
    std::optional<WholeRead> wholeRead_;
    Address selection_;
    JobId opening_ = 0;
    bool changedOnDisk_ = false;
    QStringList log_;
    JobRunner* jobs_;
    QFileSystemWatcher* watcher_;
    QTimer* settle_;
};

}  // namespace pt2::views

#pragma once

#include <QWidget>

#include "core/compiled/runnable.h"
#include "views/frame/document_session.h"
#include "views/theme/theme.h"

namespace pt2::views {

/// A line of the verdict: label, words, and whether it holds.
struct VerdictLine {
    QString label, words, tooltip;
    State state = State::Ok;
};
/// Reasons of a verdict joined for people: failed first, libraries and operators in one line when all are found.
std::vector<VerdictLine> verdictLines(const Runnable& runnable);

/// Will it run here, or on another machine that a file describes, and why (look/README "Verdict"). Judged without loading; the engine is asked in
/// the background.
class VerdictCard : public QWidget {
    Q_OBJECT
public:
    explicit VerdictCard(DocumentSession& session, QWidget* parent = nullptr);
    void refresh();
    bool settled() const { return settled_; }
    /// Judges for the machine that this file describes; for this one when it is empty.
    void chooseTarget(const QString& path);

signals:
    void settledChanged();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct There {
        QString name;
        Runnable runnable;
    };
    void build(const Runnable& runnable, bool engineKnown, const QString& where);
    void judgeThere();
    void showTargetProblem(const Error& error);
    void offerTargets(QWidget* below);
    void buildEmpty();
    void setHead(State state, const QString& title, const QString& text);
    DocumentSession& session_;
    QString target_;  ///< path of its description; empty: this machine
    QWidget *head_, *body_;
    State state_ = State::Unknown;
    bool settled_ = false;
};

}  // namespace pt2::views

#pragma once

#include <QStringList>
#include <QWidget>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "views/theme/theme.h"
#include "views/widgets/panel_action.h"

namespace pt2::views {

/// An Error in the place where the result would have been: what and where, why, what to do, details (look.md 9).
class ErrorPanel : public QWidget {
    Q_OBJECT
public:
    explicit ErrorPanel(const Error& error = {}, QWidget* parent = nullptr);
    void setError(const Error& error);
    /// One sentence of effect, when the file opens in spite of it.
    void setEffect(const QString& text);
    void setSeverity(State state);
    void addAction(const PanelAction& action, bool asLink = false);
    void clearActions();
    /// Further lines under "Details".
    void addDetail(const QString& text);
    const Error& error() const { return error_; }
    /// All parts as plain text, for the clipboard.
    QString report() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void rebuild();
    Error error_;
    State state_ = State::Error;
    QString effect_;
    QStringList details_;
    std::vector<std::pair<PanelAction, bool>> actions_;
    QWidget* body_ = nullptr;
    QWidget* head_ = nullptr;
};

}  // namespace pt2::views

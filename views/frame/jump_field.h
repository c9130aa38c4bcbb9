#pragma once

#include <QLineEdit>
#include <QPointer>
#include <vector>

#include "core/search/search.h"
#include "views/frame/document_session.h"
#include "views/widgets/data_table.h"

class QAction;
class QTimer;

namespace pt2::views {

class PageRegistry;

/// Ctrl+K: finds anything in the document that has an address, and pages. A prefix narrows: "@" nodes, "#" weights, "/" members, ">" commands.
class JumpField : public QLineEdit {
    Q_OBJECT
public:
    explicit JumpField(const PageRegistry& registry, QWidget* parent = nullptr);
    ~JumpField() override;
    void setSession(DocumentSession* session);
    /// What ">" offers; the actions of the menus.
    void setCommands(const QList<QAction*>& commands) { commands_ = commands; }
    /// Ctrl+Shift+P: the field with all commands below it.
    void startCommands();
    /// The popup's rows as they are now, for tests.
    const RowModel& results() const { return *model_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void show(const std::vector<SearchHit>& hits, const QString& pattern);
    /// Rows below the field; `none` says why there are none.
    void showRows(std::vector<Row> rows, const QString& none);
    std::vector<Row> commandRows(const QString& pattern) const;
    void choose(const QString& address);
    void closePopup();
    const PageRegistry& registry_;
    QPointer<DocumentSession> session_;
    QWidget* popup_;
    DataTable* list_;
    RowModel* model_;
    class TextLabel* footer_;
    QTimer* delay_;
    QList<QAction*> commands_;
};

}  // namespace pt2::views

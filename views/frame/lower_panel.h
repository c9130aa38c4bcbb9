#pragma once

#include <QWidget>

#include "views/frame/document_session.h"

class QPlainTextEdit;
class QStackedWidget;

namespace pt2::views {

/// Problems and Log below the page, closed at first; it opens by itself only when a run fails.
class LowerPanel : public QWidget {
    Q_OBJECT
public:
    enum class Tab { Problems, Log };
    explicit LowerPanel(DocumentSession& session, QWidget* parent = nullptr);
    void open(Tab tab);
    void refresh();

signals:
    void closeRequested();

private:
    DocumentSession& session_;
    class SegmentedSwitch* tabs_;
    QStackedWidget* stack_;
    class DataTable* problems_;
    class RowModel* model_;
    QPlainTextEdit* log_;
};

}  // namespace pt2::views

#pragma once

#include <QMainWindow>
#include <QPointer>

#include "views/frame/document_view.h"
#include "views/frame/page.h"
#include "views/theme/theme.h"

class QStackedWidget;
class QActionGroup;

class QMenu;
class QMenuBar;

namespace pt2::views {

class DocumentTabs;
class JumpField;
class StartPage;
class StatusBar;

/// The window: menu row with the jump field, document tabs, one DocumentView a tab or the start page, status bar.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const PageRegistry& registry, QWidget* parent = nullptr);
    ~MainWindow() override;
    /// Opens in a tab of its own; a document already open is shown instead.
    DocumentView* openFile(const QString& path, const QString& with = {});
    DocumentView* currentView() const;
    JumpField* jumpField() const { return jump_; }
    void setSample(const QString& path);
    /// The shown document is opened and its page has no pending work.
    bool settled() const;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void makeMenus();
    void chooseFile();
    void chooseFolder();
    void attachFile();
    void closeTab(int index);
    void showTab(int index);
    void refreshRecentMenu();
    void refreshTitle();
    void about();
    const PageRegistry& registry_;
    DocumentTabs* tabs_;
    QStackedWidget* stack_;
    StartPage* start_;
    JumpField* jump_;
    StatusBar* status_;
    QMenuBar* menuBar_;
    QMenu* recentMenu_ = nullptr;
    QList<QAction*> documentActions_;  ///< enabled only with a document
};

}  // namespace pt2::views

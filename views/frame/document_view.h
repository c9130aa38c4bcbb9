#pragma once

#include <QHash>
#include <QWidget>
#include <vector>

#include "views/frame/document_session.h"
#include "views/frame/page.h"

class QStackedWidget;
class QSplitter;
class QVBoxLayout;

class QComboBox;
class QTimer;

namespace pt2::views {

class AddressBar;
class Banner;
class LowerPanel;
class SideNavigation;

/// One tab's content: side navigation, address bar, pages, inspector, lower panel; and the history of places.
class DocumentView : public QWidget {
    Q_OBJECT
public:
    DocumentView(DocumentSession* session, const PageRegistry& registry, QWidget* parent = nullptr);
    ~DocumentView() override;
    DocumentSession& session() const { return *session_; }
    /// Goes to a page; remembered in the history.
    void showPage(const QString& key);
    void navigate(const Address& address);
    void goBack();
    void goForward();
    void editAddress();
    QString currentKey() const { return key_; }
    Page* currentPage() const;
    Page* page(const QString& key);  ///< made if need be; null while opening
    void runPrimary();
    void setInspectorVisible(bool visible);
    bool inspectorVisible() const;
    void toggleLowerPanel();
    void toggleSideLabels();
    /// Document opened (or failed) and the shown page has no pending work.
    bool settled() const;
    AddressBar* addressBar() const { return addressBar_; }

signals:
    void titleChanged();
    void statusChanged(const QStringList& texts);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Place {
        QString page;
        Address address;
    };
    void stateChanged();
    void documentChanged();
    /// The number at the Problems entry; returns the errors.
    int showIssueCount();
    void refreshChrome();
    void record(const Place& place);
    enum class Keyboard { GoesToThePage, Stays };
    void show(const Place& place, Keyboard keyboard = Keyboard::GoesToThePage);
    void adaptToWidth();
    void placeOverlay();
    QWidget* openingWidget();
    QWidget* failedWidget();
    void setCentre(QWidget* widget);

    DocumentSession* session_;
    const PageRegistry& registry_;
    SideNavigation* navigation_;
    AddressBar* addressBar_;
    Banner* changedBanner_;
    QStackedWidget* stack_;
    QSplitter *horizontal_, *vertical_;
    QWidget* inspector_ = nullptr;
    QVBoxLayout* inspectorBox_;
    QWidget* inspectorHost_;
    LowerPanel* lower_ = nullptr;
    QWidget* stateWidget_ = nullptr;  ///< opening or failed, in the place of a page
    QHash<QString, Page*> pages_;
    QComboBox* models_;
    QTimer* openingDelay_;
    QString key_;
    std::vector<Place> history_;
    std::size_t place_ = 0;
    bool labelsHidden_ = false, moving_ = false;
    bool inspectorWanted_ = true;
    bool overlay_ = false, overlayOpen_ = false;  ///< the inspector over the page, in narrow windows
};

}  // namespace pt2::views

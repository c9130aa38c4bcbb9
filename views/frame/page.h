#pragma once

#include <QKeySequence>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/package/address.h"
#include "views/frame/document_session.h"

namespace pt2::views {

/// The page's main act: the one accent-filled button at the right end of the address bar.
struct PrimaryAction {
    QString text = QStringLiteral("Run");
    QString icon = QStringLiteral("run");
    bool enabled = true;
    QString reason;  ///< why it is disabled
    bool visible = true;
};

/// One page of a document. Made on first visit, when the document is ready; it lives as long as the tab.
/// A page fills its widget from `session()` in its constructor and again in `documentChanged()` (reload, other model, attached file).
class Page : public QWidget {
    Q_OBJECT
public:
    explicit Page(DocumentSession& session, QWidget* parent = nullptr);
    DocumentSession& session() const { return session_; }

    /// Reads everything anew; selection and zoom are kept where they still mean something.
    virtual void documentChanged() = 0;
    /// Shows and selects a thing of this page; called after the page is shown.
    virtual void showAddress(const Address& address) { Q_UNUSED(address) }
    /// Where the page is now, for the address bar and history; the page itself when nothing is selected.
    virtual Address address() const;
    /// Words of the breadcrumb below the file's name; the page's title when empty.
    virtual QStringList breadcrumb() const { return {}; }
    /// The default is Run (F5), which goes to the Run page and starts there.
    virtual PrimaryAction primaryAction() const;
    virtual void runPrimaryAction();
    /// Words of the status bar: the state first ("Ready"), then counts.
    virtual QStringList statusTexts() const;
    /// No work is pending that would change the picture; `--screenshot` waits for it.
    virtual bool settled() const { return true; }
    /// Whether the inspector may stand beside this page, and whether it is open at first.
    virtual bool wantsInspector() const { return false; }
    /// Ctrl+F: focus the page's filter or find field.
    virtual void find() {}
    const QString& key() const { return key_; }
    void setKey(const QString& key) { key_ = key; }

signals:
    /// breadcrumb(), address(), primaryAction() or statusTexts() changed.
    void changed();

private:
    DocumentSession& session_;
    QString key_;
};

/// How the frame knows a page.
struct PageInfo {
    QString key;    ///< "overview", as --page names it
    QString title;  ///< "Overview"
    QString icon;
    int digit = 0;    ///< Ctrl+1 … Ctrl+9, 0 for Ctrl+0
    int section = 0;  ///< side navigation draws a line between sections
    std::function<Page*(DocumentSession&)> make;
    /// Why the page does not apply to this document; empty when it does. The page can still be visited.
    std::function<QString(const DocumentSession&)> unavailable;
};

/// All pages in the order people work, and the widget that shows the selection at the right.
class PageRegistry {
public:
    void add(PageInfo info) { pages_.push_back(std::move(info)); }
    const std::vector<PageInfo>& pages() const { return pages_; }
    const PageInfo* find(const QString& key) const;
    /// The inspector's content: a widget that follows session.selectionChanged by itself.
    std::function<QWidget*(DocumentSession&)> makeInspector;
    /// Key of the page an address belongs to.
    static QString pageOf(const Address& address);

private:
    std::vector<PageInfo> pages_;
};

}  // namespace pt2::views

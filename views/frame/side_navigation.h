#pragma once

#include <QHash>
#include <QWidget>

#include "views/frame/page.h"

namespace pt2::views {

/// Pages of the document at the left: icon and word, the current one with ground, accent bar and weight. Narrow: icons only.
class SideNavigation : public QWidget {
    Q_OBJECT
public:
    explicit SideNavigation(const PageRegistry& registry, QWidget* parent = nullptr);
    void setCurrent(const QString& key);
    void setNarrow(bool narrow);
    /// Greys the entry; the reason is its tooltip. Empty: available.
    void setUnavailable(const QString& key, const QString& reason);
    void setBadge(const QString& key, int count, bool error);

signals:
    void chosen(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    class Entry;
    QHash<QString, Entry*> entries_;
    bool narrow_ = false;
};

}  // namespace pt2::views

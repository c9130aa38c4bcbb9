#pragma once

#include <QStringList>
#include <QWidget>

#include "views/frame/page.h"

class QLineEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;

class QHBoxLayout;

namespace pt2::views {

/// Back, Forward, the place as a breadcrumb (a click or Ctrl+L turns it into a field that takes addresses), and the page's main act at the right.
class AddressBar : public QWidget {
    Q_OBJECT
public:
    explicit AddressBar(QWidget* parent = nullptr);
    void setPlace(const QStringList& crumbs, const QString& address);
    void setHistory(bool back, bool forward);
    void setPrimary(const PrimaryAction& action, const QString& shortcut);
    QPushButton* primary() const { return primary_; }
    /// Widgets before the main act (a model chooser).
    void addTool(QWidget* tool);
    void edit();

signals:
    void back();
    void forward();
    void crumbClicked(int index);
    void entered(const QString& address);
    void primaryClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Breadcrumb;
    QToolButton *back_, *forward_, *copy_;
    QStackedWidget* place_;
    Breadcrumb* crumbs_;
    QLineEdit* field_;
    QHBoxLayout* tools_;
    class TextLabel* shortcut_;
    QPushButton* primary_;
    QString address_;
};

}  // namespace pt2::views

#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "views/frame/document_session.h"
#include "views/widgets/spoken.h"

class QTimer;
class QToolButton;

namespace pt2::views {

/// State in words, counts, the running task with progress and Cancel, the worker's lamp.
class StatusBar : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit StatusBar(QWidget* parent = nullptr);
    void setTexts(const QStringList& texts);
    void setSession(DocumentSession* session);
    QAccessible::Role spokenRole() const override { return QAccessible::StatusBar; }
    int spokenCount() const override { return static_cast<int>(texts_.size()) + (task_.isEmpty() ? 0 : 1) + 1; }
    SpokenPart spokenPart(int index) const override;
    void pressSpokenPart(int index) override;

signals:
    void lampClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void refreshTask();
    QStringList texts_;
    QPointer<DocumentSession> session_;
    QString task_;
    double share_ = -1;
    JobId taskId_ = 0;
    QToolButton* cancel_;
    QTimer* timer_;
};

}  // namespace pt2::views

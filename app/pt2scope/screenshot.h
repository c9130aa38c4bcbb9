#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include "views/frame/main_window.h"

/// Waits until the window's page is settled for a few turns of the event loop, writes the picture and ends the application.
class Screenshot : public QObject {
    Q_OBJECT
public:
    Screenshot(pt2::views::MainWindow& window, QString path);

private:
    void look();
    pt2::views::MainWindow& window_;
    QString path_;
    int calm_ = 0, turns_ = 0;
};

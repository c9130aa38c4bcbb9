#pragma once

#include <QObject>
#include <QString>

#include "core/base/result.h"
#include "views/frame/main_window.h"

/// Waits until the page on screen has settled, writes its picture and leaves with 0; with the file's own exit code when the page shows that it could
/// not be opened, with 2 when the picture exists and may not be replaced, with 6 when the picture cannot be written or the page does not come to
/// rest.
class Screenshot : public QObject {
    Q_OBJECT
public:
    Screenshot(pt2::views::MainWindow& window, QString path, bool force);

private:
    void look();
    pt2::Status write();
    pt2::views::MainWindow& window_;
    QString path_;
    bool force_;
    int calm_ = 0, turns_ = 0;
};

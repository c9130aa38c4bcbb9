#include "app/pt2scope/screenshot.h"

#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QTimer>
#include <cstdio>
#include "core/base/advice.h"

namespace {
constexpr int kTurnMs = 30, kCalmTurns = 4;
constexpr int kMostTurns = 4000;  // two minutes
}  // namespace

Screenshot::Screenshot(pt2::views::MainWindow& window, QString path) : window_(window), path_(std::move(path)) {
    auto* timer = new QTimer(this);
    timer->setInterval(kTurnMs);
    connect(timer, &QTimer::timeout, this, &Screenshot::look);
    timer->start();
}

void Screenshot::look() {
    calm_ = window_.settled() ? calm_ + 1 : 0;
    ++turns_;
    if (calm_ < kCalmTurns && turns_ < kMostTurns) return;
    const bool settled = calm_ >= kCalmTurns;
    QSaveFile file(path_);
    const QByteArray format = QFileInfo(path_).suffix().isEmpty() ? QByteArray("png") : QFileInfo(path_).suffix().toLatin1();
    const bool written = file.open(QIODevice::WriteOnly) && window_.grab().save(&file, format.constData()) && file.commit();
    if (!written)
        std::fprintf(stderr, "Cannot write \"%s\".\n%s\nChoose another place or a name that ends in .png.\n", qPrintable(path_),
                     qPrintable(file.errorString()));
    if (!settled) std::fprintf(stderr, "The page did not come to rest within two minutes; the picture shows it as it was.\n");
    pt2::views::DocumentView* view = window_.currentView();
    const bool opened = !view || view->session().state() == pt2::views::DocumentSession::State::Ready;
    if (!opened) {
        const pt2::Error& error = view->session().error();
        std::fprintf(stderr, "%s\n%s\n%s\n", error.what.c_str(), error.why.c_str(), pt2::adviceOf(error).c_str());
    }
    const int code = !written || !settled ? 6 : opened ? 0 : static_cast<int>(view->session().error().kind);
    QApplication::exit(code);
    deleteLater();
}

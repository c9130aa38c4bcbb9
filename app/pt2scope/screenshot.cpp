#include "app/pt2scope/screenshot.h"

#include <QApplication>
#include <QBuffer>
#include <QImageWriter>
#include <QTimer>
#include <cstdio>

#include "core/base/advice.h"
#include "core/base/file.h"
#include "views/frame/file_path.h"

namespace {
constexpr int kTurnMs = 30, kCalmTurns = 4;
constexpr int kMostTurns = 4000;  // two minutes

void tell(const pt2::Error& error) {
    std::fprintf(stderr, "%s\n", error.what.c_str());
    for (const std::string& line : {error.why, pt2::adviceOf(error)}) {
        if (!line.empty()) std::fprintf(stderr, "%s\n", line.c_str());
    }
}

}  // namespace

Screenshot::Screenshot(pt2::views::MainWindow& window, QString path, bool force) : window_(window), path_(std::move(path)), force_(force) {
    auto* timer = new QTimer(this);
    timer->setInterval(kTurnMs);
    connect(timer, &QTimer::timeout, this, &Screenshot::look);
    timer->start();
}

pt2::Status Screenshot::write() {
    const qsizetype dot = path_.lastIndexOf(u'.');
    const QByteArray format = dot <= path_.lastIndexOf(u'/') ? QByteArray("png") : path_.mid(dot + 1).toLower().toLatin1();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!QImageWriter::supportedImageFormats().contains(format) || !window_.grab().save(&buffer, format.constData())) {
        return pt2::fail({pt2::ErrorKind::Usage,
                          "screenshot.format",
                          "\"" + pt2::views::shownPath(path_).toStdString() + "\" is not the name of a picture.",
                          {},
                          {},
                          "Choose a name that ends in .png."});
    }
    pt2::Result<pt2::AtomicFile> file = pt2::AtomicFile::create(pt2::views::systemPath(path_), force_);
    if (!file) return tl::unexpected(file.error());
    if (pt2::Status written = file->write({reinterpret_cast<const std::byte*>(bytes.constData()), static_cast<std::size_t>(bytes.size())});
        !written) {
        return written;
    }
    return file->commit();
}

void Screenshot::look() {
    calm_ = window_.settled() ? calm_ + 1 : 0;
    ++turns_;
    if (calm_ < kCalmTurns && turns_ < kMostTurns) return;
    const bool settled = calm_ >= kCalmTurns;
    const pt2::Status written = write();
    if (!written) tell(written.error());
    if (!settled) std::fprintf(stderr, "The page did not come to rest within two minutes; the picture shows it as it was.\n");
    pt2::views::DocumentView* view = window_.currentView();
    const bool opened = !view || view->session().state() == pt2::views::DocumentSession::State::Ready;
    if (!opened) tell(view->session().error());
    const int code = !written ? static_cast<int>(written.error().kind) : !settled ? 6 : opened ? 0 : static_cast<int>(view->session().error().kind);
    QApplication::exit(code);
    deleteLater();
}

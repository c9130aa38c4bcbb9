#pragma once

#include <QString>
#include <QtTest>

#include "views/frame/document_session.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"

namespace pt2::tests {

/// Shows the window at the size of the large pictures and opens a file in it; null when it is still being read after a minute.
inline views::DocumentView* openDocument(views::MainWindow& window, const QString& file) {
    window.resize(1440, 900);
    window.show();
    views::DocumentView* view = window.openFile(file);
    const bool over = view && QTest::qWaitFor([view] { return view->session().state() != views::DocumentSession::State::Opening; }, 60'000);
    return over ? view : nullptr;
}

}  // namespace pt2::tests

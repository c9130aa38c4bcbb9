#include "views/frame/engine_notice.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <algorithm>

#include "views/frame/engine_service.h"
#include "views/frame/engine_setup.h"
#include "views/frame/file_path.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr qsizetype kDetailLines = 40;

QString words(const char* text) { return QCoreApplication::translate("EngineNotice", text); }

/// Asks for a folder and builds for the LibTorch in it.
void chooseLibTorch(QWidget* over) {
    const QString folder = QFileDialog::getExistingDirectory(over, words("The folder of LibTorch, with include and lib"));
    if (folder.isEmpty()) return;
    LibTorchWish wish;
    wish.folder = systemPath(folder).string();
    EngineService::instance().install(wish);
}

ErrorPanel* panelOf(const Error& error, const QString& setUp) {
    auto* panel = new ErrorPanel(error);
    panel->setObjectName(QStringLiteral("engineNotice"));
    panel->addAction({setUp, [] { EngineService::instance().install(); }});
    panel->addAction({words("Choose LibTorch…"), [panel] { chooseLibTorch(panel); }});
    panel->addAction({words("Look again"), [] { EngineService::instance().askAgain(); }}, true);
    return panel;
}

}  // namespace

QWidget* makeEngineNotice() {
    EngineService& service = EngineService::instance();
    const EngineService::Installation& installation = service.installation();
    if (installation.running) return new EngineSetup;
    if (service.problem().isEmpty()) return nullptr;
    if (installation.error) {
        ErrorPanel* panel = panelOf(*installation.error, words("Try again"));
        for (const QString& line : installation.log.mid(std::max<qsizetype>(0, installation.log.size() - kDetailLines))) panel->addDetail(line);
        return panel;
    }
    const auto& engine = service.engine();
    Error error;
    if (!*engine) {
        error = engine->error();
    } else {
        error = {ErrorKind::CannotRun, "engine.broken", "The run engine cannot be used.", (*engine)->workerPath, (*engine)->problem, {}};
    }
    if (error.code == "engine.missing" || error.code == "engine.broken") {
        error.help = toStd(words("Set up the run engine: it is compiled for the LibTorch of this machine and takes a minute or two."));
    }
    return panelOf(error, words("Set up the run engine"));
}

}  // namespace pt2::views

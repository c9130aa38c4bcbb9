#include "views/frame/engine_notice.h"

#include <QCoreApplication>

#include "views/frame/engine_service.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"

namespace pt2::views {

QWidget* makeEngineNotice(const QString& icon) {
    EngineService& service = EngineService::instance();
    const QString problem = service.problem();
    if (problem.isEmpty()) return nullptr;
    const QString again = QCoreApplication::translate("EngineNotice", "Look again");
    if (const auto& engine = service.engine(); engine && !*engine) {
        auto* panel = new ErrorPanel(engine->error());
        panel->addAction({again, [] { EngineService::instance().askAgain(); }});
        return panel;
    }
    auto* empty = new EmptyState(icon, QCoreApplication::translate("EngineNotice", "The run engine cannot be used"), problem);
    empty->setButton({again, [] { EngineService::instance().askAgain(); }});
    return empty;
}

}  // namespace pt2::views

#include "views/pages.h"

#include <QObject>

#include "views/compare/compare_page.h"
#include "views/files/files_page.h"
#include "views/graph/graph_page.h"
#include "views/inspector/inspector_panel.h"
#include "views/kernels/kernels_page.h"
#include "views/overview/overview_page.h"
#include "views/problems/problems_page.h"
#include "views/recompile/recompile_page.h"
#include "views/run/run_page.h"
#include "views/signature/signature_page.h"
#include "views/weights/weights_page.h"
#include "views/widgets/spoken.h"

namespace pt2::views {

namespace {

QString needsProgram(const DocumentSession& session) {
    return session.program() ? QString() : QObject::tr("This archive holds no program that can be read.");
}

QString needsCompiled(const DocumentSession& session) {
    return session.compiledModel() ? QString() : QObject::tr("There is no compiled model. Recompile makes one from the program.");
}

template <typename T>
Page* make(DocumentSession& session) {
    return new T(session);
}

}  // namespace

void registerPages(PageRegistry& registry) {
    installAccessibility();
    const auto tr = [](const char* text) { return QObject::tr(text); };
    registry.makeInspector = [](DocumentSession& session) -> QWidget* { return new InspectorPanel(session); };
    registry.add({"overview", tr("Overview"), "overview", 1, 0, make<OverviewPage>, {}});
    registry.add({"graph", tr("Graph"), "graph", 2, 0, make<GraphPage>, needsProgram});
    registry.add({"signature", tr("Signature"), "signature", 3, 0, make<SignaturePage>, {}});
    registry.add({"weights", tr("Weights"), "weights", 4, 0, make<WeightsPage>, {}});
    registry.add({"kernels", tr("Kernels"), "kernels", 5, 0, make<KernelsPage>, needsCompiled});
    registry.add({"files", tr("Files"), "files", 6, 0, make<FilesPage>, {}});
    registry.add({"run", tr("Run"), "run", 7, 1, make<RunPage>, needsCompiled});
    registry.add({"compare", tr("Compare"), "compare", 8, 1, make<ComparePage>, needsCompiled});
    registry.add({"recompile", tr("Recompile"), "recompile", 9, 1, make<RecompilePage>, needsProgram});
    registry.add({"problems", tr("Problems"), "problems", 0, 2, make<ProblemsPage>, {}});
}

}  // namespace pt2::views

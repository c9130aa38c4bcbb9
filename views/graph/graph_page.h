#pragma once

#include <memory>

#include "core/layout/layout.h"
#include "views/frame/page.h"
#include "views/graph/graph_scene.h"

class QCheckBox;

namespace pt2::views {

class GraphCanvas;
class GraphFindField;
class PageToolbar;
class ProgressLine;
class SegmentedSwitch;

/// What does it compute, where is this layer: the graph of the present model on a canvas (look.md 16).
/// The page decides what is open and asks for layouts; they are made beside it, and the old picture stays until the new one is there.
class GraphPage : public Page {
    Q_OBJECT
public:
    explicit GraphPage(DocumentSession& session, QWidget* parent = nullptr);

    void documentChanged() override;
    void showAddress(const Address& address) override;
    Address address() const override;
    QStringList breadcrumb() const override;
    QStringList statusTexts() const override;
    bool settled() const override;
    bool wantsInspector() const override { return true; }
    void find() override;

    GraphCanvas* canvas() const { return canvas_; }
    const LayoutOptions& options() const { return options_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeToolbar();
    void setDepth(int choice);
    void relayout(const GraphItem& keep);
    void showScene(std::shared_ptr<const GraphScene> scene, const GraphItem& keep);
    void toggle(const std::string& path, bool all);
    void openTo(const GraphItem& item);
    bool isShown(const GraphItem& item) const;
    void choose(const GraphItem& item);
    void showGraph(GraphId graph);

    std::shared_ptr<const Program> program_;
    std::shared_ptr<const GraphHierarchy> hierarchy_;
    std::string model_;
    GraphId graph_ = 0;
    LayoutOptions options_;
    GraphItem pendingReveal_;
    PageToolbar* toolbar_;
    GraphCanvas* canvas_;
    QWidget* area_;
    class EmptyState* empty_ = nullptr;
    ProgressLine* line_;
    SegmentedSwitch* depth_;
    QCheckBox *fold_, *join_;
    GraphFindField* find_;
    class TextLabel* depthLabel_;
    int pendingLayouts_ = 0;
};

}  // namespace pt2::views

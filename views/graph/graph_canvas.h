#pragma once

#include <QPointF>
#include <QVariantAnimation>
#include <QWidget>
#include <memory>

#include "views/graph/graph_painter.h"
#include "views/graph/graph_scene.h"
#include "views/widgets/spoken.h"

namespace pt2::views {

class GraphLegend;
class GraphMinimap;

/// The drawing of a graph: one widget that paints what is in view, with pan, zoom, selection and keys (look.md 11, "Canvas").
/// It knows a scene and shows it; what is open and how it is laid out is the page's business.
class GraphCanvas : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    /// Shows another layout. `keep` stays where it is on screen if both scenes show it; without it, or at the first scene, the view is fitted.
    void setScene(std::shared_ptr<const GraphScene> scene, const GraphItem& keep = {});
    const GraphScene* scene() const { return scene_.get(); }
    /// A newer layout is on its way: the old one is drawn weaker.
    void setPending(bool pending);

    const GraphItem& selection() const { return state_.selection; }
    /// Selects without a signal. `reveal`: pans so that the item is in view.
    void setSelection(const GraphItem& item, bool reveal);
    void setHits(const std::vector<NodeId>& hits, NodeId current);
    void setMutedBut(int family);
    int mutedBut() const { return state_.mutedBut; }

    double scale() const { return scale_; }
    void zoomBy(double factor, QPointF about);
    void zoomIn();
    void zoomOut();
    void zoomToFull();  ///< 100 %
    void fit();
    void fitSelection();
    /// Zooms out until the drawing is as wide as the view, where it can still be read then.
    void frameWidth();
    /// Top of the drawing at a readable size: what one sees first.
    void showStart();
    double startLeft(double room) const;
    QPointF toScene(QPointF widget) const { return widget / scale_ + offset_; }
    QPointF toWidget(QPointF scene) const { return (scene - offset_) * scale_; }
    QRectF visibleRegion() const;
    void centerOn(QPointF scene);
    void reveal(const QRectF& rect);

    /// Operators, inputs, outputs and groups on show.
    int spokenCount() const override;
    SpokenPart spokenPart(int index) const override;
    int spokenCurrent() const override;
    void pressSpokenPart(int index) override;

signals:
    void selected(const pt2::views::GraphItem& item);
    void activated(const pt2::views::GraphItem& item);  ///< Enter or double click on something that does not open
    void toggleRequested(const std::string& path, bool all);
    void zoomChanged(double scale);
    void findRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void select(const GraphItem& item);
    void countHits();
    void moveSelection(int key);
    GraphItem parentOf(const GraphItem& item) const;
    void setOffset(QPointF offset);
    void setScale(double scale, QPointF about);
    void limitOffset();
    void animateTo(QPointF offset);
    void placeFurniture();
    std::string pathOf(const GraphScene::Hit& hit) const;
    QString tooltip(const GraphScene::Hit& hit) const;
    void setHover(const GraphScene::Hit& hit);
    QRectF freeRect() const;
    /// What is on show, in the layout's order: rows of boxes and groups, without the root. Made when somebody reads the drawing by other means than
    /// eyes, forgotten with the scene.
    const std::vector<GraphScene::Hit>& spokenHits() const;
    QString spokenEdges(const GraphItem& item) const;
    void announceSelection();

    std::shared_ptr<const GraphScene> scene_;
    GraphPainter painter_;
    GraphPaintState state_;
    QPointF offset_;
    double scale_ = 1;
    bool panning_ = false, spaceHeld_ = false, moved_ = false, startPending_ = false;
    QPointF pressedAt_, pressedOffset_;
    GraphScene::Hit pressedHit_;
    QVariantAnimation animation_;
    GraphLegend* legend_;
    GraphMinimap* minimap_;
    mutable std::vector<GraphScene::Hit> spoken_;
};

}  // namespace pt2::views

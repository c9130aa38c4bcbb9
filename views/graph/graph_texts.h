#pragma once

#include <QFont>
#include <QStaticText>
#include <unordered_map>
#include <vector>

#include "views/graph/graph_scene.h"

class QPainter;

namespace pt2::views {

/// Fonts of the canvas at 100 %: 13 px interface, 11 px code.
QFont canvasFont(bool strong, double size);
QFont canvasCodeFont(bool italic, double size);

/// The texts of a drawing: cut to the room of their box, laid out once and kept. `forget` when the scene or the theme changes.
class GraphTexts {
public:
    enum FontIndex { Strong, Small, SmallStrong, Code, CodeItalic, Tag, FontCount };
    struct Piece {
        QStaticText text;
        int font = 0;
        float x = 0, width = 0;
    };
    struct RowText {
        Piece tag, name, shortName, local;
        std::vector<Piece> detail, chips;
        std::vector<float> chipWidths;
    };

    GraphTexts() { forget(); }
    void forget();
    Piece piece(const QString& text, int font, float x = 0);
    std::vector<Piece> codePieces(const QString& text, float x);
    const RowText& row(const GraphScene& scene, const LayoutBox& box, const LayoutRow& row);
    const std::vector<Piece>& pill(const GraphScene& scene, std::uint32_t box);
    const std::vector<Piece>& group(const GraphScene& scene, std::uint32_t group);
    void draw(QPainter& painter, const Piece& piece, double x, double y, const QColor& colour);

private:
    QFont fonts_[FontCount];
    std::unordered_map<NodeId, RowText> rows_;
    std::unordered_map<std::uint32_t, std::vector<Piece>> pills_, groups_;
};

}  // namespace pt2::views

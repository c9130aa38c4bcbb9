#include "views/graph/graph_texts.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/layout/node_labels.h"
#include "core/layout/text_widths.h"
#include "views/theme/fonts.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr std::size_t kMostTexts = 30000;

/// A value that many read, or a size, has no lines drawn: its box says that it is read all the same.
QString readersWords(const GraphScene& scene, NodeId node) {
    const Program& program = scene.program();
    std::size_t readers = 0;
    const std::vector<std::uint32_t> drawn = scene.edgesOf(GraphItem::node(node));
    program.forEachOutputValue(program.node(node), [&](ValueId value) {
        const bool hasLine = std::any_of(drawn.begin(), drawn.end(), [&](std::uint32_t e) {
            return scene.layout().edges[e].value == value && scene.layout().edges[e].points.size() > 1;
        });
        if (hasLine) return;
        const auto users = program.users(program.value(value));
        const std::uint32_t own = scene.endOf(GraphItem::node(node));  // rows of one box need no line
        const auto outside = std::count_if(users.begin(), users.end(), [&](NodeId user) { return scene.endOf(GraphItem::node(user)) != own; });
        readers = std::max(readers, static_cast<std::size_t>(outside));
    });
    return readers == 0 ? QString() : QStringLiteral(" ▸ %1").arg(readers);
}

}  // namespace

QFont canvasFont(bool strong, double size) {
    QFont font = uiFont();
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(size))));
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

QFont canvasCodeFont(bool italic, double size) {
    QFont font = codeFont();
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(size))));
    font.setItalic(italic);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

void GraphTexts::forget() {
    rows_.clear();
    pills_.clear();
    groups_.clear();
    fonts_[Strong] = canvasFont(true, 13);
    fonts_[Small] = canvasFont(false, 11);
    fonts_[SmallStrong] = canvasFont(true, 11);
    fonts_[Code] = canvasCodeFont(false, 11);
    fonts_[CodeItalic] = canvasCodeFont(true, 11);
    fonts_[Tag] = canvasCodeFont(false, 11);
}

GraphTexts::Piece GraphTexts::piece(const QString& text, int font, float x) {
    Piece p;
    p.text = QStaticText(text);
    p.text.setTextFormat(Qt::PlainText);
    p.text.setPerformanceHint(QStaticText::AggressiveCaching);
    p.text.prepare(QTransform(), fonts_[font]);
    p.font = font;
    p.x = x;
    p.width = static_cast<float>(QFontMetricsF(fonts_[font]).horizontalAdvance(text));
    return p;
}

/// Code text with symbols (words that begin with a letter and follow no letter) in italics; a dtype or sign before the shape stays upright.
std::vector<GraphTexts::Piece> GraphTexts::codePieces(const QString& text, float x) {
    std::vector<Piece> pieces;
    qsizetype i = 0;
    const auto isWord = [](QChar c) { return c.isLetterOrNumber() || c == '_'; };
    while (i < text.size()) {
        qsizetype end = i;
        const bool letter = text[i].isLetter();
        if (letter) {
            while (end < text.size() && isWord(text[end])) ++end;
        } else {
            while (end < text.size() && !(text[end].isLetter() && (end == 0 || !isWord(text[end - 1])))) ++end;
        }
        const QString part = text.mid(i, end - i);
        const bool type = letter && end < text.size() && text[end] == ' ' && i == 0;
        const bool symbol = letter && !type && part.size() > 1 && part.back().isDigit();
        pieces.push_back(piece(part, symbol ? CodeItalic : Code, x));
        x += pieces.back().width;
        i = end;
    }
    return pieces;
}

const GraphTexts::RowText& GraphTexts::row(const GraphScene& scene, const LayoutBox& box, const LayoutRow& row) {
    const auto it = rows_.find(row.node);
    if (it != rows_.end()) return it->second;
    if (rows_.size() > kMostTexts) rows_.clear();
    RowText& text = rows_[row.node];
    const NodeLabel label = nodeLabel(scene.program(), row.node);
    const double width = box.width;
    double left = 12;
    if (!box.opens.empty()) left += 16;
    text.tag = piece(QString::fromLatin1(operatorFamilyTag(scene.family(row.node))), Tag, static_cast<float>(left));
    left += text.tag.width + 7;
    const QString detail = toQt(label.detail) + readersWords(scene, row.node);
    text.detail = codePieces(detail, 0);
    double detailWidth = 0;
    for (const Piece& p : text.detail) detailWidth += p.width;
    const QFontMetricsF strong(fonts_[Strong]), small(fonts_[Small]);
    const QString name = toQt(label.name);
    double room = width - left - 9 - (detailWidth > 0 ? detailWidth + 10 : 0);
    if (strong.horizontalAdvance(name) > room && detailWidth > 0) {  // the name is worth more than a long shape
        text.detail.clear();
        room += detailWidth + 10;
        const QString fits =
            QFontMetricsF(fonts_[Code]).elidedText(detail, Qt::ElideRight, std::max(0.0, room - strong.horizontalAdvance(name) - 10));
        if (fits.size() > 2) {
            text.detail = codePieces(fits, 0);
            detailWidth = 0;
            for (const Piece& p : text.detail) detailWidth += p.width;
            room -= detailWidth + 10;
        } else {
            detailWidth = 0;
        }
    }
    text.name = piece(strong.elidedText(name, Qt::ElideMiddle, room), Strong, static_cast<float>(left));
    text.shortName = piece(strong.elidedText(name, Qt::ElideMiddle, width - 22), Strong, 13);
    const QString local = toQt(escapeForDisplay(scene.hierarchy().localName(row.node)));
    const double localRoom = room - text.name.width - 6;
    if (!local.isEmpty() && localRoom > 26)
        text.local = piece(small.elidedText(local, Qt::ElideMiddle, localRoom), Small, text.name.x + text.name.width + 6);
    for (Piece& p : text.detail) p.x += static_cast<float>(width - 9 - detailWidth);
    double chip = 12;
    for (std::size_t i = 0; i < row.weights.size(); ++i) {
        const std::string words = weightLabel(scene.program(), row.weights[i]);
        double chipWidth = 10 + textWidth(words, TextFace::Code, 11);
        QString shownWords = toQt(words);
        const std::size_t left2 = row.weights.size() - i;
        if (chip + chipWidth > width - (left2 > 1 ? 34 : 6)) {
            const double space = width - 6 - chip - 10;
            shownWords =
                i > 0 && left2 > 1 ? QStringLiteral("+%1").arg(left2) : QFontMetricsF(fonts_[Code]).elidedText(shownWords, Qt::ElideMiddle, space);
            if (space < 14) break;
            chipWidth = 10 + QFontMetricsF(fonts_[Code]).horizontalAdvance(shownWords);
            i = i > 0 && left2 > 1 ? row.weights.size() : i;
        }
        text.chips.push_back(piece(shownWords, Code, static_cast<float>(chip)));
        text.chipWidths.push_back(static_cast<float>(chipWidth));
        chip += chipWidth + 5;
    }
    return text;
}

const std::vector<GraphTexts::Piece>& GraphTexts::pill(const GraphScene& scene, std::uint32_t index) {
    const auto it = pills_.find(index);
    if (it != pills_.end()) return it->second;
    const LayoutBox& box = scene.layout().boxes[index];
    const Value& value = scene.program().value(box.value);
    std::vector<Piece> pieces;
    const QString type = toQt(typeLabel(scene.program(), value));
    const double typeWidth = QFontMetricsF(fonts_[Code]).horizontalAdvance(type);
    const QFontMetricsF small(fonts_[Small]);
    pieces.push_back(
        piece(small.elidedText(toQt(escapeForDisplay(value.name)), Qt::ElideMiddle, std::max(30.0, box.width - 24 - 7 - typeWidth)), Small));
    for (Piece& p : codePieces(type, pieces[0].width + 7)) pieces.push_back(std::move(p));
    const double total = pieces.back().x + pieces.back().width;
    for (Piece& p : pieces) p.x += static_cast<float>((box.width - total) / 2);
    return pills_[index] = std::move(pieces);
}

const std::vector<GraphTexts::Piece>& GraphTexts::group(const GraphScene& scene, std::uint32_t index) {
    const auto it = groups_.find(index);
    if (it != groups_.end()) return it->second;
    const LayoutGroup& group = scene.layout().groups[index];
    QStringList facts;
    const bool series = group.repeat > 1;
    if (!group.type.empty() && (group.open || series)) facts << toQt(escapeForDisplay(group.type));
    const QString nodes = group.nodeCount == 1 ? QStringLiteral("1 node") : toQt(formatCount(group.nodeCount)) + QStringLiteral(" nodes");
    const QString params =
        group.parameters == 0
            ? QString()
            : toQt(group.parameters < 1000000 ? formatCount(group.parameters) : formatCountShort(group.parameters)) + QStringLiteral(" params");
    facts << (series && !params.isEmpty() ? nodes + QStringLiteral(", ") + params + QStringLiteral(" each") : nodes);
    if (!series && !params.isEmpty()) facts << params;
    if (!series && group.open && group.depth == 1 && group.weightBytes > 0) facts << toQt(formatBytes(group.weightBytes));
    if (group.kind == GroupKind::Control && group.node != kNone) facts.prepend(toQt(splitOperatorName(scene.program().node(group.node).target).name));
    const QFontMetricsF strong(fonts_[Strong]), small(fonts_[Small]);
    const double width = group.width;
    std::vector<Piece> pieces;
    pieces.push_back(piece(strong.elidedText(toQt(escapeForDisplay(group.title)), Qt::ElideMiddle, width - 40), Strong, 27));
    const double left = series ? 27 : 27 + pieces[0].width + 9;
    const QString words = small.elidedText(facts.join(QStringLiteral(" · ")), Qt::ElideRight, std::max(0.0, width - left - 8));
    pieces.push_back(piece(words.size() > 3 ? words : QString(), Small, static_cast<float>(left)));
    if (series) {
        pieces.push_back(piece(QStringLiteral("× %1 identical").arg(group.repeat), SmallStrong, 27 + pieces[0].width + 18));
    }
    return groups_[index] = std::move(pieces);
}

void GraphTexts::draw(QPainter& painter, const Piece& p, double x, double y, const QColor& colour) {
    if (p.width <= 0) return;
    painter.setFont(fonts_[p.font]);
    painter.setPen(colour);
    const QSizeF size = p.text.size();
    painter.drawStaticText(QPointF(x + p.x, y - size.height() / 2), p.text);
}

}  // namespace pt2::views

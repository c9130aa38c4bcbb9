#include "views/files/pickle_rows.h"

#include <QObject>
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/text.h"
#include "core/tensor/tensor.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::size_t kMostRows = 20'000;
constexpr std::size_t kOpenChildren = 24;  // a row with more children is closed at first
constexpr int kOpenDepth = 3;
constexpr std::size_t kMostText = 400;

using Kind = PickleNode::Kind;

QString countWords(std::size_t count, const QString& what) { return QObject::tr("%1 of %2").arg(what, toQt(formatCount(count))); }

QString quoted(const std::string& text) { return QStringLiteral("'%1'").arg(shown(elideMiddle(text, kMostText))); }

/// A node without parts, as Python writes it; empty for one with parts.
QString scalarText(const PickleNode& node) {
    switch (node.kind) {
        case Kind::None: return QStringLiteral("None");
        case Kind::Bool: return node.boolean ? QStringLiteral("True") : QStringLiteral("False");
        case Kind::Int: return QString::number(node.integer);
        case Kind::BigInt: return shown(elideMiddle(node.text, kMostText));
        case Kind::Float: return toQt(pythonFloatRepr(node.real));
        case Kind::String: return quoted(node.text);
        case Kind::Bytes: return toQt(formatBytes(node.text.size()));
        case Kind::Global:
        case Kind::Reference: return shown(elideMiddle(node.text, kMostText));
        case Kind::Tuple:
        case Kind::List:
        case Kind::Dict:
        case Kind::Set:
        case Kind::Call:
        case Kind::Persistent:
        case Kind::Tensor: break;
    }
    return {};
}

QString kindWords(const PickleNode& node) {
    switch (node.kind) {
        case Kind::None: return {};
        case Kind::Bool: return QStringLiteral("bool");
        case Kind::Int:
        case Kind::BigInt: return QStringLiteral("int");
        case Kind::Float: return QStringLiteral("float");
        case Kind::String: return QStringLiteral("str");
        case Kind::Bytes: return QStringLiteral("bytes");
        case Kind::Tuple: return countWords(node.children.size(), QStringLiteral("tuple"));
        case Kind::List: return countWords(node.children.size(), QStringLiteral("list"));
        case Kind::Dict: return countWords(node.children.size() / 2, QStringLiteral("dict"));
        case Kind::Set: return countWords(node.children.size(), QStringLiteral("set"));
        case Kind::Global: return QObject::tr("named, not imported");
        case Kind::Call: return QObject::tr("call, not made");
        case Kind::Persistent: return QObject::tr("persistent id");
        case Kind::Tensor: return toQt(tensorTypeText(node.layout));
        case Kind::Reference: return QObject::tr("part of itself");
    }
    return {};
}

class PickleRows {
public:
    explicit PickleRows(const std::function<std::string(const PickleNode&)>& values) : values_(values) {}

    /// The tree of a pickle is at most 1,000 levels deep (readPickle).
    Row row(const QString& label, const PickleNode& node, int depth) {
        ++rows_;
        Row out;
        Cell kind = Cell::muted(kindWords(node));
        if (node.kind == Kind::Tensor) kind = Cell::shape(kindWords(node));
        if (node.kind == Kind::Call) kind.colour = Role::Warning;
        out.cells = {Cell::fixed(label), kind, value(node)};
        out.open = depth < kOpenDepth && node.children.size() <= kOpenChildren;
        if (node.kind == Kind::Dict) {
            for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
                if (isFull(out, node.children.size() / 2 - i / 2)) break;
                const PickleNode& key = *node.children[i];
                const QString words = scalarText(key);
                out.children.push_back(row(words.isEmpty() ? QObject::tr("a %1").arg(kindWords(key)) : words, *node.children[i + 1], depth + 1));
            }
            return out;
        }
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            if (isFull(out, node.children.size() - i)) break;
            out.children.push_back(row(node.kind == Kind::Set ? QStringLiteral("·") : QStringLiteral("[%1]").arg(i), *node.children[i], depth + 1));
        }
        return out;
    }

private:
    Cell value(const PickleNode& node) const {
        if (node.kind == Kind::Call) return Cell::fixed(shown(node.text));
        if (node.kind != Kind::Tensor) return Cell::fixed(scalarText(node));
        QStringList words;
        if (const std::string elements = values_ ? values_(node) : std::string(); !elements.empty()) words << toQt(elements);
        if (node.isParameter) words << QObject::tr("parameter");
        if (!node.layout.isContiguous()) words << QObject::tr("strides %1").arg(toQt(formatShape(node.layout.strides)));
        if (!node.device.empty() && node.device != "cpu") words << shown(node.device);
        if (!node.storageKey.empty()) words << QObject::tr("storage %1").arg(shown(node.storageKey));
        return Cell::fixed(words.join(QStringLiteral(" · ")));
    }

    /// Whether no more rows are made; says in `parent` how many are left out.
    bool isFull(Row& parent, std::size_t left) {
        if (rows_ < kMostRows) return false;
        Row rest;
        rest.cells = {Cell::missing(QObject::tr("%1 more").arg(toQt(formatCount(left))))};
        parent.children.push_back(std::move(rest));
        return true;
    }

    const std::function<std::string(const PickleNode&)>& values_;
    std::size_t rows_ = 0;
};

}  // namespace

std::vector<Column> pickleColumns() {
    return {
        {QObject::tr("Where"), 200, false, false, {}}, {QObject::tr("What"), 180, false, false, {}}, {QObject::tr("Value"), 240, false, true, {}}};
}

std::vector<Row> pickleRows(const PickleNode& root, const std::function<std::string(const PickleNode&)>& values) {
    std::vector<Row> rows;
    rows.push_back(PickleRows(values).row(QObject::tr("pickle"), root, 0));
    return rows;
}

}  // namespace pt2::views

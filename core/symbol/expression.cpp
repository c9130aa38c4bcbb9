#include "core/symbol/expression.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "core/symbol/expression_tree.h"

namespace pt2 {

const std::string& SymExpr::print() const { return tree_->printed; }

std::vector<std::string> SymExpr::printedSubexpressions() const {
    std::vector<std::uint32_t> work{tree_->root()}, wanted;
    while (!work.empty()) {
        const std::uint32_t id = work.back();
        work.pop_back();
        wanted.push_back(id);
        const ExprNode& node = tree_->nodes[id];
        switch (node.op) {
            case ExprOp::Less:
            case ExprOp::LessEqual:
            case ExprOp::Greater:
            case ExprOp::GreaterEqual:
            case ExprOp::Equal:
            case ExprOp::NotEqual:
            case ExprOp::And:
            case ExprOp::Or:
            case ExprOp::Not: continue;
            default: break;
        }
        const auto args = tree_->argsOf(node);
        work.insert(work.end(), args.rbegin(), args.rend());
    }
    std::vector<std::string> texts = printNodes(*tree_, wanted, 16 * kExpressionTextLimit);
    std::unordered_set<std::string> seen;
    std::vector<std::string> unique;
    for (std::string& text : texts)
        if (seen.insert(text).second) unique.push_back(std::move(text));
    return unique;
}

SymExpr SymExpr::integer(std::int64_t value) {
    auto tree = std::make_shared<Tree>();
    ExprNode node;
    node.number.p = value;
    tree->nodes.push_back(node);
    tree->dead.assign(1, false);
    tree->printed = std::to_string(value);
    SymExpr result;
    result.tree_ = std::move(tree);
    return result;
}

std::vector<std::string> SymExpr::symbols() const {
    std::vector<std::string> found;
    std::vector<std::uint32_t> work{tree_->root()};
    while (!work.empty()) {
        const std::uint32_t id = work.back();
        work.pop_back();
        const ExprNode& node = tree_->nodes[id];
        if (node.op == ExprOp::Symbol) {
            std::string name(tree_->name(node));
            if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(std::move(name));
        }
        const auto args = tree_->argsOf(node);
        work.insert(work.end(), args.rbegin(), args.rend());
    }
    return found;
}

std::optional<std::string> SymExpr::asSymbol() const {
    const ExprNode& node = tree_->nodes[tree_->root()];
    if (node.op != ExprOp::Symbol) return std::nullopt;
    return std::string(tree_->name(node));
}

std::optional<std::int64_t> SymExpr::asInteger() const {
    const ExprNode& node = tree_->nodes[tree_->root()];
    if (node.op != ExprOp::Number || node.number.q != 1) return std::nullopt;
    if (node.number.p < std::numeric_limits<std::int64_t>::min() || node.number.p > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(node.number.p);
}

bool SymExpr::isConstant() const {
    const ExprOp op = tree_->nodes[tree_->root()].op;
    return op == ExprOp::Number || op == ExprOp::Float || op == ExprOp::Boolean;
}

}  // namespace pt2

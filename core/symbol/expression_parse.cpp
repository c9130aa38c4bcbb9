#include <algorithm>
#include <memory>

#include "core/symbol/expression_tokens.h"
#include "core/symbol/expression_tree.h"

namespace pt2 {

namespace {

/// Shunting-yard over both spellings: calls (srepr) and infix may be mixed freely, since infix prints have calls too.
class Parser {
public:
    explicit Parser(std::string_view source) : lexer_(source), tree_(std::make_shared<SymExpr::Tree>()) {}

    bool run() {
        bool wantOperand = true;
        for (;;) {
            if (stack_.size() > kExpressionDepthLimit) return fault("it is nested too deeply");
            const Token token = lexer_.token();
            if (wantOperand) {
                if (token == Token::Close && !stack_.empty() && stack_.back().kind == Frame::Call && stack_.back().items == 0) {
                    if (!closeFrame()) return false;
                    wantOperand = false;
                    continue;
                }
                if (token == Token::Minus || token == Token::Plus || token == Token::Tilde) {
                    stack_.push_back({Frame::Unary, token, kUnaryStrength});
                    lexer_.advance();
                    continue;
                }
                if (token == Token::Open) {
                    stack_.push_back({Frame::Paren, token, 0, static_cast<std::uint32_t>(operands_.size())});
                    lexer_.advance();
                    continue;
                }
                if (!operand(wantOperand)) return false;
                continue;
            }
            if (const int strength = binaryStrength(token); strength != 0) {
                // ** binds to the right and stronger than a sign on its left.
                while (!stack_.empty() && stack_.back().isOperator() &&
                       (stack_.back().strength > strength || (stack_.back().strength == strength && token != Token::StarStar))) {
                    if (!reduce()) return false;
                }
                stack_.push_back({Frame::Binary, token, strength});
                lexer_.advance();
                wantOperand = true;
                continue;
            }
            while (!stack_.empty() && stack_.back().isOperator())
                if (!reduce()) return false;
            if (token == Token::End) break;
            if (stack_.empty()) return fault("there is text behind its end");
            ++stack_.back().items;
            if (token == Token::Comma) {
                lexer_.advance();
                if (lexer_.token() == Token::Close) {
                    if (stack_.back().kind == Frame::Paren) return fault("a tuple stands where a number should");
                    if (!closeFrame()) return false;
                    continue;
                }
                wantOperand = true;
                continue;
            }
            if (token == Token::Close) {
                if (!closeFrame()) return false;
                continue;
            }
            return fault("an operator is missing");
        }
        if (!stack_.empty()) return fault("a bracket is not closed");
        if (operands_.size() != 1) return fault("it is empty");
        return finish();
    }

    const std::string& why() const { return why_; }
    std::size_t position() const { return lexer_.position(); }
    std::shared_ptr<SymExpr::Tree> tree() const { return tree_; }

private:
    struct Frame {
        enum Kind : std::uint8_t { Binary, Unary, Paren, Call };
        Kind kind = Paren;
        Token token = Token::End;
        int strength = 0;
        std::uint32_t operandBase = 0;
        std::uint32_t items = 0;
        std::string_view name = {};
        bool isOperator() const { return kind == Binary || kind == Unary; }
    };

    bool fault(std::string why) {
        if (why_.empty()) why_ = std::move(why);
        return false;
    }

    bool push(ExprNode node, const std::uint32_t* args, std::size_t count) {
        node.argBegin = static_cast<std::uint32_t>(tree_->args.size());
        for (std::size_t i = 0; i < count; ++i) {
            tree_->args.push_back(args[i]);
            node.depth = std::max(node.depth, tree_->nodes[args[i]].depth + 1);
        }
        node.argEnd = static_cast<std::uint32_t>(tree_->args.size());
        if (node.depth > kExpressionDepthLimit) return fault("it is nested too deeply");
        operands_.push_back(static_cast<std::uint32_t>(tree_->nodes.size()));
        tree_->nodes.push_back(node);
        return true;
    }
    bool pushLeaf(ExprNode node) { return push(node, nullptr, 0); }

    void setName(ExprNode& node, std::string_view name) {
        node.nameBegin = static_cast<std::uint32_t>(tree_->names.size());
        tree_->names += name;
        node.nameEnd = static_cast<std::uint32_t>(tree_->names.size());
    }
    bool pushSymbol(std::string_view name) {
        ExprNode node;
        node.op = ExprOp::Symbol;
        setName(node, name);
        return pushLeaf(node);
    }
    bool pushNumber(Rational number) {
        ExprNode node;
        node.number = number;
        return pushLeaf(node);
    }
    bool pushReal(double value) {
        ExprNode node;
        node.op = ExprOp::Float;
        node.real = value;
        return pushLeaf(node);
    }

    bool operand(bool& wantOperand) {
        const std::string_view text = lexer_.text();
        switch (lexer_.token()) {
            case Token::Integer: {
                Rational number;
                if (!parseInt128(text, number.p)) return fault("a number is too large");
                lexer_.advance();
                wantOperand = false;
                return pushNumber(number);
            }
            case Token::Real: {
                double value = 0;
                if (!parseReal(text, value)) return fault("a number is not readable");
                lexer_.advance();
                wantOperand = false;
                return pushReal(value);
            }
            case Token::Name: break;
            default: return fault("a number or a name is missing");
        }
        if (lexer_.nextIsAssign() && !stack_.empty() && stack_.back().kind == Frame::Call && stack_.back().items > 0) {
            // evaluate=False and the like, behind the arguments.
            lexer_.advance();
            lexer_.advance();
            if (lexer_.token() != Token::Name && lexer_.token() != Token::Integer) return fault("a keyword has no plain value");
            lexer_.advance();
            if (lexer_.token() == Token::Comma) {
                lexer_.advance();
                return true;
            }
            if (lexer_.token() != Token::Close) return fault("a bracket is not closed");
            wantOperand = false;
            return closeFrame();
        }
        if (lexer_.nextIsOpen()) {
            if (text == "Symbol" || text == "Dummy" || text == "Integer" || text == "Float" || text == "Rational") {
                wantOperand = false;
                return atomCall(text);
            }
            Frame frame{Frame::Call, Token::Open, 0, static_cast<std::uint32_t>(operands_.size())};
            frame.name = text;
            stack_.push_back(frame);
            lexer_.advance();
            lexer_.advance();
            return true;
        }
        lexer_.advance();
        wantOperand = false;
        if (text == "true" || text == "True" || text == "false" || text == "False") {
            ExprNode node;
            node.op = ExprOp::Boolean;
            node.value = text == "true" || text == "True";
            return pushLeaf(node);
        }
        if (text == "oo" || text == "int_oo" || text == "zoo" || text == "inf" || text == "nan") {
            ExprNode node;
            node.op = ExprOp::Infinity;
            setName(node, text);
            return pushLeaf(node);
        }
        return pushSymbol(text);
    }

    /// Symbol('s0', positive=True), Integer(-2), Float('1.5', precision=53), Rational(1, 2): literals only.
    bool atomCall(std::string_view name) {
        lexer_.advance();
        lexer_.advance();
        std::string_view string;
        bool hasString = false;
        Int128 integers[2] = {0, 1};
        std::size_t integerCount = 0;
        double real = 0;
        bool hasReal = false;
        while (lexer_.token() != Token::Close) {
            bool negative = false;
            if (lexer_.token() == Token::Minus) {
                negative = true;
                lexer_.advance();
            }
            const std::string_view text = lexer_.text();
            switch (lexer_.token()) {
                case Token::String:
                    if (hasString || negative) return fault("a name has too many parts");
                    string = text;
                    hasString = true;
                    break;
                case Token::Integer:
                    if (integerCount >= 2 || !parseInt128(text, integers[integerCount])) return fault("a number is not readable");
                    if (negative) integers[integerCount] = -integers[integerCount];
                    ++integerCount;
                    break;
                case Token::Real:
                    if (!parseReal(text, real)) return fault("a number is not readable");
                    if (negative) real = -real;
                    hasReal = true;
                    break;
                case Token::Name:
                    if (negative || !lexer_.nextIsAssign()) return fault("a literal is missing");
                    lexer_.advance();
                    lexer_.advance();
                    if (lexer_.token() != Token::Name && lexer_.token() != Token::Integer) return fault("a keyword has no plain value");
                    break;
                default: return fault("a literal is missing");
            }
            lexer_.advance();
            if (lexer_.token() == Token::Comma) {
                lexer_.advance();
            } else if (lexer_.token() != Token::Close) {
                return fault("a bracket is not closed");
            }
        }
        lexer_.advance();
        if (name == "Symbol" || name == "Dummy") {
            if (!hasString || string.empty()) return fault("a symbol has no name");
            return pushSymbol(string);
        }
        if (name == "Float") {
            if (hasString && !parseReal(string, real)) return fault("a number is not readable");
            if (!hasString && !hasReal) {
                if (integerCount != 1) return fault("a number has no value");
                real = static_cast<double>(integers[0]);
            }
            return pushReal(real);
        }
        Rational number;
        if (name == "Integer" && integerCount == 1 && !hasString && !hasReal) {
            number.p = integers[0];
        } else if (name != "Rational" || integerCount == 0 || hasString || hasReal || !makeRational(integers[0], integers[1], number)) {
            return fault("a number has no value");
        }
        return pushNumber(number);
    }

    bool apply(ExprOp op, std::size_t count, std::string_view name = {}) {
        if (operands_.size() < count) return fault("an operand is missing");
        const std::vector<std::uint32_t> args(operands_.end() - static_cast<std::ptrdiff_t>(count), operands_.end());
        operands_.resize(operands_.size() - count);
        ExprNode node;
        node.op = op;
        if (op == ExprOp::Function) setName(node, name);
        return push(node, args.data(), args.size());
    }

    bool negate() {
        ExprNode& last = tree_->nodes[operands_.back()];
        if (last.op == ExprOp::Number) {
            last.number.p = -last.number.p;
            return true;
        }
        if (last.op == ExprOp::Float) {
            last.real = -last.real;
            return true;
        }
        const std::uint32_t inner = operands_.back();
        operands_.pop_back();
        if (!pushNumber({-1, 1})) return false;
        operands_.push_back(inner);
        return apply(ExprOp::Mul, 2);
    }

    bool reduce() {
        const Frame frame = stack_.back();
        stack_.pop_back();
        if (operands_.size() < (frame.kind == Frame::Unary ? 1U : 2U)) return fault("an operand is missing");
        if (frame.kind == Frame::Unary) {
            if (frame.token == Token::Plus) return true;
            return frame.token == Token::Tilde ? apply(ExprOp::Not, 1) : negate();
        }
        switch (frame.token) {
            case Token::Plus: return apply(ExprOp::Add, 2);
            case Token::Minus: return negate() && apply(ExprOp::Add, 2);
            case Token::Star: return apply(ExprOp::Mul, 2);
            case Token::StarStar: return apply(ExprOp::Pow, 2);
            case Token::Slash: return divide();
            case Token::SlashSlash: return apply(ExprOp::FloorDiv, 2);
            case Token::Percent: return apply(ExprOp::PythonMod, 2);
            case Token::Less: return apply(ExprOp::Less, 2);
            case Token::LessEqual: return apply(ExprOp::LessEqual, 2);
            case Token::Greater: return apply(ExprOp::Greater, 2);
            case Token::GreaterEqual: return apply(ExprOp::GreaterEqual, 2);
            case Token::Equal: return apply(ExprOp::Equal, 2);
            case Token::NotEqual: return apply(ExprOp::NotEqual, 2);
            case Token::Ampersand: return apply(ExprOp::And, 2);
            case Token::Bar: return apply(ExprOp::Or, 2);
            case Token::Caret: return apply(ExprOp::BitwiseXor, 2);
            case Token::LeftShift: return apply(ExprOp::LShift, 2);
            case Token::RightShift: return apply(ExprOp::RShift, 2);
            default: return fault("an operator is not known");
        }
    }

    /// a / b is a product with the inverse of b, as sympy keeps it.
    bool divide() {
        ExprNode& divisor = tree_->nodes[operands_.back()];
        if (divisor.op == ExprOp::Number && divisor.number.p != 0) {
            Rational inverse;
            if (!makeRational(divisor.number.q, divisor.number.p, inverse)) return fault("a number is too large");
            divisor.number = inverse;
        } else if (!pushNumber({-1, 1}) || !apply(ExprOp::Pow, 2)) {
            return false;
        }
        return apply(ExprOp::Mul, 2);
    }

    /// At the closing bracket of a call or a parenthesis, its operators reduced already.
    bool closeFrame() {
        const Frame frame = stack_.back();
        stack_.pop_back();
        lexer_.advance();
        const std::size_t count = operands_.size() - frame.operandBase;
        if (frame.kind == Frame::Call) {
            const ExprOp op = exprOpFromName(frame.name);
            if (op == ExprOp::Function && !isKnownFunction(frame.name))
                return fault("the function \"" + std::string(frame.name.substr(0, 60)) + "\" is not known");
            if (!exprOpTakes(op, count)) return fault("a function has the wrong number of arguments");
            return apply(op, count, frame.name);
        }
        if (count == 1) return true;
        if (count == 2) return apply(ExprOp::ExprCondPair, 2);  // (value, condition) of a Piecewise
        return fault("a tuple stands where a number should");
    }

    /// Flattens sums in sums and products in products, and drops what a folded sign left behind.
    bool finish() {
        SymExpr::Tree& tree = *tree_;
        const std::uint32_t root = operands_.front();
        tree.dead.assign(tree.nodes.size(), true);
        std::vector<std::uint32_t> work{root};
        tree.dead[root] = false;
        std::vector<std::uint32_t> flat, args;
        while (!work.empty()) {
            const std::uint32_t id = work.back();
            work.pop_back();
            ExprNode& node = tree.nodes[id];
            if (node.op != ExprOp::Add && node.op != ExprOp::Mul && node.op != ExprOp::And && node.op != ExprOp::Or) {
                for (std::uint32_t arg : tree.argsOf(node)) {
                    tree.dead[arg] = false;
                    work.push_back(arg);
                }
                continue;
            }
            flat.clear();
            args.assign(1, id);
            while (!args.empty()) {
                const std::uint32_t arg = args.back();
                args.pop_back();
                if (tree.nodes[arg].op == node.op) {
                    const auto inner = tree.argsOf(arg);
                    args.insert(args.end(), inner.rbegin(), inner.rend());
                } else {
                    flat.push_back(arg);
                }
            }
            if (flat.size() != node.argEnd - node.argBegin) {
                node.argBegin = static_cast<std::uint32_t>(tree.args.size());
                tree.args.insert(tree.args.end(), flat.begin(), flat.end());
                node.argEnd = static_cast<std::uint32_t>(tree.args.size());
            }
            for (std::uint32_t arg : flat) {
                tree.dead[arg] = false;
                work.push_back(arg);
            }
        }
        return true;
    }

    Lexer lexer_;
    std::shared_ptr<SymExpr::Tree> tree_;
    std::vector<Frame> stack_;
    std::vector<std::uint32_t> operands_;
    std::string why_;
};

tl::unexpected<Error> notUnderstood(std::string_view text, std::string why) {
    std::string shown(text.substr(0, 120));
    if (shown.size() < text.size()) shown += "...";
    return fail({ErrorKind::Unreadable,
                 "symbol.not-understood",
                 "The expression \"" + shown + "\" is not understood.",
                 {},
                 std::move(why),
                 "It is kept and shown as text."});
}

}  // namespace

Result<SymExpr> SymExpr::parse(std::string_view text) {
    if (text.size() > kExpressionTextLimit) return notUnderstood(text, "It is longer than 256 KiB.");
    Parser parser(text);
    if (!parser.run()) return notUnderstood(text, "At character " + std::to_string(parser.position() + 1) + ", " + parser.why() + ".");
    const std::shared_ptr<Tree> tree = parser.tree();
    std::vector<std::string> printed = printNodes(*tree, {tree->root()}, 4 * kExpressionTextLimit);
    if (printed.empty()) return notUnderstood(text, "Its printed form is too long.");
    tree->printed = std::move(printed.front());
    SymExpr result;
    result.tree_ = tree;
    return result;
}

}  // namespace pt2

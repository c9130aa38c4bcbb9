#include "core/tensor/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"
#include "core/tensor/pickle_globals.h"
#include "core/tensor/pickle_text.h"
#include "core/tensor/pickle_tree.h"

namespace pt2 {

namespace {

using Kind = PickleNode::Kind;

constexpr std::size_t kNodeLimit = 4'000'000;
constexpr std::size_t kIntegerBytesLimit = 4096;

/// The stack machine of pickle, with nodes for values. Every opcode of protocols 0 to 5 is known.
class Machine {
public:
    explicit Machine(Bytes bytes) : bytes_(bytes) {}
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine() {
        // A container may hold itself before makeWalkable() has cut the cycle; without this it would never be freed.
        if (!finished_) {
            for (const PickleNodePtr& node : containers_) node->children.clear();
        }
    }

    Result<PickleNodePtr> run() {
        while (at_ < bytes_.size()) {
            const std::size_t place = at_;
            const auto op = std::to_integer<unsigned char>(bytes_[at_++]);
            if (op == '.') {
                if (stack_.empty()) return fail(error("pickle.underflow", "It ends with nothing on its stack.", place));
                auto root = stack_.back();
                std::unordered_set<const PickleNode*> reached;
                if (auto status = makeWalkable(root, reached); !status) return tl::unexpected<Error>(status.error());
                // Containers that the root does not reach may still hold themselves.
                for (const PickleNodePtr& node : containers_) {
                    if (reached.count(node.get()) == 0) node->children.clear();
                }
                finished_ = true;
                return root;
            }
            if (!step(op) || failure_)
                return fail(error(failure_ ? failure_ : "pickle.damaged", message_.empty() ? "An instruction is cut or wrong." : message_, place));
            if (nodes_ > kNodeLimit)
                return fail(error("pickle.too-large", fmt::format("It makes more than {} objects.", formatCount(kNodeLimit)), place));
        }
        return fail(error("pickle.truncated", "It ends before its STOP instruction.", at_));
    }

    std::set<std::string> globals, unsafe;

private:
    static Error error(std::string code, std::string why, std::size_t place) {
        return {ErrorKind::Unreadable,         std::move(code), "The pickle cannot be read.",
                fmt::format("byte {}", place), std::move(why),  "The file is damaged or was made by hand; get it again."};
    }
    bool wrong(const char* code, std::string message) {
        failure_ = code;
        message_ = std::move(message);
        return false;
    }

    // Reading of operands; false or nullopt at the end of the bytes.
    template <typename T>
    std::optional<T> little() {
        if (bytes_.size() - at_ < sizeof(T)) return std::nullopt;
        const T value = loadLittle<T>(bytes_, at_);
        at_ += sizeof(T);
        return value;
    }
    std::optional<Bytes> take(std::uint64_t length) {
        if (length > bytes_.size() - at_) return std::nullopt;
        const Bytes part = bytes_.subspan(at_, static_cast<std::size_t>(length));
        at_ += static_cast<std::size_t>(length);
        return part;
    }
    std::optional<std::string_view> line() {
        const std::string_view rest = asText(bytes_.subspan(at_));
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        at_ += end + 1;
        std::string_view text = rest.substr(0, end);
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        return text;
    }

    // Making of nodes.
    PickleNodePtr make(Kind kind) {
        ++nodes_;
        auto node = std::make_shared<PickleNode>();
        node->kind = kind;
        return node;
    }
    bool push(PickleNodePtr node) {
        stack_.push_back(std::move(node));
        return true;
    }
    bool pushText(Kind kind, std::optional<Bytes> text) {
        if (!text) return false;
        auto node = make(kind);
        node->text = asText(*text);
        return push(std::move(node));
    }
    bool pushInteger(std::int64_t value) {
        auto node = make(Kind::Int);
        node->integer = value;
        return push(std::move(node));
    }
    bool pushConstant(PickleNodePtr& cache, Kind kind, bool value) {
        if (!cache) {
            cache = make(kind);
            cache->boolean = value;
        }
        return push(cache);
    }
    bool pushContainer(Kind kind, std::vector<PickleNodePtr> children) {
        auto node = make(kind);
        node->children = std::move(children);
        containers_.push_back(node);
        return push(std::move(node));
    }
    bool pushLong(std::optional<Bytes> bytes) {
        if (!bytes) return false;
        if (bytes->size() <= 8) {
            std::uint64_t value = 0;
            for (std::size_t i = 0; i < bytes->size(); ++i) value |= std::to_integer<std::uint64_t>((*bytes)[i]) << (8 * i);
            if (!bytes->empty() && bytes->size() < 8 && (std::to_integer<int>(bytes->back()) & 0x80) != 0)
                value |= ~std::uint64_t{0} << (8 * bytes->size());
            return pushInteger(static_cast<std::int64_t>(value));
        }
        if (bytes->size() > kIntegerBytesLimit) return wrong("pickle.integer-too-long", "An integer is longer than 4,096 bytes.");
        auto node = make(Kind::BigInt);
        node->text = decimalOfLittleEndian(*bytes);
        return push(std::move(node));
    }
    bool pushGlobal(std::string_view module, std::string_view name) {
        if (module.size() + name.size() > 1000) return wrong("pickle.global", "The name of a global is longer than 1,000 characters.");
        // Names of Python 2, which Python 3 translates when it loads protocols below 3.
        if (module == "__builtin__") module = "builtins";
        if (module == "copy_reg") module = "copyreg";
        auto node = make(Kind::Global);
        node->text = std::string(module) + "." + std::string(name);
        globals.insert(node->text);
        if (!isSafeGlobal(node->text)) unsafe.insert(node->text);
        return push(std::move(node));
    }

    // The stack and its marks.
    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    PickleNodePtr pop() {
        if (stack_.size() <= floor()) return nullptr;
        auto node = std::move(stack_.back());
        stack_.pop_back();
        return node;
    }
    std::optional<std::vector<PickleNodePtr>> popMark() {
        if (marks_.empty()) return std::nullopt;
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<PickleNodePtr> items(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
        stack_.erase(begin, stack_.end());
        marks_.pop_back();
        return items;
    }
    bool pushTuple(std::size_t count) {
        std::vector<PickleNodePtr> items(count);
        for (std::size_t i = count; i-- > 0;) {
            items[i] = pop();
            if (!items[i]) return false;
        }
        return pushContainer(Kind::Tuple, std::move(items));
    }
    bool remember(std::uint64_t key) {
        if (stack_.size() <= floor()) return false;
        memo_[key] = stack_.back();
        return true;
    }
    bool recall(std::uint64_t key) {
        const auto found = memo_.find(key);
        if (found == memo_.end()) return wrong("pickle.memo", "It uses an object that it has not made.");
        return push(found->second);
    }
    std::optional<std::uint64_t> numberLine() {
        const auto text = line();
        if (!text) return std::nullopt;
        std::uint64_t value = 0;
        const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (code != std::errc() || end != text->data() + text->size()) return std::nullopt;
        return value;
    }

    // Calls.
    bool call(const PickleNodePtr& callee, std::vector<PickleNodePtr> arguments) {
        // Arguments may be shared with other calls, and are copied into each: without this count a few bytes could ask for any amount of memory.
        nodes_ += 1 + arguments.size();
        for (const PickleNodePtr& argument : arguments) {
            nodes_ += argument->children.size() + argument->text.size() / 64;
            if (argument->children.size() > 16) continue;
            for (const PickleNodePtr& inner : argument->children) nodes_ += inner->children.size();
        }
        if (nodes_ > kNodeLimit) return wrong("pickle.too-large", fmt::format("It makes more than {} objects.", formatCount(kNodeLimit)));
        auto node = interpretCall(callee, std::move(arguments));
        containers_.push_back(node);
        return push(std::move(node));
    }
    bool reduce() {
        const auto arguments = pop();
        const auto callee = pop();
        if (!arguments || !callee) return false;
        if (arguments->kind != Kind::Tuple) return call(callee, {arguments});
        if (arguments->children.size() > kNodeLimit) return false;
        return call(callee, arguments->children);
    }
    bool build() {
        const auto state = pop();
        if (!state || stack_.size() <= floor()) return false;
        PickleNode& target = *stack_.back();
        // State set on a function or class changes what later calls do, whoever may call it.
        if (target.kind == Kind::Global) unsafe.insert("state set on " + target.text);
        if (target.kind == Kind::Call || target.kind == Kind::Global) target.children.push_back(state);
        return true;
    }
    bool extend(std::vector<PickleNodePtr> items, bool pairs) {
        if (stack_.size() <= floor()) return false;
        if (pairs && items.size() % 2 != 0) return false;
        PickleNode& target = *stack_.back();
        const bool fits = target.kind == Kind::Call || (pairs ? target.kind == Kind::Dict : target.kind == Kind::List || target.kind == Kind::Set);
        if (!fits) return wrong("pickle.wrong-target", "It adds elements to something that is not a container.");
        for (PickleNodePtr& item : items) target.children.push_back(std::move(item));
        return true;
    }

    bool textNumber() {
        auto text = line();
        if (!text) return false;
        if (*text == "00") return pushConstant(false_, Kind::Bool, false);
        if (*text == "01") return pushConstant(true_, Kind::Bool, true);
        if (!text->empty() && text->back() == 'L') text->remove_suffix(1);
        std::int64_t value = 0;
        const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (code == std::errc() && end == text->data() + text->size()) return pushInteger(value);
        const bool digits = !text->empty() && text->size() < 2 * kIntegerBytesLimit &&
                            std::all_of(text->begin() + (text->front() == '-' ? 1 : 0), text->end(), [](char c) { return c >= '0' && c <= '9'; });
        return digits && pushText(Kind::BigInt, asBytes(*text));
    }
    bool textFloat() {
        const auto text = line();
        if (!text) return false;
        auto node = make(Kind::Float);
        const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), node->real);
        if (code == std::errc::invalid_argument || end != text->data() + text->size()) return false;
        return push(std::move(node));
    }
    bool textString(bool rawUnicode) {
        auto text = line();
        if (!text) return false;
        if (!rawUnicode) {
            if (text->size() < 2 || (text->front() != '\'' && text->front() != '"') || text->back() != text->front()) return false;
            *text = text->substr(1, text->size() - 2);
        }
        auto node = make(Kind::String);
        node->text = unescapePython(*text, rawUnicode);
        return push(std::move(node));
    }
    bool binaryFloat() {
        const auto bytes = take(8);
        if (!bytes) return false;
        std::uint64_t bits = 0;
        for (const std::byte b : *bytes) bits = (bits << 8) | std::to_integer<std::uint64_t>(b);
        auto node = make(Kind::Float);
        std::memcpy(&node->real, &bits, sizeof bits);
        return push(std::move(node));
    }
    template <typename Length>
    bool sized(Kind kind) {
        const auto length = little<Length>();
        return length && pushText(kind, take(*length));
    }
    bool globalLine() {
        const auto module = line();
        const auto name = module ? line() : std::nullopt;
        return name && pushGlobal(*module, *name);
    }
    bool stackGlobal() {
        const auto name = pop();
        const auto module = pop();
        if (!name || !module) return false;
        if (name->kind != Kind::String || module->kind != Kind::String)
            return wrong("pickle.global", "It names a global by something that is not text.");
        return pushGlobal(module->text, name->text);
    }
    template <typename Code>
    bool extension() {
        const auto code = little<Code>();
        return code && pushGlobal("copyreg", fmt::format("extension {}", *code));
    }
    bool persistent(PickleNodePtr id) {
        if (!id) return false;
        nodes_ += id->children.size();
        auto parts = id->kind == Kind::Tuple ? id->children : std::vector<PickleNodePtr>{id};
        return pushContainer(Kind::Persistent, std::move(parts));
    }
    bool newObject(bool withKeywords) {
        const auto keywords = withKeywords ? pop() : nullptr;
        const auto arguments = pop();
        const auto type = pop();
        if (!arguments || !type || (withKeywords && !keywords)) return false;
        auto list = arguments->kind == Kind::Tuple ? arguments->children : std::vector<PickleNodePtr>{arguments};
        if (keywords && !keywords->children.empty()) list.push_back(keywords);
        return call(type, std::move(list));
    }
    bool instance(bool typeOnStack) {
        PickleNodePtr type;
        if (!typeOnStack) {
            if (!globalLine()) return false;
            type = std::move(stack_.back());
            stack_.pop_back();
        }
        auto arguments = popMark();
        if (!arguments) return false;
        if (typeOnStack) {
            if (arguments->empty()) return false;
            type = arguments->front();
            arguments->erase(arguments->begin());
        }
        return call(type, std::move(*arguments));
    }

    bool step(unsigned char op) {
        switch (op) {
            case 0x80: return take(1).has_value();  // PROTO
            case 0x95: return take(8).has_value();  // FRAME
            case '(': marks_.push_back(stack_.size()); return true;
            case '0':  // POP, which also removes a mark
                if (stack_.size() > floor()) return pop() != nullptr;
                return popMark().has_value();
            case '1': return popMark().has_value();
            case '2': return stack_.size() > floor() && push(stack_.back());
            case 'N': return pushConstant(none_, Kind::None, false);
            case 0x88: return pushConstant(true_, Kind::Bool, true);
            case 0x89: return pushConstant(false_, Kind::Bool, false);
            case 'I':
            case 'L': return textNumber();
            case 'F': return textFloat();
            case 'S': return textString(false);
            case 'V': return textString(true);
            case 'J': {
                const auto value = little<std::uint32_t>();
                return value && pushInteger(static_cast<std::int32_t>(*value));
            }
            case 'K': {
                const auto value = little<std::uint8_t>();
                return value && pushInteger(*value);
            }
            case 'M': {
                const auto value = little<std::uint16_t>();
                return value && pushInteger(*value);
            }
            case 0x8a: {
                const auto length = little<std::uint8_t>();
                return length && pushLong(take(*length));
            }
            case 0x8b: {
                const auto length = little<std::uint32_t>();
                return length && pushLong(take(*length));
            }
            case 'G': return binaryFloat();
            case 'U': return sized<std::uint8_t>(Kind::String);
            case 'T': return sized<std::uint32_t>(Kind::String);
            case 'X': return sized<std::uint32_t>(Kind::String);
            case 0x8c: return sized<std::uint8_t>(Kind::String);
            case 0x8d: return sized<std::uint64_t>(Kind::String);
            case 'B': return sized<std::uint32_t>(Kind::Bytes);
            case 'C': return sized<std::uint8_t>(Kind::Bytes);
            case 0x8e:
            case 0x96: return sized<std::uint64_t>(Kind::Bytes);
            case 0x97: return wrong("pickle.out-of-band", "It keeps data outside of itself.");
            case 0x98: return true;
            case ')': return pushContainer(Kind::Tuple, {});
            case ']': return pushContainer(Kind::List, {});
            case '}': return pushContainer(Kind::Dict, {});
            case 0x8f: return pushContainer(Kind::Set, {});
            case 0x85: return pushTuple(1);
            case 0x86: return pushTuple(2);
            case 0x87: return pushTuple(3);
            case 't': return markContainer(Kind::Tuple);
            case 'l': return markContainer(Kind::List);
            case 'd': return markContainer(Kind::Dict);
            case 0x91: return markContainer(Kind::Set);
            case 'a': {
                auto item = pop();
                return item && extend({std::move(item)}, false);
            }
            case 'e':
            case 0x90: {
                auto items = popMark();
                return items && extend(std::move(*items), false);
            }
            case 's': {
                auto value = pop();
                auto key = pop();
                return key && value && extend({std::move(key), std::move(value)}, true);
            }
            case 'u': {
                auto items = popMark();
                return items && extend(std::move(*items), true);
            }
            case 'p': {
                const auto key = numberLine();
                return key && remember(*key);
            }
            case 'q': {
                const auto key = little<std::uint8_t>();
                return key && remember(*key);
            }
            case 'r': {
                const auto key = little<std::uint32_t>();
                return key && remember(*key);
            }
            case 0x94: return remember(memo_.size());
            case 'g': {
                const auto key = numberLine();
                return key && recall(*key);
            }
            case 'h': {
                const auto key = little<std::uint8_t>();
                return key && recall(*key);
            }
            case 'j': {
                const auto key = little<std::uint32_t>();
                return key && recall(*key);
            }
            case 'c': return globalLine();
            case 0x93: return stackGlobal();
            case 0x82: return extension<std::uint8_t>();
            case 0x83: return extension<std::uint16_t>();
            case 0x84: return extension<std::uint32_t>();
            case 'R': return reduce();
            case 'b': return build();
            case 'i': return instance(false);
            case 'o': return instance(true);
            case 0x81: return newObject(false);
            case 0x92: return newObject(true);
            case 'Q': return persistent(pop());
            case 'P': {
                const auto text = line();
                if (!text) return false;
                auto id = make(Kind::String);
                id->text = *text;
                return persistent(std::move(id));
            }
            default: return wrong("pickle.opcode", fmt::format("Instruction {:#04x} does not exist.", op));
        }
    }
    bool markContainer(Kind kind) {
        auto items = popMark();
        if (!items || (kind == Kind::Dict && items->size() % 2 != 0)) return false;
        return pushContainer(kind, std::move(*items));
    }

    Bytes bytes_;
    std::size_t at_ = 0;
    std::size_t nodes_ = 0;
    std::vector<PickleNodePtr> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint64_t, PickleNodePtr> memo_;
    std::vector<PickleNodePtr> containers_;
    PickleNodePtr none_, true_, false_;
    const char* failure_ = nullptr;
    std::string message_;
    bool finished_ = false;
};

}  // namespace

Result<std::shared_ptr<PickleNode>> readPickle(Bytes bytes, PickleScan* scan) {
    Machine machine(bytes);
    auto root = machine.run();
    if (scan) {
        scan->globals.assign(machine.globals.begin(), machine.globals.end());
        scan->unsafe.assign(machine.unsafe.begin(), machine.unsafe.end());
    }
    return root;
}

}  // namespace pt2

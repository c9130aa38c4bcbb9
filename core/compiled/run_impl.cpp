#include "core/compiled/run_impl.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "core/compiled/generated_names.h"

namespace pt2 {
namespace {

constexpr std::size_t kLooksPerToken = 16, kLooksAtLeast = 1U << 16;
constexpr std::size_t kMostIndex = 1U << 20;  // of inputs, outputs, dimensions: beyond it a text is not a wrapper

struct Span {
    std::size_t begin = 0, end = 0;
};

class Follower {
public:
    Follower(const TokenizedSource& source, const SourceFunction& function)
        : source_(source), tokens_(source.tokens), matches_(source.matches), kernelNames_(source.kernelNames), function_(function) {
        budget_ = (function.bodyEnd - function.bodyBegin) * kLooksPerToken + kLooksAtLeast;
    }

    BodyEvidence run() {
        findParameters();
        for (position_ = function_.bodyBegin; position_ < function_.bodyEnd && budget_ > 0; ++position_) {
            if (!token(position_).isIdentifier()) continue;
            if (at("if") && is(position_ + 1, "(")) {
                comparison();
            } else if (is(position_ + 1, "=")) {
                assignment(std::string(token(position_).text), position_ + 2);
            } else if (is(position_ + 1, "[") && is(position_ + 2, "]") && is(position_ + 3, "=") && is(position_ + 4, "{")) {
                arrays_[std::string(token(position_).text)] = list(position_ + 4);
            } else if (is(position_ + 1, "[")) {
                outputAssignment();
            } else if (at("RAIIAtenTensorHandle") || at("RAIIAtenRecordFunctionHandle")) {
                raiiHandle();
            } else if (is(position_ + 1, "(")) {
                call();
            }
        }
        evidence_.buffers = std::move(buffers_);
        return std::move(evidence_);
    }

private:
    const SourceToken& token(std::size_t i) const {
        static const SourceToken kEnd;
        return i < function_.bodyEnd ? tokens_[i] : kEnd;
    }
    bool is(std::size_t i, std::string_view text) const { return token(i).is(text); }
    bool at(std::string_view text) const { return is(position_, text); }
    std::uint32_t line() const { return source_.lineOf(position_); }  ///< of the statement at hand
    std::string name(std::size_t i) const { return std::string(token(i).text); }

    /// The array of inputs is the first AtenTensorHandle* parameter, that of outputs the second.
    void findParameters() {
        std::vector<std::string_view> found;
        for (std::size_t i = function_.headerBegin; i + 2 < function_.bodyBegin; ++i) {
            if (tokens_[i].is("AtenTensorHandle") && tokens_[i + 1].is("*") && tokens_[i + 2].isIdentifier()) found.push_back(tokens_[i + 2].text);
        }
        inputArray_ = !found.empty() ? found[0] : std::string_view("input_handles");
        outputArray_ = found.size() > 1 ? found[1] : std::string_view("output_handles");
    }

    /// ARRAY[NUMBER] at `i`.
    std::optional<std::size_t> elementOf(std::size_t i, std::string_view array) const {
        if (!is(i, array) || !is(i + 1, "[") || !is(i + 3, "]")) return std::nullopt;
        const std::optional<std::int64_t> index = integerOfToken(token(i + 2));
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= kMostIndex) return std::nullopt;
        return static_cast<std::size_t>(*index);
    }

    std::size_t closing(std::size_t open) const { return std::min<std::size_t>(matches_[open], function_.bodyEnd); }
    void spend(std::size_t from, std::size_t to) const { budget_ -= std::min(budget_, to > from ? to - from : 0); }

    std::size_t statementEnd(std::size_t i) const {
        const std::size_t from = i;
        while (i < function_.bodyEnd && !is(i, ";")) {
            i = is(i, "(") || is(i, "[") || is(i, "{") ? closing(i) : i;
            ++i;
        }
        i = std::min(i, function_.bodyEnd);
        spend(from, i);
        return i;
    }

    /// Elements of a bracketed list, split at its own commas; empty ones (a trailing comma) are left out.
    std::vector<Span> split(std::size_t open) const {
        std::vector<Span> parts;
        spend(open, closing(open));
        const std::size_t close = closing(open);
        std::size_t begin = open + 1;
        for (std::size_t i = open + 1; i <= close && i < function_.bodyEnd; ++i) {
            if (i == close || is(i, ",")) {
                if (i > begin) parts.push_back({begin, i});
                begin = i + 1;
            } else if (is(i, "(") || is(i, "[") || is(i, "{")) {
                i = std::min(closing(i), close);
                if (i == close) --i;
            }
        }
        return parts;
    }

    std::vector<std::string> list(std::size_t open) const {
        std::vector<std::string> texts;
        for (const Span part : split(open)) texts.push_back(canonical(dimensionText(tokens_, part.begin, part.end)));
        return texts;
    }

    /// A symbol that only repeats another ("int64_t s72 = s26;") is shown as that one.
    std::string canonical(const std::string& text) const {
        const auto found = aliases_.find(text);
        return found == aliases_.end() ? text : found->second;
    }

    std::optional<std::vector<std::string>> arrayOf(Span argument) const {
        if (is(argument.begin, "{")) return list(argument.begin);
        if (argument.end - argument.begin != 1) return std::nullopt;
        const auto found = arrays_.find(token(argument.begin).text);
        if (found == arrays_.end()) return std::nullopt;
        return found->second;
    }

    std::optional<std::size_t> inputNamed(std::string_view variable) const {
        const auto found = inputVariables_.find(variable);
        return found == inputVariables_.end() ? std::nullopt : std::optional(found->second);
    }

    void nameInput(const std::string& variable, std::size_t input) {
        inputVariables_[variable] = input;
        evidence_.inputs[input].variable = variable;
        BufferEvidence through;
        through.input = input;
        buffers_[variable] = through;
    }

    void assignment(const std::string& target, std::size_t from) {
        const std::size_t end = statementEnd(from);
        if (is(from, "nullptr") && from + 1 == end && position_ > 0 && tokens_[position_ - 1].is("*")) {  // int64_t *int_array_2=nullptr
            arrays_[target] = {};
            return;
        }
        for (std::size_t i = from; i < end; ++i) {
            if (const std::optional<std::size_t> input = elementOf(i, inputArray_)) {
                nameInput(target, *input);
                return;
            }
        }
        if (is(from, "steal_from_raw_handles_to_raii_handles")) {
            stolenArray_ = target;
            return;
        }
        if (is(from, "std") && is(from + 1, "::") && is(from + 2, "move") && is(from + 3, "(")) {
            moved(target, from + 4);
            return;
        }
        if (token(from).isIdentifier() && is(from + 1, ".") && is(from + 3, "(")) {
            const std::optional<std::size_t> input = inputNamed(token(from).text);
            if (input && is(from + 2, "sizes")) sizeVariables_[target] = *input;
            if (input && is(from + 2, "strides")) strideVariables_[target] = *input;
            return;
        }
        if (token(from).isIdentifier() && is(from + 1, "[") && is(from + 4, ";")) {
            boundSymbol(target, from);
            return;
        }
        if (token(from).isIdentifier() && from + 1 == end && isSymbol(token(from).text)) {
            aliases_[target] = canonical(name(from));
            return;
        }
        for (std::size_t i = from; i < end; ++i) {
            if (!token(i).isIdentifier()) continue;
            if (const std::optional<DType> dtype = dtypeOfName(token(i).text)) {
                dtypeConstants_[target] = *dtype;
                return;
            }
            if (is(i, "reinterpret_tensor_wrapper") && is(i + 1, "(")) {
                view(target, split(i + 1), 0);
                return;
            }
        }
        if (from + 1 == end) {
            if (const std::optional<std::int64_t> value = integerOfToken(token(from))) integerConstants_[target] = *value;
        }
    }

    void moved(const std::string& target, std::size_t source) {
        if (!stolenArray_.empty()) {
            if (const std::optional<std::size_t> input = elementOf(source, stolenArray_)) {
                nameInput(target, *input);
                return;
            }
        }
        const auto found = buffers_.find(token(source).text);
        if (found == buffers_.end()) return;
        const BufferEvidence copy = found->second;
        buffers_[target] = copy;
        if (copy.input) inputVariables_[target] = *copy.input;
    }

    bool isSymbol(std::string_view variable) const {
        return symbols_.count(std::string(variable)) != 0 || aliases_.count(std::string(variable)) != 0;
    }

    void boundSymbol(const std::string& target, std::size_t from) {
        const std::optional<std::int64_t> index = integerOfToken(token(from + 2));
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= kMostIndex) return;
        const auto size = sizeVariables_.find(token(from).text);
        const auto stride = strideVariables_.find(token(from).text);
        if (size == sizeVariables_.end() && stride == strideVariables_.end()) return;
        symbols_.insert(target);
        // arg0_1_size_0 = arg0_1_size[0]; s44 = (1.0/2.0)*arg0_1_size_0; is a composite size on the way to its symbol, and no symbol itself.
        if (size != sizeVariables_.end() && target == name(from) + "_" + std::to_string(*index)) return;
        if (size != sizeVariables_.end()) {
            InputEvidence& input = evidence_.inputs[size->second];
            if (input.sizeSymbols.emplace(static_cast<std::size_t>(*index), target).second)
                input.symbolLines.emplace(static_cast<std::size_t>(*index), line());
        } else {
            evidence_.inputs[stride->second].strideSymbols.emplace(static_cast<std::size_t>(*index), target);
        }
    }

    void outputAssignment() {
        const std::optional<std::size_t> output = elementOf(position_, outputArray_);
        if (!output || !is(position_ + 4, "=")) return;
        const std::size_t from = position_ + 5;
        if (const std::optional<std::size_t> earlier = elementOf(from, outputArray_)) {
            const auto found = evidence_.outputs.find(*earlier);
            if (found != evidence_.outputs.end()) {
                const BufferEvidence copy = found->second;
                evidence_.outputs[*output] = copy;
            }
            return;
        }
        const std::size_t end = statementEnd(from);
        for (std::size_t i = from; i < end; ++i) {
            const auto found = buffers_.find(token(i).text);
            if (token(i).isIdentifier() && found != buffers_.end()) {
                evidence_.outputs[*output] = found->second;
                return;
            }
        }
    }

    /// RAIIAtenTensorHandle buf0(buf0_handle);
    void raiiHandle() {
        if (!token(position_ + 1).isIdentifier() || !is(position_ + 2, "(") || !token(position_ + 3).isIdentifier() || !is(position_ + 4, ")"))
            return;
        const auto found = buffers_.find(token(position_ + 3).text);
        const BufferEvidence copy = found == buffers_.end() ? BufferEvidence{} : found->second;
        buffers_[name(position_ + 1)] = copy;
    }

    /// A view: the dtype of `source`, sizes and strides of its own.
    void view(const std::string& target, const std::vector<Span>& arguments, std::size_t first) {
        if (arguments.size() < first + 4) return;
        BufferEvidence buffer;
        buffer.line = line();
        const Span source = arguments[first];
        const auto found = source.end - source.begin == 1 ? buffers_.find(token(source.begin).text) : buffers_.end();
        if (found != buffers_.end()) {
            buffer.dtype = found->second.dtype;
            buffer.dtypeIsInferred = found->second.dtypeIsInferred;
            if (found->second.input) {
                const InputEvidence& input = evidence_.inputs[*found->second.input];
                if (!buffer.dtype && input.testedDtype) buffer.dtype = input.testedDtype;
            }
        }
        buffer.sizes = arrayOf(arguments[first + 2]);
        buffer.strides = arrayOf(arguments[first + 3]);
        buffers_[target] = buffer;
    }

    /// The handle a call writes to, "&buf0_handle" or "&output_handles[0]", as last argument.
    std::string handleTarget(const std::vector<Span>& arguments) const {
        if (arguments.empty()) return {};
        const Span last = arguments.back();
        return is(last.begin, "&") && token(last.begin + 1).isIdentifier() ? name(last.begin + 1) : std::string();
    }

    void madeBuffer(const std::vector<Span>& arguments, const BufferEvidence& buffer) {
        const std::string target = handleTarget(arguments);
        if (target.empty()) return;
        if (const std::optional<std::size_t> output = elementOf(arguments.back().begin + 1, outputArray_)) {
            evidence_.outputs[*output] = buffer;
        } else {
            buffers_[target] = buffer;
        }
    }

    void call() {
        const std::string_view function = token(position_).text;
        const bool known = function == "aoti_torch_get_dtype" || function == "aoti_torch_get_device_type" || function == "assert_size_stride" ||
                           function.substr(0, 24) == "aoti_torch_empty_strided" || function == "aoti_torch_new_uninitialized_tensor" ||
                           function == "aoti_torch_clone" || function == "aoti_torch_new_tensor_handle" ||
                           function == "aoti_torch__reinterpret_tensor" || function == "aoti_torch_assign_tensors";
        if (kernelNames_.count(function) != 0 || isKernelCall(function)) {
            evidence_.kernels.emplace_back(function);
            pointerTypes(position_ + 1);
            return;
        }
        if (!known) return;
        const std::vector<Span> arguments = split(position_ + 1);
        if (function == "aoti_torch_get_dtype" && arguments.size() == 2) {
            if (const auto input = inputNamed(token(arguments[0].begin).text)) dtypeVariables_[handleTarget(arguments)] = *input;
        } else if (function == "aoti_torch_get_device_type" && arguments.size() == 2) {
            if (const auto input = inputNamed(token(arguments[0].begin).text)) deviceVariables_[handleTarget(arguments)] = *input;
        } else if (function == "assert_size_stride" && arguments.size() >= 3) {
            assertion(arguments);
        } else if (function.substr(0, 24) == "aoti_torch_empty_strided" && arguments.size() >= 5) {
            BufferEvidence buffer;
            buffer.line = line();
            buffer.sizes = arrayOf(arguments[1]);
            buffer.strides = arrayOf(arguments[2]);
            for (std::size_t i = arguments[3].begin; i < arguments[3].end; ++i) {
                if (const std::optional<DType> dtype = dtypeOfName(token(i).text)) buffer.dtype = dtype;
            }
            madeBuffer(arguments, buffer);
        } else if (function == "aoti_torch_new_uninitialized_tensor") {
            madeBuffer(arguments, {});
        } else if ((function == "aoti_torch_clone" || function == "aoti_torch_new_tensor_handle" || function == "aoti_torch_assign_tensors") &&
                   arguments.size() == 2) {
            const auto found = buffers_.find(token(arguments[0].begin).text);
            const BufferEvidence copy = found == buffers_.end() ? BufferEvidence{} : found->second;
            madeBuffer(arguments, copy);
        } else if (function == "aoti_torch__reinterpret_tensor" && arguments.size() >= 6) {
            const std::string target = handleTarget(arguments);
            if (!target.empty()) view(target, arguments, 0);
        }
    }

    /// if (_check_aoti_runtime_check_inputs_env()) { assert_size_stride(arg2_1, {s77, 16L}, {16L, 1L}, "input"); }
    void assertion(const std::vector<Span>& arguments) {
        const std::optional<std::vector<std::string>> sizes = arrayOf(arguments[1]);
        const std::optional<std::vector<std::string>> strides = arrayOf(arguments[2]);
        if (!sizes || !strides || sizes->size() != strides->size() || arguments[0].end - arguments[0].begin != 1) return;
        const std::string_view variable = token(arguments[0].begin).text;
        if (const std::optional<std::size_t> input = inputNamed(variable)) {
            InputEvidence& evidence = evidence_.inputs[*input];
            if (!evidence.assertedSizes) {
                evidence.assertedSizes = sizes;
                evidence.assertedStrides = strides;
                addCheck(RuntimeCheck::What::Layout, *input, std::nullopt, formatShape(*sizes) + " strides " + formatShape(*strides));
            }
            return;
        }
        const auto found = buffers_.find(variable);
        if (found == buffers_.end() || found->second.sizes) return;
        found->second.sizes = sizes;
        found->second.strides = strides;
        found->second.line = line();
    }

    /// (const float*)(arg2_1.data_ptr()) among the arguments of a kernel: what it reads the bytes as.
    void pointerTypes(std::size_t open) {
        const std::size_t close = closing(open);
        spend(open, close);
        for (std::size_t i = open + 1; i + 4 < close; ++i) {
            if (!is(i, "*") || !is(i + 1, ")") || !is(i + 2, "(") || !token(i + 3).isIdentifier() || !is(i + 4, ".") || !is(i + 5, "data_ptr"))
                continue;
            const std::optional<DType> dtype = dtypeOfCType(token(i - 1).text);
            if (!dtype) continue;
            const std::string_view variable = token(i + 3).text;
            if (const std::optional<std::size_t> input = inputNamed(variable)) {
                InputEvidence& evidence = evidence_.inputs[*input];
                if (!evidence.reinterpretedAs) evidence.reinterpretedAs = dtype;
                continue;
            }
            const auto found = buffers_.find(variable);
            if (found == buffers_.end() || found->second.dtype) continue;
            found->second.dtype = dtype;
            found->second.dtypeIsInferred = true;
        }
    }

    /// One side of a comparison: a number, a variable, or element NUMBER of a sizes or strides variable.
    struct Operand {
        std::optional<std::int64_t> number;
        std::string_view variable;
        std::optional<std::size_t> element;
    };
    std::optional<Operand> operand(Span span) const {
        Operand result;
        bool negative = false;
        if (is(span.begin, "-")) {
            negative = true;
            ++span.begin;
        }
        if (span.end == span.begin + 1) {
            if (const std::optional<std::int64_t> number = integerOfToken(token(span.begin))) {
                result.number = negative ? -*number : *number;
                return result;
            }
            if (negative || !token(span.begin).isIdentifier()) return std::nullopt;
            result.variable = token(span.begin).text;
            const auto constant = integerConstants_.find(result.variable);
            if (constant != integerConstants_.end()) result.number = constant->second;
            return result;
        }
        if (negative || span.end != span.begin + 4 || !is(span.begin + 1, "[") || !is(span.begin + 3, "]")) return std::nullopt;
        const std::optional<std::int64_t> index = integerOfToken(token(span.begin + 2));
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= kMostIndex) return std::nullopt;
        result.variable = token(span.begin).text;
        result.element = static_cast<std::size_t>(*index);
        return result;
    }

    void addCheck(RuntimeCheck::What what, std::size_t input, std::optional<std::size_t> dimension, std::string expected) {
        evidence_.inputs[input].checks.push_back({what, input, dimension, std::move(expected), line()});
    }

    /// if (!(u0 >= 2L)) { throw std::runtime_error("Expected ..."); }: a condition the program asserts. True when it is one.
    bool programAssert(std::size_t open, std::size_t close) {
        if (!is(open + 1, "!") || !is(open + 2, "(") || closing(open + 2) + 1 != close || !is(close + 1, "{")) return false;
        const std::size_t end = closing(close + 1);
        spend(close, end);
        CompiledAssert found;
        found.line = line();
        bool throws = false;
        for (std::size_t i = close + 2; i < end && found.message.empty(); ++i) {
            throws = throws || is(i, "throw");
            if (throws && token(i).kind == SourceToken::Kind::String) found.message = decodeStringToken(token(i));
        }
        if (!throws) return false;
        found.condition = conditionText(tokens_, open + 3, close - 1);
        evidence_.asserts.push_back(std::move(found));
        return true;
    }

    /// if (8 != sizes[1]), if (sizes[0] < 2), if (sizes[0] > 64), if (expected != dtype): what is refused, so the opposite is the contract.
    void comparison() {
        const std::size_t open = position_ + 1;
        const std::size_t close = closing(open);
        spend(open, close);
        if (programAssert(open, close)) return;
        for (std::size_t i = open + 1; i < close; ++i) {
            std::string_view op = token(i).text;
            if (op != "!=" && op != "<" && op != ">" && op != "<=" && op != ">=") continue;
            std::optional<Operand> left = operand({open + 1, i});
            std::optional<Operand> right = operand({i + 1, close});
            if (!left || !right) return;
            if (right->element) {
                std::swap(left, right);
                op = op == "<" ? ">" : op == ">" ? "<" : op == "<=" ? ">=" : op == ">=" ? "<=" : op;
            }
            if (left->element) {
                if (right->number) sizeOrStride(*left, op, *right->number);
            } else if (op == "!=") {
                dtypeOrDevice(*left, *right);
                dtypeOrDevice(*right, *left);
            }
            return;
        }
    }

    void sizeOrStride(const Operand& tested, std::string_view op, std::int64_t number) {
        const std::size_t dimension = *tested.element;
        const auto size = sizeVariables_.find(tested.variable);
        if (size != sizeVariables_.end()) {
            InputEvidence& input = evidence_.inputs[size->second];
            if ((op == "<=" && number == INT64_MAX) || (op == ">=" && number == INT64_MIN)) return;
            if (op == "<=") ++number;
            if (op == ">=") --number;
            using What = RuntimeCheck::What;
            const What what = op == "!=" ? What::Size : op.front() == '<' ? What::Minimum : What::Maximum;
            (what == What::Size ? input.fixedSizes : what == What::Minimum ? input.minimumSizes : input.maximumSizes)[dimension] = number;
            addCheck(what, size->second, dimension, std::to_string(number));
        }
        const auto stride = strideVariables_.find(tested.variable);
        if (stride != strideVariables_.end() && op == "!=") {
            evidence_.inputs[stride->second].fixedStrides[dimension] = number;
            addCheck(RuntimeCheck::What::Stride, stride->second, dimension, std::to_string(number));
        }
    }

    void dtypeOrDevice(const Operand& tested, const Operand& expected) {
        const auto dtype = dtypeVariables_.find(tested.variable);
        if (dtype != dtypeVariables_.end()) {
            const auto constant = dtypeConstants_.find(expected.variable);
            if (constant != dtypeConstants_.end()) {
                evidence_.inputs[dtype->second].testedDtype = constant->second;
                addCheck(RuntimeCheck::What::DType, dtype->second, std::nullopt, dtypeName(constant->second));
            }
        }
        const auto device = deviceVariables_.find(tested.variable);
        if (device != deviceVariables_.end() && expected.number && *expected.number >= 0 && *expected.number < 256) {
            const int type = static_cast<int>(*expected.number);
            evidence_.inputs[device->second].deviceType = type;
            const char* name = deviceTypeName(type);
            addCheck(RuntimeCheck::What::Device, device->second, std::nullopt, name != nullptr ? name : "device type " + std::to_string(type));
        }
    }

    const TokenizedSource& source_;
    const std::vector<SourceToken>& tokens_;
    const std::vector<std::uint32_t>& matches_;
    const std::set<std::string_view>& kernelNames_;
    const SourceFunction& function_;
    mutable std::size_t budget_ = 0;  // looks at tokens that are left: statements may be long, but not all of them
    std::size_t position_ = 0;
    std::string_view inputArray_, outputArray_;
    std::string stolenArray_;
    std::map<std::string, std::size_t, std::less<>> inputVariables_, sizeVariables_, strideVariables_, dtypeVariables_, deviceVariables_;
    std::map<std::string, DType, std::less<>> dtypeConstants_;
    std::map<std::string, std::int64_t, std::less<>> integerConstants_;
    std::map<std::string, std::vector<std::string>, std::less<>> arrays_;
    std::map<std::string, BufferEvidence, std::less<>> buffers_;
    std::map<std::string, std::string, std::less<>> aliases_;
    std::set<std::string> symbols_;
    BodyEvidence evidence_;
};

}  // namespace

TokenizedSource tokenizeGenerated(std::string_view source) {
    TokenizedSource result;
    result.text = source;
    result.lineStarts.push_back(0);
    for (std::size_t at = source.find('\n'); at != std::string_view::npos; at = source.find('\n', at + 1)) result.lineStarts.push_back(at + 1);
    result.tokens = tokenizeSource(source);
    result.matches = matchBrackets(result.tokens);
    const std::vector<SourceToken>& tokens = result.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (!tokens[i].is("extern") || tokens[i + 1].kind != SourceToken::Kind::String) continue;
        std::size_t k = i + 2;
        while (k < tokens.size() && (tokens[k].isIdentifier() || tokens[k].is("*"))) ++k;
        if (k < tokens.size() && tokens[k].is("(") && tokens[k - 1].isIdentifier()) result.kernelNames.insert(tokens[k - 1].text);
    }
    return result;
}

std::uint32_t TokenizedSource::lineOf(std::size_t token) const {
    if (token >= tokens.size() || text.empty()) return 0;
    const auto offset = static_cast<std::size_t>(tokens[token].text.data() - text.data());
    return static_cast<std::uint32_t>(std::upper_bound(lineStarts.begin(), lineStarts.end(), offset) - lineStarts.begin());
}

const char* runtimeCheckName(RuntimeCheck::What what) {
    switch (what) {
        case RuntimeCheck::What::DType: return "dtype";
        case RuntimeCheck::What::Size: return "size";
        case RuntimeCheck::What::Minimum: return "minimum";
        case RuntimeCheck::What::Maximum: return "maximum";
        case RuntimeCheck::What::Stride: return "stride";
        case RuntimeCheck::What::Device: return "device";
        case RuntimeCheck::What::Layout: return "layout";
    }
    return "";
}

BodyEvidence followBody(const TokenizedSource& source, const SourceFunction& function) { return Follower(source, function).run(); }

}  // namespace pt2

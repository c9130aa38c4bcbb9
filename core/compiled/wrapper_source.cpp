#include "core/compiled/wrapper_source.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <system_error>

#include "core/compiled/generated_names.h"
#include "core/compiled/run_impl.h"
#include "core/compiled/source_tokens.h"

namespace pt2 {
namespace {

constexpr std::size_t kMostEntries = 1U << 20;
constexpr std::size_t kMostDimensions = 64;

std::optional<std::int64_t> integerOfText(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

/// Adjacent string literals from `i` on, joined; `i` moves behind them.
std::string joinedStrings(const std::vector<SourceToken>& tokens, std::size_t& i) {
    std::string text;
    for (; i < tokens.size() && tokens[i].kind == SourceToken::Kind::String; ++i) text += decodeStringToken(tokens[i]);
    return text;
}

std::vector<std::int64_t> integerList(const std::vector<SourceToken>& tokens, std::size_t open) {
    std::vector<std::int64_t> numbers;
    if (open >= tokens.size() || !tokens[open].is("{")) return numbers;
    for (std::size_t i = open + 1; i < tokens.size() && !tokens[i].is("}") && numbers.size() < kMostDimensions; ++i) {
        if (const std::optional<std::int64_t> number = integerOfToken(tokens[i])) {
            numbers.push_back(i > 0 && tokens[i - 1].is("-") ? -*number : *number);
        }
    }
    return numbers;
}

std::optional<DType> dtypeIn(const std::vector<SourceToken>& tokens, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < tokens.size(); ++i) {
        const std::optional<DType> dtype = tokens[i].isIdentifier() ? dtypeOfName(tokens[i].text) : std::nullopt;
        if (dtype) return dtype;
    }
    return std::nullopt;
}

/// End of a short statement.
std::size_t semicolon(const std::vector<SourceToken>& tokens, std::size_t i) {
    const std::size_t limit = std::min(tokens.size(), i + 64);
    while (i < limit && !tokens[i].is(";")) ++i;
    return i;
}

class Reader {
public:
    explicit Reader(std::string_view source) : source_(tokenizeGenerated(source)) {
        readBuildCommands(source, facts_.compileCommand, facts_.linkCommand);
    }

    WrapperFacts run() {
        readTables();
        for (const SourceFunction& function : findFunctions(tokens_, source_.matches)) readFunction(function);
        assembleInputs();
        assembleOutputs();
        return std::move(facts_);
    }

private:
    /// inputs_info_[0].name = "arg2_1"; constants_info_[0].dtype = ...; in_spec_ = R"(...)"; AOTInductorModelBase(1, 1, 1, ...
    void readTables() {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
            const SourceToken& token = tokens_[i];
            if (token.kind == SourceToken::Kind::String && token.text == "\"AOTI_RUNTIME_CHECK_INPUTS\"") facts_.checksSwitched = true;
            if (!token.isIdentifier()) continue;
            if (token.is("AOTInductorModelBase") && tokens_[i + 1].is("(")) {
                readCounts(i + 1);
            } else if ((token.is("in_spec_") || token.is("out_spec_")) && tokens_[i + 1].is("=")) {
                const bool isIn = token.is("in_spec_");
                (isIn ? facts_.inSpecLine : facts_.outSpecLine) = source_.lineOf(i);
                std::size_t k = i + 2;
                (isIn ? facts_.inSpec : facts_.outSpec) = joinedStrings(tokens_, k);
            } else if (tokens_[i + 1].is("[") && i + 6 < tokens_.size() && tokens_[i + 3].is("]") && tokens_[i + 4].is(".") &&
                       tokens_[i + 6].is("=")) {
                const std::optional<std::int64_t> index = integerOfToken(tokens_[i + 2]);
                if (!index || *index < 0 || static_cast<std::size_t>(*index) >= kMostEntries) continue;
                readField(token.text, static_cast<std::size_t>(*index), tokens_[i + 5].text, i + 7);
            }
        }
    }

    void readCounts(std::size_t open) {
        std::vector<int> counts;
        std::size_t i = open + 1;
        while (counts.size() < 3 && i + 1 < tokens_.size() && tokens_[i + 1].is(",")) {
            const std::optional<std::int64_t> number = integerOfToken(tokens_[i]);
            if (!number || *number < 0 || static_cast<std::size_t>(*number) > kMostEntries) return;
            counts.push_back(static_cast<int>(*number));
            i += 2;
        }
        if (counts.size() < 2) return;  // the class's own constructor, not a call with numbers
        facts_.isWrapper = true;
        facts_.countsLine = source_.lineOf(open);
        facts_.inputCount = counts[0];
        facts_.outputCount = counts[1];
        if (counts.size() > 2) facts_.constantCount = counts[2];
    }

    void readField(std::string_view table, std::size_t index, std::string_view field, std::size_t value) {
        const auto text = [&] {
            std::size_t k = value;
            return joinedStrings(tokens_, k);
        };
        if (table == "inputs_info_" && field == "name") {
            if (facts_.inputs.size() <= index) facts_.inputs.resize(index + 1);
            facts_.inputs[index].name = text();
            facts_.inputs[index].nameLine = source_.lineOf(value);
            facts_.isWrapper = true;
        } else if (table == "outputs_info_" && field == "name") {
            if (facts_.outputs.size() <= index) facts_.outputs.resize(index + 1);
            facts_.outputs[index].name = text();
            facts_.outputs[index].nameLine = source_.lineOf(value);
        } else if (table == "constants_info_") {
            if (facts_.constants.size() <= index) facts_.constants.resize(index + 1);
            readConstant(facts_.constants[index], field, value, text());
        }
    }

    void readConstant(CompiledConstant& constant, std::string_view field, std::size_t value, std::string text) const {
        const auto number = [&]() -> std::uint64_t {
            const std::optional<std::int64_t> found = value < tokens_.size() ? integerOfToken(tokens_[value]) : std::nullopt;
            return found && *found >= 0 ? static_cast<std::uint64_t>(*found) : 0;
        };
        if (field == "name") {
            constant.name = std::move(text);
            constant.line = source_.lineOf(value);
        } else if (field == "original_fqn") {
            constant.fqn = std::move(text);
        } else if (field == "dtype") {
            if (const std::optional<DType> dtype = dtypeIn(tokens_, value, semicolon(tokens_, value)))
                constant.dtype = {*dtype, Origin::WrapperSource, source_.lineOf(value)};
        } else if (field == "offset") {
            constant.offset = number();
        } else if (field == "data_size") {
            constant.dataSize = number();
        } else if (field == "from_folded") {
            constant.fromFolded = value < tokens_.size() && tokens_[value].is("true");
        } else if (field == "shape") {
            constant.shape = integerList(tokens_, value);
        } else if (field == "stride") {
            constant.stride = integerList(tokens_, value);
        } else if (field == "type") {
            const std::size_t end = semicolon(tokens_, value);
            for (std::size_t i = value; i + 2 < end; ++i) {
                if (tokens_[i].is("ConstantType") && tokens_[i + 1].is("::")) constant.kind = std::string(tokens_[i + 2].text);
            }
        }
    }

    void readFunction(const SourceFunction& function) {
        bool isRunImpl = false;
        bool takesHandles = false;
        for (std::size_t i = function.headerBegin; i + 1 < function.bodyBegin; ++i) {
            if (tokens_[i].is("run_impl") && tokens_[i + 1].is("(")) isRunImpl = true;
            if (tokens_[i].is("AtenTensorHandle")) takesHandles = true;
        }
        if (!takesHandles) return;
        BodyEvidence body = followBody(source_, function);
        for (auto& [index, found] : body.inputs) merge(inputs_[index], std::move(found));
        facts_.asserts.insert(facts_.asserts.end(), body.asserts.begin(), body.asserts.end());
        if (!isRunImpl) return;
        facts_.foundRunImpl = true;
        facts_.kernels.insert(facts_.kernels.end(), body.kernels.begin(), body.kernels.end());
        for (auto& [index, found] : body.outputs) outputs_[index] = std::move(found);
    }

    static void merge(InputEvidence& into, InputEvidence&& from) {
        if (from.testedDtype) into.testedDtype = from.testedDtype;
        if (from.reinterpretedAs) into.reinterpretedAs = from.reinterpretedAs;
        if (from.deviceType) into.deviceType = from.deviceType;
        into.fixedSizes.merge(from.fixedSizes);
        into.minimumSizes.merge(from.minimumSizes);
        into.maximumSizes.merge(from.maximumSizes);
        into.fixedStrides.merge(from.fixedStrides);
        into.sizeSymbols.merge(from.sizeSymbols);
        into.strideSymbols.merge(from.strideSymbols);
        into.symbolLines.merge(from.symbolLines);
        into.checks.insert(into.checks.end(), from.checks.begin(), from.checks.end());
        if (from.assertedSizes) {
            into.assertedSizes = std::move(from.assertedSizes);
            into.assertedStrides = std::move(from.assertedStrides);
        }
        if (into.variable.empty()) into.variable = from.variable;
    }

    /// Whether the generator tested lower bounds, as it does unless told not to (check_lowerbound, 2.10). Where it did not, a symbolic size may have
    /// left no trace at all. A source without any symbolic size shows nothing and needs nothing.
    bool everySizeLeavesATrace() const {
        bool anySymbolic = false;
        for (const auto& [index, evidence] : inputs_) {
            if (!evidence.minimumSizes.empty()) return true;
            anySymbolic = anySymbolic || !evidence.maximumSizes.empty() || !evidence.sizeSymbols.empty() || !evidence.strideSymbols.empty();
        }
        return !anySymbolic;
    }

    /// The rank when it is not stated: every dimension leaves a trace (a tested size, a bound, a tested stride or a bound symbol), so the highest
    /// one is the last; a gap means that this does not hold here.
    static std::optional<std::size_t> inferredRank(const InputEvidence& evidence) {
        std::set<std::size_t> traces;
        for (const auto& [dimension, number] : evidence.fixedSizes) traces.insert(dimension);
        for (const auto& [dimension, number] : evidence.minimumSizes) traces.insert(dimension);
        for (const auto& [dimension, number] : evidence.maximumSizes) traces.insert(dimension);
        for (const auto& [dimension, number] : evidence.fixedStrides) traces.insert(dimension);
        for (const auto& [dimension, symbol] : evidence.sizeSymbols) traces.insert(dimension);
        if (!evidence.tested()) return std::nullopt;
        if (traces.empty()) return 0;
        return *traces.rbegin() + 1 == traces.size() ? std::optional(traces.size()) : std::nullopt;
    }

    void assembleInputs() {
        const std::size_t count = facts_.inputCount ? static_cast<std::size_t>(*facts_.inputCount) : facts_.inputs.size();
        facts_.inputs.resize(count);
        const bool traced = everySizeLeavesATrace();
        for (std::size_t i = 0; i < count; ++i) {
            const auto found = inputs_.find(i);
            if (found == inputs_.end()) continue;
            const InputEvidence& evidence = found->second;
            CompiledInput& input = facts_.inputs[i];
            input.checkedAtRuntime = evidence.tested();
            input.assertedAtRuntime = evidence.assertedSizes.has_value();
            facts_.checksCompiledIn = facts_.checksCompiledIn || input.checkedAtRuntime;
            if (evidence.testedDtype) {
                input.dtype = {*evidence.testedDtype, Origin::WrapperSource, lineOf(evidence, {RuntimeCheck::What::DType})};
            } else if (evidence.reinterpretedAs) {
                input.dtype = {*evidence.reinterpretedAs, Origin::Inferred};
            }
            if (evidence.deviceType) {
                if (const char* device = deviceTypeName(*evidence.deviceType))
                    input.device = {device, Origin::WrapperSource, lineOf(evidence, {RuntimeCheck::What::Device})};
            }
            assembleSizes(input, evidence, traced);
            facts_.checks.insert(facts_.checks.end(), evidence.checks.begin(), evidence.checks.end());
        }
    }

    /// Of the first check of one of these kinds; 0 where there is none.
    static std::uint32_t lineOf(const InputEvidence& evidence, std::initializer_list<RuntimeCheck::What> kinds) {
        for (const RuntimeCheck& check : evidence.checks) {
            if (std::find(kinds.begin(), kinds.end(), check.what) != kinds.end()) return check.line;
        }
        return 0;
    }

    static void assembleSizes(CompiledInput& input, const InputEvidence& evidence, bool traced) {
        using What = RuntimeCheck::What;
        std::optional<std::size_t> rank;
        Origin origin = Origin::WrapperSource;
        if (evidence.assertedSizes) {
            rank = evidence.assertedSizes->size();
        } else {
            if (traced) rank = inferredRank(evidence);
            origin = Origin::Inferred;
        }
        if (!rank) return;
        input.sizes.origin = origin;
        const std::uint32_t asserted = lineOf(evidence, {What::Layout});
        input.sizes.line = asserted != 0 ? asserted : lineOf(evidence, {What::Size, What::Minimum, What::Maximum});
        input.sizes.value.resize(*rank);
        std::vector<std::optional<std::int64_t>> strides(*rank);
        std::vector<std::string> strideTexts(*rank);
        input.strideTested.assign(*rank, false);
        bool anyStride = evidence.assertedStrides.has_value();
        for (std::size_t d = 0; d < *rank; ++d) {
            CompiledDim& dim = input.sizes.value[d];
            if (evidence.assertedSizes) {
                const std::string& text = (*evidence.assertedSizes)[d];
                dim.fixed = integerOfText(text);
                if (!dim.fixed) dim.symbol = text;
            }
            const auto fixed = evidence.fixedSizes.find(d);
            if (fixed != evidence.fixedSizes.end()) {
                dim.fixed = fixed->second;
                dim.tested = true;
            }
            const auto symbol = evidence.sizeSymbols.find(d);
            const auto symbolLine = evidence.symbolLines.find(d);
            if (symbolLine != evidence.symbolLines.end()) dim.symbolLine = symbolLine->second;
            if (!dim.fixed && dim.symbol.empty() && symbol != evidence.sizeSymbols.end()) dim.symbol = symbol->second;
            const auto minimum = evidence.minimumSizes.find(d);
            if (minimum != evidence.minimumSizes.end()) dim.minimum = minimum->second;
            const auto maximum = evidence.maximumSizes.find(d);
            if (maximum != evidence.maximumSizes.end()) dim.maximum = maximum->second;
            dim.tested = dim.tested || dim.minimum || dim.maximum;
            if (evidence.assertedStrides) {
                strideTexts[d] = (*evidence.assertedStrides)[d];
                strides[d] = integerOfText(strideTexts[d]);
            }
            const auto stride = evidence.fixedStrides.find(d);
            if (stride != evidence.fixedStrides.end()) {
                strides[d] = stride->second;
                strideTexts[d] = std::to_string(stride->second);
                input.strideTested[d] = true;
                anyStride = true;
            }
        }
        if (!anyStride && *rank > 0) return;
        const std::uint32_t strideLine = asserted != 0 ? asserted : lineOf(evidence, {What::Stride});
        input.strides = {std::move(strides), Origin::WrapperSource, strideLine};
        input.strideTexts = {std::move(strideTexts), Origin::WrapperSource, strideLine};
    }

    void assembleOutputs() {
        const std::size_t count = facts_.outputCount ? static_cast<std::size_t>(*facts_.outputCount) : facts_.outputs.size();
        facts_.outputs.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto found = outputs_.find(i);
            if (found == outputs_.end()) continue;
            const BufferEvidence& buffer = found->second;
            CompiledOutput& output = facts_.outputs[i];
            if (buffer.dtype) output.dtype = {*buffer.dtype, buffer.dtypeIsInferred ? Origin::Inferred : Origin::WrapperSource, buffer.line};
            if (buffer.sizes) output.sizes = {*buffer.sizes, Origin::WrapperSource, buffer.line};
            if (buffer.strides) output.strides = {*buffer.strides, Origin::WrapperSource, buffer.line};
            if (buffer.input && *buffer.input < facts_.inputs.size()) handThrough(output, facts_.inputs[*buffer.input]);
        }
    }

    /// An output that is an input as it came.
    static void handThrough(CompiledOutput& output, const CompiledInput& input) {
        if (!output.dtype.known()) output.dtype = input.dtype;
        if (!output.sizes.known() && input.sizes.known()) {
            for (const CompiledDim& dim : input.sizes.value) output.sizes.value.push_back(dim.fixed ? std::to_string(*dim.fixed) : dim.symbol);
            const auto& texts = output.sizes.value;
            if (std::none_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); })) {
                output.sizes.origin = input.sizes.origin;
                output.sizes.line = input.sizes.line;
            } else {
                output.sizes.value.clear();
            }
        }
        if (!output.strides.known() && input.strideTexts.known()) output.strides = input.strideTexts;
    }

    TokenizedSource source_;
    const std::vector<SourceToken>& tokens_ = source_.tokens;
    WrapperFacts facts_;
    std::map<std::size_t, InputEvidence> inputs_;
    std::map<std::size_t, BufferEvidence> outputs_;
};

/// The comment lines that follow a heading comment, without their slashes.
std::string commandAfter(std::string_view source, std::string_view heading) {
    const std::size_t at = source.rfind(heading);
    if (at == std::string_view::npos) return {};
    std::string command;
    std::size_t begin = source.find('\n', at);
    while (begin != std::string_view::npos && source.substr(begin + 1, 2) == "//") {
        const std::size_t end = source.find('\n', begin + 1);
        std::string_view line = source.substr(begin + 3, end == std::string_view::npos ? end : end - begin - 3);
        if (line.substr(0, 9) == " Link cmd" || line.substr(0, 12) == " Compile cmd") break;
        while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
        if (!command.empty() && !line.empty()) command.push_back(' ');
        command += line;
        begin = end;
    }
    return command;
}

}  // namespace

void readBuildCommands(std::string_view source, std::string& compileCommand, std::string& linkCommand) {
    compileCommand = commandAfter(source, "// Compile cmd");
    linkCommand = commandAfter(source, "// Link cmd");
}

WrapperFacts readWrapperSource(std::string_view source) { return Reader(source).run(); }

}  // namespace pt2

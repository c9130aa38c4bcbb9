#include "core/compiled/kernel_calls.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/compiled/generated_names.h"
#include "core/compiled/kernel_operators.h"
#include "core/compiled/run_impl.h"
#include "core/compiled/source_tokens.h"
#include "core/program/operator_family.h"

namespace pt2 {
namespace {

constexpr std::size_t kLooksPerToken = 64, kLooksAtLeast = 1U << 18;

/// Offsets of a text's lines.
class LineIndex {
public:
    explicit LineIndex(std::string_view text) : text_(text) {
        starts_.push_back(0);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\n') starts_.push_back(i + 1);
        }
    }
    std::size_t offsetOf(const SourceToken& token) const { return static_cast<std::size_t>(token.text.data() - text_.data()); }
    std::uint32_t lineAt(std::size_t offset) const {
        return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
    }
    std::uint32_t lineOf(const SourceToken& token) const { return lineAt(offsetOf(token)); }
    std::size_t count() const { return starts_.size(); }
    std::string_view line(std::size_t index) const {
        const std::size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
        return text_.substr(starts_[index], end - starts_[index]);
    }

private:
    std::string_view text_;
    std::vector<std::size_t> starts_;
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

/// "a, b" of "...HEADING[a, b]..."; empty when the heading is not there.
std::vector<std::string> listAfter(std::string_view line, std::string_view heading) {
    std::vector<std::string> items;
    const std::size_t at = line.find(heading);
    if (at == std::string_view::npos) return items;
    const std::size_t begin = at + heading.size();
    const std::size_t end = line.find(']', begin);
    std::string_view rest = line.substr(begin, end == std::string_view::npos ? end : end - begin);
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = trimmed(rest.substr(0, comma));
        if (!item.empty()) items.emplace_back(item);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return items;
}

/// What stands in the comments since the call before: they belong to the next call.
struct PendingComment {
    std::vector<std::string> sourceNodes, aten;
    std::string handle;
};

class Lister {
public:
    Lister(std::string_view wrapper, MemberIndex member, const std::vector<std::string>& proxyOperators)
        : source_(tokenizeGenerated(wrapper)), lines_(wrapper), member_(member), proxyOperators_(proxyOperators) {}

    KernelListing run() {
        for (const SourceFunction& function : findFunctions(source_.tokens, source_.matches)) {
            if (isRunImpl(function)) readBody(function);
        }
        return std::move(listing_);
    }

private:
    const std::vector<SourceToken>& tokens() const { return source_.tokens; }
    const SourceToken& token(std::size_t i) const {
        static const SourceToken kEnd;
        return i < end_ ? source_.tokens[i] : kEnd;
    }
    bool is(std::size_t i, std::string_view text) const { return token(i).is(text); }
    std::string text(std::size_t i) const { return std::string(token(i).text); }
    std::size_t closing(std::size_t open) const { return std::min<std::size_t>(source_.matches[open], end_); }

    bool isRunImpl(const SourceFunction& function) const {
        bool named = false, takesHandles = false;
        for (std::size_t i = function.headerBegin; i + 1 < function.bodyBegin; ++i) {
            named = named || (tokens()[i].is("run_impl") && tokens()[i + 1].is("("));
            takesHandles = takesHandles || tokens()[i].is("AtenTensorHandle");
        }
        return named && takesHandles;
    }

    void readBody(const SourceFunction& function) {
        begin_ = function.bodyBegin;
        end_ = function.bodyEnd;
        evidence_ = followBody(source_, function);
        nameHandles();
        std::size_t comment = begin_ < end_ ? lines_.lineOf(token(begin_)) : 0;
        budget_ = (end_ - begin_) * kLooksPerToken + kLooksAtLeast;
        for (std::size_t i = begin_; i < end_ && budget_ > 0; ++i) {
            if (!token(i).isIdentifier()) continue;
            if (is(i + 1, "=")) {
                assignment(i);
            } else if (is(i, "RAIIAtenTensorHandle") && token(i + 1).isIdentifier() && is(i + 2, "(")) {
                const auto view = views_.find(text(i + 3));
                if (view != views_.end()) views_[text(i + 1)] = std::vector<std::string>(view->second);
                if (views_.count(text(i + 1)) == 0) declare(text(i + 1), {});
            } else if (is(i, "aoti_torch__reinterpret_tensor") && is(i + 1, "(")) {
                viewByHandle(i + 1);
            } else if (is(i + 1, "(") && (source_.kernelNames.count(token(i).text) != 0 || isKernelCall(token(i).text))) {
                const std::uint32_t line = lines_.lineOf(token(i));
                for (; comment < line; ++comment) takeComment(trimmed(lines_.line(comment - 1)));
                call(i);
            } else if (is(i + 1, "[") && is(i + 3, "]") && is(i + 4, "=")) {
                output(i);
            }
        }
    }

    /// RAIIAtenTensorHandle buf0(buf0_handle);
    void nameHandles() {
        handles_.clear();
        uninitialised_.clear();
        std::set<std::string_view> fresh;
        for (std::size_t i = begin_; i < end_; ++i) {
            if (is(i, "aoti_torch_new_uninitialized_tensor") && is(i + 1, "(") && is(i + 2, "&")) fresh.insert(token(i + 3).text);
            if (!is(i, "RAIIAtenTensorHandle") || !token(i + 1).isIdentifier() || !is(i + 2, "(") || !token(i + 3).isIdentifier()) continue;
            handles_[text(i + 3)] = text(i + 1);
            if (fresh.count(token(i + 3).text) != 0) uninitialised_.insert(text(i + 1));
        }
    }

    void takeComment(std::string_view line) {
        if (!line.starts_with("//")) return;
        if (line.find("Source Nodes: [") != std::string_view::npos) {
            pending_.sourceNodes = listAfter(line, "Source Nodes: [");
            pending_.aten = listAfter(line, "Original ATen: [");
        } else if (const std::size_t at = line.find("[Provenance debug handles]"); at != std::string_view::npos) {
            pending_.handle = std::string(trimmed(line.substr(at + 26)));
        }
    }

    KernelBuffer& declare(const std::string& name, const std::string& reuses) {
        const auto found = bufferIndex_.find(name);
        if (found != bufferIndex_.end()) return listing_.buffers[found->second];
        KernelBuffer buffer;
        buffer.name = name;
        buffer.reuses = reuses;
        const auto evidence = evidence_.buffers.find(name);
        if (evidence != evidence_.buffers.end()) {
            if (evidence->second.dtype) buffer.dtype = *evidence->second.dtype;
            if (evidence->second.sizes) buffer.sizes = *evidence->second.sizes;
            if (evidence->second.strides) buffer.strides = *evidence->second.strides;
        }
        bufferIndex_[name] = listing_.buffers.size();
        listing_.buffers.push_back(std::move(buffer));
        return listing_.buffers.back();
    }

    bool isKnown(const std::string& name) const {
        return bufferIndex_.count(name) != 0 || listing_.inputs.count(name) != 0 || listing_.constants.count(name) != 0 || views_.count(name) != 0;
    }

    /// The buffers, inputs and constants that a name stands for.
    void resolve(const std::string& name, std::vector<std::string>& into) const {
        const auto view = views_.find(name);
        if (view != views_.end()) {
            spend(view->second.size() * (into.size() + 1));
            for (const std::string& base : view->second) add(into, base);
        } else if (isKnown(name)) {
            add(into, name);
        }
    }
    static void add(std::vector<std::string>& into, const std::string& name) {
        if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(name);
    }

    void spend(std::size_t looks) const { budget_ -= std::min(budget_, looks); }

    std::size_t statementEnd(std::size_t i) const {
        const std::size_t from = i;
        while (i < end_ && !is(i, ";")) {
            i = is(i, "(") || is(i, "[") || is(i, "{") ? closing(i) : i;
            ++i;
        }
        spend(i - from);
        return std::min(i, end_);
    }

    void assignment(std::size_t i) {
        const std::string target = text(i);
        const std::size_t from = i + 2, end = statementEnd(from);
        const auto input = evidence_.buffers.find(target);
        if (is(from, "std") && is(from + 2, "move")) {
            if (input != evidence_.buffers.end() && input->second.input && !isKnown(text(from + 4))) {
                listing_.inputs[target] = *input->second.input;
            } else if (bufferIndex_.count(text(from + 4)) != 0) {
                declare(target, text(from + 4));
            } else {
                std::vector<std::string> bases;
                resolve(text(from + 4), bases);
                if (!bases.empty()) views_[target] = std::move(bases);
            }
            return;
        }
        if (is(from, "constants_") && is(from + 1, "->") && is(from + 2, "at") && is(from + 3, "(")) {
            const auto index = integerOfToken(token(from + 4));
            if (index && *index >= 0) listing_.constants[target] = static_cast<std::size_t>(*index);
            return;
        }
        if (is(from + 1, ".") || is(from + 1, "[")) return;  // sizes, strides and their elements
        std::vector<std::string> bases;
        for (std::size_t k = from; k < end; ++k) {
            if (token(k).isIdentifier()) resolve(text(k), bases);
        }
        if (bases.empty()) return;
        // auto buf10 = ...reinterpret_tensor_wrapper(buf4, ...); buf4.reset();  // reuse
        const bool takesOver =
            bases.size() == 1 && bufferIndex_.count(bases[0]) != 0 && is(end + 1, bases[0]) && is(end + 2, ".") && is(end + 3, "reset");
        if (takesOver) {
            declare(target, bases[0]);
        } else {
            views_[target] = std::move(bases);
        }
    }

    /// aoti_torch__reinterpret_tensor(weight, ..., &tmp_tensor_handle_0), and later RAIIAtenTensorHandle tmp_raii(tmp_tensor_handle_0)
    void viewByHandle(std::size_t open) {
        const std::vector<Span> parts = arguments(open);
        if (parts.size() < 2 || !is(parts.back().begin, "&")) return;
        const auto name = handles_.find(text(parts.back().begin + 1));
        std::vector<std::string> bases;
        resolve(text(parts.front().begin), bases);
        if (name != handles_.end() && !bases.empty()) views_[name->second] = std::move(bases);
    }

    void output(std::size_t i) {
        const auto index = integerOfToken(token(i + 2));
        if (!index || *index < 0) return;
        std::vector<std::string> names;
        const std::size_t end = statementEnd(i + 5);
        for (std::size_t k = i + 5; k < end; ++k) {
            if (token(k).isIdentifier()) resolve(text(k), names);
        }
        for (const std::string& name : names) {
            const auto found = bufferIndex_.find(name);
            if (found != bufferIndex_.end()) listing_.buffers[found->second].outputs.push_back(static_cast<std::size_t>(*index));
        }
    }

    struct Span {
        std::size_t begin = 0, end = 0;
    };
    std::vector<Span> arguments(std::size_t open) const {
        std::vector<Span> parts;
        const std::size_t close = closing(open);
        spend(close > open ? close - open : 0);
        std::size_t begin = open + 1;
        for (std::size_t i = open + 1; i <= close && i < end_; ++i) {
            if (i == close || is(i, ",")) {
                if (i > begin) parts.push_back({begin, i});
                begin = i + 1;
            } else if (is(i, "(") || is(i, "[") || is(i, "{")) {
                i = std::min(closing(i), close - 1);
            }
        }
        return parts;
    }

    void call(std::size_t i) {
        KernelCall made;
        made.name = text(i);
        made.kind = made.name.starts_with("call_") || made.name == "launchKernel" ? KernelCall::Kind::Gpu
                    : made.name.starts_with("aoti_torch_")                        ? KernelCall::Kind::Extern
                                                                                  : KernelCall::Kind::Fused;
        const std::vector<Span> parts = arguments(i + 1);
        if (made.name == "aoti_torch_proxy_executor_call_function") {
            made.kind = KernelCall::Kind::Proxy;
            const auto index = parts.size() > 1 ? integerOfToken(token(parts[1].begin)) : std::nullopt;
            if (index && *index >= 0 && static_cast<std::size_t>(*index) < proxyOperators_.size()) {
                made.name = proxyOperators_[static_cast<std::size_t>(*index)];
            }
        }
        made.call = {member_, lines_.lineOf(token(i)), lines_.lineOf(token(std::min(closing(i + 1), end_ - 1)))};
        made.sourceNodes = std::move(pending_.sourceNodes);
        made.aten = std::move(pending_.aten);
        made.handle = std::move(pending_.handle);
        pending_ = {};
        for (std::size_t k = 0; k < parts.size(); ++k) argument(made, parts[k], k);
        const std::size_t index = listing_.calls.size();
        for (const auto* names : {&made.reads, &made.writes}) {
            for (const std::string& name : *names) {
                const auto found = bufferIndex_.find(name);
                if (found == bufferIndex_.end()) continue;
                KernelBuffer& buffer = listing_.buffers[found->second];
                if (!buffer.firstCall) buffer.firstCall = index;
                buffer.lastCall = index;
            }
        }
        listing_.calls.push_back(std::move(made));
    }

    void argument(KernelCall& made, Span span, std::size_t position) {
        const bool isPointer =
            std::any_of(tokens().begin() + static_cast<std::ptrdiff_t>(span.begin), tokens().begin() + static_cast<std::ptrdiff_t>(span.end),
                        [](const SourceToken& t) { return t.is("data_ptr"); });
        bool isConst = false;
        for (std::size_t i = span.begin; i < span.end; ++i) {
            if (is(i, "const")) isConst = true;
            if (!token(i).isIdentifier()) continue;
            const bool address = i > span.begin && is(i - 1, "&");
            const auto handle = handles_.find(text(i));
            if (address && handle != handles_.end()) {
                declare(handle->second, {});
                add(made.writes, handle->second);
                continue;
            }
            std::vector<std::string> names;
            resolve(text(i), names);
            for (const std::string& name : names) {
                if (made.kind == KernelCall::Kind::Fused && isPointer) {
                    add(isConst ? made.reads : made.writes, name);
                    if (!isConst && inPlace(made.name, position) && holdsSomething(name)) add(made.reads, name);
                } else if (made.kind == KernelCall::Kind::Extern) {
                    const bool target = position == 0 && (made.name.ends_with("_out") || made.name.ends_with("_"));
                    add(target ? made.writes : made.reads, name);
                    if (target && made.name.ends_with("_")) add(made.reads, name);
                } else if (made.kind == KernelCall::Kind::Proxy && uninitialised_.erase(name) != 0) {
                    add(made.writes, name);
                } else if (made.kind == KernelCall::Kind::Gpu) {
                    const bool first = written_.count(name) == 0 && bufferIndex_.count(name) != 0;
                    add(first ? made.writes : made.reads, name);
                } else {
                    add(made.reads, name);
                }
            }
        }
        for (const std::string& name : made.writes) written_.insert(name);
    }

    /// Whether a call before wrote to it, or to the buffer whose memory it takes over. A reduction works in place in memory that is still empty.
    bool holdsSomething(const std::string& name) const {
        std::string at = name;
        for (std::size_t step = 0; step <= listing_.buffers.size(); ++step) {
            spend(1);
            if (budget_ == 0 || written_.count(at) != 0) return true;
            const auto buffer = bufferIndex_.find(at);
            if (buffer == bufferIndex_.end()) return true;  // an input or a constant
            at = listing_.buffers[buffer->second].reuses;
            if (at.empty()) return false;
        }
        return false;
    }

    bool inPlace(const std::string& function, std::size_t position) const {
        const auto found = parameterNames.find(function);
        return found != parameterNames.end() && position < found->second.size() && found->second[position].starts_with("in_out");
    }

public:
    std::map<std::string, std::vector<std::string>, std::less<>> parameterNames;  ///< of generated functions
private:
    TokenizedSource source_;
    LineIndex lines_;
    MemberIndex member_;
    const std::vector<std::string>& proxyOperators_;
    std::size_t begin_ = 0, end_ = 0;
    mutable std::size_t budget_ = 0;  // looks that are left: statements may be long, but not all of them
    BodyEvidence evidence_;
    KernelListing listing_;
    PendingComment pending_;
    std::map<std::string, std::string> handles_;
    std::set<std::string> uninitialised_, written_;
    std::map<std::string, std::size_t> bufferIndex_;
    std::map<std::string, std::vector<std::string>> views_;
};

/// Generated functions of a source with a body: their lines and the names of their parameters.
struct Definitions {
    std::map<std::string, SourceLines, std::less<>> lines;
    std::map<std::string, std::vector<std::string>, std::less<>> parameters;
};

void readDefinitions(std::string_view text, MemberIndex member, Definitions& into) {
    const TokenizedSource source = tokenizeGenerated(text);
    const LineIndex lines(text);
    const auto& tokens = source.tokens;
    for (const SourceFunction& function : findFunctions(tokens, source.matches)) {
        const std::size_t named = functionNameToken(tokens, function);
        if (named >= tokens.size()) continue;
        const std::size_t open = named + 1;
        const std::string_view name = tokens[named].text;
        if (source.kernelNames.count(name) == 0 && !isKernelCall(name)) continue;
        if (into.lines.count(name) != 0) continue;  // the first source that defines it counts
        std::vector<std::string> parameters;
        const std::size_t close = std::min<std::size_t>(source.matches[open], function.bodyBegin);
        for (std::size_t i = open + 1; i <= close && i < tokens.size(); ++i) {
            if ((tokens[i].is(",") || i == close) && tokens[i - 1].isIdentifier()) parameters.emplace_back(tokens[i - 1].text);
        }
        into.lines[std::string(name)] = {member, lines.lineOf(tokens[function.headerBegin]),
                                         lines.lineOf(tokens[std::min(function.bodyEnd, tokens.size() - 1)])};
        into.parameters[std::string(name)] = std::move(parameters);
    }
}

}  // namespace

const char* kernelKindName(KernelCall::Kind kind) {
    switch (kind) {
        case KernelCall::Kind::Fused: return "fused";
        case KernelCall::Kind::Extern: return "extern";
        case KernelCall::Kind::Proxy: return "proxy";
        case KernelCall::Kind::Gpu: return "gpu";
    }
    return "fused";
}

KernelListing listKernels(const SourceText& wrapper, const std::vector<SourceText>& kernels, const std::vector<std::string>& proxyOperators) {
    Definitions definitions;
    readDefinitions(wrapper.text, wrapper.member, definitions);
    for (const SourceText& source : kernels) readDefinitions(source.text, source.member, definitions);
    Lister lister(wrapper.text, wrapper.member, proxyOperators);
    lister.parameterNames = std::move(definitions.parameters);
    KernelListing listing = lister.run();
    for (KernelCall& call : listing.calls) {
        const auto found = definitions.lines.find(call.name);
        if (found != definitions.lines.end()) call.definition = found->second;
        if (!call.aten.empty() || call.kind == KernelCall::Kind::Proxy) continue;
        for (const std::string& name : operatorsOfKernel(call)) {
            if (isOperatorName(name)) call.aten.push_back("aten." + name);
        }
    }
    return listing;
}

}  // namespace pt2

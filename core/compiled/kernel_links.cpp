#include "core/compiled/kernel_links.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/compiled/kernel_operators.h"
#include "core/program/operator_family.h"

namespace pt2 {
namespace {

/// Of buffers that take over each other's memory without a write in between.
constexpr int kLongestReuse = 256;

/// How many elements, up to the order of factors: "5*s77" and 32 give "160*s77".
std::string elementCount(const std::vector<std::string>& sizes) {
    std::uint64_t number = 1;
    std::vector<std::string> symbols;
    for (const std::string& size : sizes) {
        std::size_t begin = 0;
        const bool product = size.find_first_of("+-/(), ") == std::string::npos;
        while (begin <= size.size()) {
            const std::size_t end = product ? std::min(size.find('*', begin), size.size()) : size.size();
            const std::string factor = size.substr(begin, end - begin);
            const bool digits =
                !factor.empty() && factor.size() < 19 && std::all_of(factor.begin(), factor.end(), [](char c) { return c >= '0' && c <= '9'; });
            if (digits) {
                number *= std::stoull(factor);  // a product that wraps only fails to fit
            } else if (!factor.empty()) {
                symbols.push_back(factor);
            }
            begin = end + 1;
        }
    }
    std::sort(symbols.begin(), symbols.end());
    std::string text = std::to_string(number);
    for (const std::string& symbol : symbols) text += "*" + symbol;
    return text;
}

class Linker {
public:
    Linker(const KernelListing& listing, const CompiledModel& model, const Program& program, bool useProvenance)
        : listing_(listing), model_(model), program_(program), useProvenance_(useProvenance), links_(listing.calls.size()) {}

    std::vector<std::vector<KernelLink>> run() {
        nameNodes();
        findPlaces();
        placeInputs();
        for (std::size_t i = 0; i < listing_.buffers.size(); ++i) buffers_[listing_.buffers[i].name] = i;
        for (std::size_t i = 0; i < listing_.calls.size(); ++i) link(i);
        return std::move(links_);
    }

private:
    using Nodes = std::vector<NodeId>;

    std::string_view operatorOf(NodeId node) const { return splitOperatorName(program_.node(node).target).name; }

    void nameNodes() {
        for (NodeId node = 0; node < program_.nodes().size(); ++node) byName_[program_.displayName(node)].push_back(node);
        const Graph& root = program_.rootGraph();
        for (NodeId node = root.nodes.begin; node < root.nodes.end; ++node) {
            bool fromNothing = true;
            program_.forEachInputValue(program_.node(node), [&](ValueId value) {
                const Value& read = program_.value(value);
                if (read.kind == ValueKind::Tensor) fromNothing = fromNothing && read.producer != kNone && madeOfNothing_.count(read.producer) != 0;
            });
            if (!fromNothing) continue;
            madeOfNothing_.insert(node);
            for (const std::string_view name : namesInKernels(operatorOf(node))) madeByOperator_[name].push_back(node);
        }
    }
    /// The node of that name: the root graph's, else the only one of a subgraph.
    NodeId nodeNamed(std::string_view name) const {
        if (const auto root = program_.findNode(0, name)) return *root;
        const auto found = byName_.find(name);
        return found != byName_.end() && found->second.size() == 1 ? found->second.front() : kNone;
    }

    /// The value whose memory another only shapes.
    void findPlaces() {
        place_.resize(program_.values().size());
        for (ValueId value = 0; value < place_.size(); ++value) place_[value] = value;
        const Graph& root = program_.rootGraph();
        for (NodeId node = root.nodes.begin; node < root.nodes.end; ++node) {
            if (!onlyShapesMemory(operatorOf(node))) continue;
            ValueId source = kNone;
            program_.forEachInputValue(program_.node(node), [&](ValueId value) {
                if (source == kNone && program_.value(value).kind == ValueKind::Tensor) source = value;
            });
            if (source == kNone) continue;
            program_.forEachOutputValue(program_.node(node), [&](ValueId value) { place_[value] = place_[source]; });
        }
        usersOfPlace_.resize(place_.size());
        for (NodeId node = root.nodes.begin; node < root.nodes.end; ++node) {
            program_.forEachInputValue(program_.node(node), [&](ValueId value) {
                Nodes& users = usersOfPlace_[place_[value]];
                if (users.empty() || users.back() != node) users.push_back(node);
            });
        }
    }

    void placeInputs() {
        std::map<std::string_view, ValueId> byFqn;
        std::vector<ValueId> users;
        for (const InputSpec& spec : program_.inputSpecs()) {
            if (spec.argument == kNone || spec.isConstant) continue;
            const ValueId value = program_.argument(spec.argument).value;
            if (value == kNone || program_.value(value).kind != ValueKind::Tensor) continue;
            if (spec.kind == InputKind::UserInput) users.push_back(value);
            if (!spec.target.empty()) byFqn[spec.target] = value;
        }
        for (const auto& [name, index] : listing_.inputs) {
            if (index < users.size()) held_[name] = {users[index]};
        }
        for (const auto& [name, index] : listing_.constants) {
            if (index >= model_.constants.size()) continue;
            const auto found = byFqn.find(model_.constants[index].fqn);
            if (found == byFqn.end()) continue;
            held_[name] = {found->second};
            carried_.insert(found->second);
        }
    }

    const std::set<ValueId>& held(const std::string& name) const {
        static const std::set<ValueId> kNothing;
        // A buffer that takes over another's memory holds, until it is written, what that one held.
        std::string at = name;
        for (int steps = 0; steps < kLongestReuse; ++steps) {
            const auto found = held_.find(at);
            if (found != held_.end()) return found->second;
            const auto buffer = buffers_.find(at);
            if (buffer == buffers_.end() || listing_.buffers[buffer->second].reuses.empty()) break;
            at = listing_.buffers[buffer->second].reuses;
        }
        return kNothing;
    }

    void add(std::size_t call, NodeId node, KernelLink::By by, std::string why) {
        if (node == kNone) return;
        std::vector<KernelLink>& links = links_[call];
        const auto same = std::find_if(links.begin(), links.end(), [node](const KernelLink& link) { return link.node == node; });
        if (same == links.end()) links.push_back({node, by, std::move(why)});
    }

    void link(std::size_t index) {
        const KernelCall& call = listing_.calls[index];
        const std::vector<std::string> operators = operatorsOfKernel(call);
        std::set<ValueId> readable;
        for (const std::string& name : call.reads) {
            const std::set<ValueId>& values = held(name);
            readable.insert(values.begin(), values.end());
        }
        if (useProvenance_) provenance(index, call);
        named(index, call, operators);
        Nodes made = inferred(call, operators, readable);
        if (links_[index].empty()) {
            for (const NodeId node : made) add(index, node, KernelLink::By::Inferred, whyInferred(node));
        }
        if (links_[index].empty()) made = onlyUsersOfConstants(index, call);
        // What was named is surer than what was inferred: it decides what the buffers hold from here on.
        Nodes computed;
        for (const KernelLink& link : links_[index]) computed.push_back(link.node);
        for (const NodeId node : made) computed.push_back(node);
        store(call, computed);
    }

    void provenance(std::size_t index, const KernelCall& call) {
        const auto found = listing_.provenance.find(call.handle);
        if (call.handle.empty() || found == listing_.provenance.end()) return;
        for (const std::string& name : found->second)
            add(index, nodeNamed(name), KernelLink::By::Provenance, "kernel_information.json, " + call.handle);
    }

    /// The comment before a call names its own node and those that only led to its inputs, in the order of the graph: of the nodes that its operator
    /// fits, the last is its own.
    void named(std::size_t index, const KernelCall& call, const std::vector<std::string>& operators) {
        NodeId own = kNone;
        for (const std::string& name : call.sourceNodes) {
            const NodeId node = nodeNamed(name);
            if (node != kNone && fits(node, operators) && (own == kNone || node > own)) own = node;
        }
        add(index, own, KernelLink::By::Named, "named in the source, line " + std::to_string(call.call.first));
    }

    /// Arithmetic on sizes is no kernel's, and a higher-order operator is computed by what is inside of it.
    bool isComputed(NodeId node) const {
        const std::string_view target = program_.node(node).target;
        if (target.substr(0, 10) != "torch.ops." || target.substr(0, 23) == "torch.ops.higher_order.") return false;
        bool tensor = false;
        program_.forEachOutputValue(program_.node(node), [&](ValueId value) { tensor = tensor || program_.value(value).kind == ValueKind::Tensor; });
        return tensor;
    }

    bool fits(NodeId node, const std::vector<std::string>& operators) const {
        if (!isComputed(node)) return false;
        const std::vector<std::string_view> names = namesInKernels(operatorOf(node));
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view name) { return std::find(operators.begin(), operators.end(), name) != operators.end(); });
    }

    /// A weight that one node alone uses tells of that node, whatever it was decomposed into (an LSTM, a GRU).
    Nodes onlyUsersOfConstants(std::size_t index, const KernelCall& call) {
        Nodes found;
        for (const std::string& name : call.reads) {
            if (listing_.constants.count(name) == 0) continue;
            for (const ValueId value : held(name)) {
                const auto users = program_.users(program_.value(value));
                if (users.size() != 1 || onlyShapesMemory(operatorOf(users[0])) || !isComputed(users[0])) continue;
                add(index, users[0], KernelLink::By::Inferred, "it reads " + name + ", which no other node uses");
                found.push_back(users[0]);
            }
        }
        return found;
    }

    std::string whyInferred(NodeId node) const { return "operator " + std::string(operatorOf(node)) + " and the buffers that are read"; }

    /// Nodes whose operator the call names and whose inputs it has: from the buffers it reads, or of nodes found before.
    Nodes inferred(const KernelCall& call, const std::vector<std::string>& operators, const std::set<ValueId>& readable) const {
        Nodes found, shaping;
        std::set<ValueId> inside;
        const bool isExtern = call.kind != KernelCall::Kind::Fused && call.kind != KernelCall::Kind::Gpu;
        // In the order of the graph, from what is read onwards: the work follows the neighbourhood, not the size of the program.
        std::set<NodeId> waiting;
        const auto follow = [&](ValueId place) {
            for (const NodeId node : usersOfPlace_[place]) {
                if (fits(node, operators)) waiting.insert(node);
            }
        };
        for (const ValueId place : readable) follow(place);
        for (const std::string& name : operators) {
            const auto nodes = madeByOperator_.find(name);
            if (nodes != madeByOperator_.end()) waiting.insert(nodes->second.begin(), nodes->second.end());
        }
        while (!waiting.empty()) {
            const NodeId node = *waiting.begin();
            waiting.erase(waiting.begin());
            if (isThere(node, readable) || !hasInputs(node, readable, inside, isExtern)) continue;
            if (onlyShapesMemory(operatorOf(node))) {
                shaping.push_back(node);
                continue;
            }
            found.push_back(node);
            program_.forEachOutputValue(program_.node(node), [&](ValueId value) {
                if (inside.insert(place_[value]).second) follow(place_[value]);
            });
        }
        // One operator of LibTorch computes one node; two that fit are none.
        if (isExtern && found.size() > 1) found.clear();
        if (!isExtern) dropUnused(found);
        // A call that computes nothing moves memory: then those nodes are what it is for.
        const bool onlyMoves = !isExtern && std::all_of(operators.begin(), operators.end(), [](const std::string& name) {
            return onlyShapesMemory(name) || name == "clone" || name == "copy";
        });
        return found.empty() && onlyMoves ? shaping : found;
    }

    /// What is made of nothing fits everywhere; it belongs here only when another of these nodes reads it.
    void dropUnused(Nodes& found) const {
        Nodes kept;
        for (bool changed = true; changed;) {
            std::set<ValueId> read;
            for (const NodeId node : found) {
                program_.forEachInputValue(program_.node(node), [&](ValueId value) { read.insert(place_[value]); });
            }
            kept.clear();
            for (const NodeId node : found) {
                bool used = !madeOfNothing_.count(node);
                program_.forEachOutputValue(program_.node(node), [&](ValueId value) { used = used || read.count(place_[value]) != 0; });
                if (used) kept.push_back(node);
            }
            changed = kept.size() != found.size();
            if (kept.empty()) return;
            found = kept;
        }
    }

    /// All that the node gives is among what the call reads: it was computed before.
    bool isThere(NodeId node, const std::set<ValueId>& readable) const {
        if (onlyShapesMemory(operatorOf(node))) return false;
        bool all = true, any = false;
        program_.forEachOutputValue(program_.node(node), [&](ValueId value) {
            any = true;
            all = all && readable.count(place_[value]) != 0;
        });
        return any && all;
    }

    bool hasInputs(NodeId node, const std::set<ValueId>& readable, const std::set<ValueId>& inside, bool isExtern) const {
        bool all = true, any = false, parameterRead = false, hasParameter = false;
        program_.forEachInputValue(program_.node(node), [&](ValueId value) {
            if (program_.value(value).kind != ValueKind::Tensor) return;
            const ValueId at = place_[value];
            const bool isHere = readable.count(at) != 0 || inside.count(at) != 0;
            const Value& source = program_.value(at);
            const bool isInput = source.producer == kNone;
            if (isInput && carried_.count(at) != 0) {
                hasParameter = true;
                parameterRead = parameterRead || isHere;
                // A bias may have been written into the output beforehand.
                if (!isHere && !isExtern) all = false;
            } else if (isInput && !isHere) {
                // A parameter that the compiled model has no constant for was folded into the code.
                if (isUserInput(at)) all = false;
            } else if (!isHere) {
                all = false;
            }
            any = any || isHere;
        });
        if (hasParameter && isExtern && !parameterRead) return false;
        return all && (any || madeOfNothing_.count(node) != 0);
    }

    bool isUserInput(ValueId value) const {
        const auto& specs = program_.inputSpecs();
        const std::uint32_t index = program_.value(value).inputIndex;
        return index < specs.size() && specs[index].kind == InputKind::UserInput;
    }
    /// The buffers that a call writes hold what leaves the nodes it computes, as far as the sizes fit.
    void store(const KernelCall& call, const Nodes& computed) {
        std::set<NodeId> inside(computed.begin(), computed.end());
        std::vector<ValueId> leaving;
        for (const NodeId node : inside) {
            program_.forEachOutputValue(program_.node(node), [&](ValueId value) {
                if (program_.value(value).kind == ValueKind::Tensor) leaving.push_back(place_[value]);
            });
        }
        for (const std::string& name : call.writes) {
            std::set<ValueId> values;
            const auto buffer = buffers_.find(name);
            const std::vector<std::string>* sizes = buffer == buffers_.end() ? nullptr : &listing_.buffers[buffer->second].sizes;
            for (const ValueId value : leaving) {
                if (sizes == nullptr || sizes->empty() || elementCount(*sizes) == elementCount(program_.sizesText(program_.value(value))))
                    values.insert(value);
            }
            held_[name] = std::move(values);
        }
    }

    const KernelListing& listing_;
    const CompiledModel& model_;
    const Program& program_;
    bool useProvenance_;
    std::vector<std::vector<KernelLink>> links_;
    std::map<std::string_view, Nodes> byName_;          // every graph's
    std::map<std::string_view, Nodes> madeByOperator_;  // of madeOfNothing_, by names in kernels
    std::vector<Nodes> usersOfPlace_;                   // the root graph's, by the value whose memory they read
    std::set<NodeId> madeOfNothing_;                    // arange, full, and what is computed of only such
    std::vector<ValueId> place_;
    std::map<std::string, std::set<ValueId>, std::less<>> held_;
    std::set<ValueId> carried_;  // parameters and buffers that are constants of the compiled model
    std::map<std::string, std::size_t> buffers_;
};

}  // namespace

const char* kernelLinkName(KernelLink::By by) {
    switch (by) {
        case KernelLink::By::Provenance: return "provenance";
        case KernelLink::By::Named: return "named";
        case KernelLink::By::Inferred: return "inferred";
    }
    return "inferred";
}

const char* kernelLinkWords(KernelLink::By by) {
    switch (by) {
        case KernelLink::By::Provenance: return "recorded by torch";
        case KernelLink::By::Named: return "named in the source";
        case KernelLink::By::Inferred: return "inferred";
    }
    return "inferred";
}

std::vector<std::vector<KernelLink>> linkKernels(const KernelListing& listing, const CompiledModel& model, const Program& program,
                                                 bool useProvenance) {
    return Linker(listing, model, program, useProvenance).run();
}

}  // namespace pt2

#include "core/contract/call_changes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/program/in_place.h"

namespace pt2 {
namespace {

using What = CallChange::What;

constexpr std::size_t kNodesNamed = 3;

std::string capital(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

class Finder {
public:
    Finder(const Program& program, const Contract& contract) : program_(program), contract_(contract) {}

    std::vector<CallChange> run() {
        for (const OutputSpec& spec : program_.outputSpecs()) newValue(spec);
        const InPlaceWrites writes = inPlaceWrites(program_);
        for (const InputSpec& spec : program_.inputSpecs()) writtenTo(spec, writes);
        return std::move(found_);
    }

private:
    std::string callersName(std::string_view graphName) const {
        for (const ContractInput& input : contract_.inputs) {
            if (input.graphName == graphName) return input.name;
        }
        return std::string(graphName);
    }

    std::string nodeText(NodeId id) const {
        constexpr std::string_view kPrefix = "torch.ops.";
        std::string_view target = program_.node(id).target;
        if (target.substr(0, kPrefix.size()) == kPrefix) target.remove_prefix(kPrefix.size());
        return std::string(program_.displayName(id)) + " (" + std::string(target) + ")";
    }

    /// "add__0 (aten.add_.Tensor)", "a, b and 4 more".
    std::string nodesText(const std::vector<NodeId>& nodes) const {
        std::string text;
        const std::size_t shown = std::min(nodes.size(), kNodesNamed);
        for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : i + 1 == nodes.size() ? " and " : ", ") + nodeText(nodes[i]);
        if (shown < nodes.size()) text += " and " + std::to_string(nodes.size() - shown) + " more";
        return text;
    }

    void add(CallChange change, const std::vector<NodeId>& nodes) {
        for (const NodeId node : nodes) change.nodes.push_back(program_.nodeAddress(node));
        const std::string subject = capital(callChangeName(change.what)) + " \"" + change.name + "\"";
        if (!change.inPlace) {
            change.sentence = subject + " has a new value after the call" + (nodes.empty() ? "." : ", made by " + nodesText(nodes) + ".");
        } else if (change.certain) {
            change.sentence = subject + " is changed in place by " + nodesText(nodes) + ".";
        } else {
            change.sentence =
                subject + " may be changed in place: it is given to " + nodesText(nodes) + ", and the file does not say whether that writes to it.";
        }
        found_.push_back(std::move(change));
    }

    void newValue(const OutputSpec& spec) {
        CallChange change;
        switch (spec.kind) {
            case OutputKind::BufferMutation: change.what = What::Buffer; break;
            case OutputKind::ParameterMutation: change.what = What::Parameter; break;
            case OutputKind::UserInputMutation: change.what = What::Input; break;
            default: return;
        }
        for (const InputSpec& input : program_.inputSpecs()) {
            if (change.what == What::Input ? input.name == spec.target : input.target == spec.target) change.graphName = std::string(input.name);
        }
        change.name = change.what == What::Input ? callersName(spec.target) : std::string(spec.target);
        std::vector<NodeId> nodes;
        if (spec.argument != kNone) {
            const ValueId value = program_.argument(spec.argument).value;
            if (value != kNone && program_.value(value).producer != kNone) nodes.push_back(program_.value(value).producer);
        }
        add(std::move(change), nodes);
    }

    void writtenTo(const InputSpec& spec, const InPlaceWrites& writes) {
        if (spec.argument == kNone || spec.argument >= program_.arguments().size()) return;
        const ValueId value = program_.argument(spec.argument).value;
        if (value == kNone) return;
        CallChange change;
        switch (spec.kind) {
            case InputKind::Buffer: change.what = What::Buffer; break;
            case InputKind::Parameter: change.what = What::Parameter; break;
            case InputKind::ConstantTensor: change.what = What::Constant; break;
            case InputKind::UserInput: change.what = What::Input; break;
            default: return;
        }
        const auto in = [value](const std::vector<ValueId>& list) { return std::find(list.begin(), list.end(), value) != list.end(); };
        change.certain = in(writes.written);
        // Of an operator that says nothing it is the state that matters; inputs are given to all of them.
        if (!change.certain && (spec.kind != InputKind::Buffer || !in(writes.perhaps))) return;
        change.inPlace = true;
        change.graphName = std::string(program_.value(value).name);
        change.name = change.what == What::Input ? callersName(change.graphName) : std::string(spec.target);
        const bool said = std::any_of(found_.begin(), found_.end(), [&](const CallChange& other) {
            return !other.inPlace && other.what == change.what && other.name == change.name;
        });
        if (said && !change.certain) return;
        std::vector<NodeId> nodes;
        for (const InPlaceWrites::By& by : writes.by) {
            if (by.input == value) nodes.push_back(by.node);
        }
        add(std::move(change), nodes);
    }

    const Program& program_;
    const Contract& contract_;
    std::vector<CallChange> found_;
};

}  // namespace

const char* callChangeName(What what) {
    switch (what) {
        case What::Buffer: return "buffer";
        case What::Parameter: return "parameter";
        case What::Constant: return "constant";
        case What::Input: return "input";
    }
    return "";
}

std::vector<CallChange> callChanges(const Program& program, const Contract& contract) { return Finder(program, contract).run(); }

}  // namespace pt2

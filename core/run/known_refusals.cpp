#include "core/run/known_refusals.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace pt2 {

std::vector<std::string> knownRefusals(const Program& program) {
    std::vector<std::string> reasons;
    for (const InputSpec& input : program.inputSpecs()) {
        if (input.kind != InputKind::UserInput || input.isConstant || input.argument == kNone) continue;
        const std::string name = escapeForDisplay(input.name);
        switch (program.argument(input.argument).kind) {
            case ArgumentKind::SymInt:
            case ArgumentKind::SymFloat:
            case ArgumentKind::SymBool:
                reasons.push_back(fmt::format("Input \"{}\" is a number that varies, and a compiled model takes tensors only.", name));
                break;
            case ArgumentKind::CustomObj:
                reasons.push_back(fmt::format("Input \"{}\" is an object, and a compiled model takes tensors only.", name));
                break;
            default: break;
        }
    }
    // Seen with torch 2.13: these have no generated kernel, and their fallback takes real numbers only.
    for (const Node& node : program.nodes()) {
        if (node.target != "torch.ops.aten.full.default" && node.target != "torch.ops.aten.pow.Tensor_Scalar") continue;
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            if (program.argument(program.namedArguments()[i].argument).kind != ArgumentKind::Complex) continue;
            reasons.push_back(
                fmt::format("Operator {} takes a complex number, which generated code cannot hand over.", escapeForDisplay(node.target)));
        }
    }
    std::size_t index = 0;
    for (const OutputSpec& output : program.outputSpecs()) {
        if (output.kind != OutputKind::UserOutput || output.argument == kNone) continue;
        const ArgumentKind kind = program.argument(output.argument).kind;
        if (kind == ArgumentKind::Float || kind == ArgumentKind::String) {
            reasons.push_back(
                fmt::format("Output {} is a fixed {}, which AOTInductor cannot return.", index, kind == ArgumentKind::Float ? "float" : "text"));
        }
        ++index;
    }
    return reasons;
}

}  // namespace pt2

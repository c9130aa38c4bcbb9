#include <map>

#include "core/program/custom_operators.h"
#include "core/program/treespec.h"
#include "core/report/inspect.h"
#include "core/report/weights_json.h"

namespace pt2 {
namespace {

Json rangeJson(const SymRange& range) {
    return Json::array({range.minimum ? Json(*range.minimum) : Json(), range.maximum ? Json(*range.maximum) : Json()});
}

Json tensorTypeJson(const Program& program, const Value& value) {
    return {{"dtype", dtypeName(value.dtype)}, {"shape", program.sizesText(value)}, {"stride", program.stridesText(value)}};
}

Json histogramJson(const Program& program, IdRange nodes) {
    std::map<std::string_view, std::uint64_t> counts;
    for (std::uint32_t i = nodes.begin; i < nodes.end; ++i) ++counts[program.node(i).target];
    Json out = Json::object();
    for (const auto& [target, count] : counts) appendKey(out, std::string(target), count);
    return out;
}

const Value* valueOf(const Program& program, ArgumentId argument) {
    if (argument == kNone) return nullptr;
    const ValueId id = program.argument(argument).value;
    return id == kNone ? nullptr : &program.value(id);
}

Json inputsJson(const Program& program) {
    Json out = Json::array();
    for (const InputSpec& spec : program.inputSpecs()) {
        Json item = {{"name", spec.name},
                     {"kind", inputKindName(spec.kind)},
                     {"target", spec.target.empty() ? Json() : Json(spec.target)},
                     {"persistent", spec.persistent ? Json(*spec.persistent) : Json()}};
        const Value* value = valueOf(program, spec.argument);
        if (spec.isConstant) {
            item["constant"] = true;
        } else if (value != nullptr && value->kind == ValueKind::Tensor) {
            item["dtype"] = dtypeName(value->dtype);
            item["shape"] = program.sizesText(*value);
        } else if (value != nullptr && value->kind == ValueKind::CustomObj) {
            item["class_fqn"] = value->classFqn;
        }
        out.push_back(std::move(item));
    }
    return out;
}

Json outputsJson(const Program& program) {
    Json out = Json::array();
    for (const OutputSpec& spec : program.outputSpecs()) {
        Json item = {{"name", spec.name}, {"kind", outputKindName(spec.kind)}, {"target", spec.target.empty() ? Json() : Json(spec.target)}};
        const Value* value = valueOf(program, spec.argument);
        if (value != nullptr && value->kind == ValueKind::Tensor) {
            item["dtype"] = dtypeName(value->dtype);
            item["shape"] = program.sizesText(*value);
        }
        out.push_back(std::move(item));
    }
    return out;
}

Json valuesJson(const Program& program) {
    Json out = Json::object();
    const IdRange range = program.rootGraph().values;
    out.get_ref<Json::object_t&>().reserve(range.size());
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const Value& value = program.value(i);
        switch (value.kind) {
            case ValueKind::Tensor: appendKey(out, std::string(value.name), tensorTypeJson(program, value)); break;
            case ValueKind::SymInt:
            case ValueKind::SymFloat:
            case ValueKind::SymBool: {
                const char* kind = value.kind == ValueKind::SymInt ? "SymInt" : value.kind == ValueKind::SymFloat ? "SymFloat" : "SymBool";
                appendKey(out, std::string(value.name), Json::object({{"sym", kind}, {"expr", program.dimText(value.symbolic)}}));
                break;
            }
            case ValueKind::CustomObj: appendKey(out, std::string(value.name), Json::object({{"class_fqn", value.classFqn}})); break;
            case ValueKind::Untyped: break;
        }
    }
    return out;
}

Json leavesJson(std::string_view spec, const Program& program) {
    if (spec.empty()) return nullptr;
    const auto tree = TreeSpec::parse(spec, program.namedtupleFields());
    return tree ? Json(tree->leafCount) : Json();
}

}  // namespace

Result<Json> programJson(const Package& package, const ProgramEntry& entry, bool hash, const CancelToken& cancel, const ProgressSink& progress) {
    Json out = Json::object();
    out["member"] = package.archive().members()[entry.member].name;
    if (entry.program) {
        const Program& program = *entry.program;
        out["torch_version"] = program.torchVersion();
        out["schema_version"] = {{"major", program.schemaMajor()}, {"minor", program.schemaMinor()}};
        Json opsets = Json::object();
        for (const auto& [name, version] : program.opsetVersion()) appendKey(opsets, std::string(name), version);
        out["opset_version"] = std::move(opsets);
        out["verifiers"] = program.verifiers();
        out["node_count"] = program.rootGraph().nodes.size();
        out["node_count_total"] = program.nodes().size();
        out["op_histogram"] = histogramJson(program, program.rootGraph().nodes);
        out["custom_operators"] = customOperators(program);
        out["op_histogram_total"] = histogramJson(program, {0, static_cast<std::uint32_t>(program.nodes().size())});
        Json subgraphs = Json::array();
        for (const Graph& graph : program.graphs().subspan(1)) subgraphs.push_back(graph.path);
        out["subgraphs"] = std::move(subgraphs);
        out["inputs"] = inputsJson(program);
        out["outputs"] = outputsJson(program);
        Json ranges = Json::object();
        for (const auto& [symbol, range] : program.rangeConstraints()) appendKey(ranges, symbol, rangeJson(range));
        out["range_constraints"] = std::move(ranges);
        out["guards_code"] = program.guardsCode();
        out["values"] = valuesJson(program);
    } else {
        out["error"] = "This program could not be read; the issues say why.";
    }
    if (cancel.requested()) return cancelled();
    auto weights = weightsJson(package, entry.weights, hash, cancel, progress);
    if (!weights) return fail(weights.error());
    out["weights"] = std::move(*weights);
    auto constants = weightsJson(package, entry.constants, hash, cancel, progress);
    if (!constants) return fail(constants.error());
    out["constants"] = std::move(*constants);
    if (entry.program) {
        const Program& program = *entry.program;
        Json calls = Json::array();
        Json inLeaves, outLeaves;
        for (const ModuleCallEntry& call : program.moduleCallGraph()) {
            calls.push_back({{"fqn", call.fqn}, {"signature", call.hasSignature}});
            if (call.fqn.empty() && call.hasSignature) {
                inLeaves = leavesJson(call.inSpec, program);
                outLeaves = leavesJson(call.outSpec, program);
            }
        }
        out["module_call_graph"] = std::move(calls);
        out["in_spec_leaves"] = std::move(inLeaves);
        out["out_spec_leaves"] = std::move(outLeaves);
    }
    return out;
}

}  // namespace pt2

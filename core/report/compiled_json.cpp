#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/compiled/compiled_needs.h"
#include "core/compiled/cpu_features.h"
#include "core/compiled/runnable.h"
#include "core/report/inspect.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

Json dimJson(const CompiledDim& dim) {
    if (dim.fixed) return *dim.fixed;
    Json out = {{"min", dim.minimum ? Json(*dim.minimum) : Json()}, {"max", dim.maximum ? Json(*dim.maximum) : Json()}};
    if (!dim.symbol.empty()) out["symbol"] = dim.symbol;
    return out;
}

/// A number where the code has one, else its text, else null.
Json strideJson(const CompiledInput& input, std::size_t i) {
    if (input.strides.known() && i < input.strides.value.size() && input.strides.value[i]) return *input.strides.value[i];
    if (input.strideTexts.known() && i < input.strideTexts.value.size()) return input.strideTexts.value[i];
    return nullptr;
}

template <typename T, typename ToJson>
Json factJson(const Fact<T>& fact, ToJson&& toJson) {
    return fact.known() ? toJson(fact.value) : Json();
}

/// {"from": "wrapper source", "line": 712}; what is inferred is so from the lines of the wrapper source.
Json originJson(Origin origin, std::uint32_t line) { return {{"from", originName(origin)}, {"line", line != 0 ? Json(line) : Json()}}; }
template <typename T>
Json originJson(const Fact<T>& fact) {
    return originJson(fact.origin, fact.line);
}
Json namedAt(std::uint32_t line) { return originJson(line != 0 ? Origin::WrapperSource : Origin::Unknown, line); }

/// One word for the whole (cli.md): inferred facts are from the wrapper source too, and `origins` says which they are.
const char* originWord(Origin origin) { return originName(origin == Origin::Inferred ? Origin::WrapperSource : origin); }

Json inputJson(const CompiledInput& input) {
    Json sizes, strides;
    if (input.sizes.known()) {
        sizes = Json::array();
        for (const CompiledDim& dim : input.sizes.value) sizes.push_back(dimJson(dim));
    }
    if (input.strides.known() || input.strideTexts.known()) {
        strides = Json::array();
        const std::size_t rank = std::max(input.strides.value.size(), input.strideTexts.value.size());
        for (std::size_t i = 0; i < rank; ++i) strides.push_back(strideJson(input, i));
    }
    const Origin origin = input.sizes.known() ? input.sizes.origin : input.dtype.origin;
    return {{"name", input.name},
            {"dtype", factJson(input.dtype, [](DType d) { return Json(dtypeName(d)); })},
            {"sizes", std::move(sizes)},
            {"strides", std::move(strides)},
            {"device", factJson(input.device, [](const std::string& d) { return Json(d); })},
            {"origin", originWord(origin)},
            {"origins",
             {{"name", namedAt(input.nameLine)},
              {"dtype", originJson(input.dtype)},
              {"sizes", originJson(input.sizes)},
              {"strides", originJson(input.strides)},
              {"device", originJson(input.device)}}},
            {"checked_at_runtime", input.checkedAtRuntime},
            {"layout_asserted", input.assertedAtRuntime}};
}

Json outputJson(const CompiledOutput& output) {
    return {{"name", output.name},
            {"dtype", factJson(output.dtype, [](DType d) { return Json(dtypeName(d)); })},
            {"sizes", factJson(output.sizes, [](const auto& s) { return Json(s); })},
            {"strides", factJson(output.strides, [](const auto& s) { return Json(s); })},
            {"origin", originWord(output.sizes.known() ? output.sizes.origin : output.dtype.origin)},
            {"origins",
             {{"name", namedAt(output.nameLine)},
              {"dtype", originJson(output.dtype)},
              {"sizes", originJson(output.sizes)},
              {"strides", originJson(output.strides)}}}};
}

const char* whereName(CompiledConstant::Where where) {
    switch (where) {
        case CompiledConstant::Where::Library: return "library";
        case CompiledConstant::Where::Beside: return "beside";
        case CompiledConstant::Where::Absent: return "absent";
        case CompiledConstant::Where::Unknown: break;
    }
    return "unknown";
}

/// Weights beside are seen in the list of members; that they are in the library, or in nothing, in the library's own sections.
Json whereOrigin(CompiledConstant::Where where) {
    if (where == CompiledConstant::Where::Beside) return {{"from", "members"}, {"line", nullptr}};
    return originJson(where == CompiledConstant::Where::Unknown ? Origin::Unknown : Origin::Library, 0);
}

Json constantJson(const CompiledConstant& constant) {
    return {{"name", constant.name},
            {"fqn", constant.fqn},
            {"dtype", factJson(constant.dtype, [](DType d) { return Json(dtypeName(d)); })},
            {"shape", constant.shape},
            {"stride", constant.stride},
            {"kind", constant.kind},
            {"where", whereName(constant.where)},
            {"bytes", constant.dataSize},
            {"from_folded", constant.fromFolded},
            {"origins", {{"declared", namedAt(constant.line)}, {"dtype", originJson(constant.dtype)}, {"where", whereOrigin(constant.where)}}}};
}

Json checksJson(const CompiledModel& model) {
    Json checks = Json::array();
    for (const RuntimeCheck& check : model.checks) {
        checks.push_back({{"index", check.input},
                          {"input", check.input < model.inputs.size() ? Json(model.inputs[check.input].name) : Json()},
                          {"what", runtimeCheckName(check.what)},
                          {"dimension", check.dimension ? Json(*check.dimension) : Json()},
                          {"expected", check.expected},
                          {"line", check.line}});
    }
    return checks;
}

Json heldAssertsJson(const CompiledModel& model) {
    Json asserts = Json::array();
    for (const CompiledAssert& held : model.asserts)
        asserts.push_back({{"condition", held.condition}, {"message", held.message}, {"line", held.line}});
    return asserts;
}

/// Where what stands at the top of a compiled model is from. What the file does not say is unknown.
Json originsJson(const CompiledModel& model) {
    const auto stated = [](const std::string& value) { return originJson(value.empty() ? Origin::Unknown : Origin::Metadata, 0); };
    return {{"metadata", originJson(model.metadataMember ? Origin::Metadata : Origin::Unknown, 0)},
            {"device", stated(model.device)},
            {"platform", stated(model.platform)},
            {"machine", stated(model.machine)},
            {"cpu_isa", stated(model.cpuIsa)},
            {"in_spec", namedAt(model.inSpecLine)},
            {"out_spec", namedAt(model.outSpecLine)},
            {"counts", namedAt(model.countsLine)}};
}

/// null where something was not read or not proved: an empty list says that there is nothing.
Json needsJson(const CompiledModel& model, const CompiledNeeds& needs, const Target& target) {
    const CodeScan& code = needs.code;
    const auto missing = missingSymbols(needs, target);
    Json gpu = Json::array();
    for (const GpuBinary& binary : needs.gpu) {
        std::vector<std::string> architectures = binary.architectures;
        architectures.insert(architectures.end(), binary.portable.begin(), binary.portable.end());
        gpu.push_back({{"file", binary.member}, {"architectures", std::move(architectures)}});
    }
    return {{"cpu", code.read ? Json(cpuFeatureNames(code.needed)) : Json()},
            {"cpu_complete", code.read && code.complete && code.undecoded == 0},
            {"glibc", model.elf.glibc.empty() ? Json() : Json(model.elf.glibc)},
            {"glibcxx", model.elf.glibcxx.empty() ? Json() : Json(model.elf.glibcxx)},
            {"libraries", model.elf.isElf || !model.elf.needed.empty() ? Json(model.elf.needed) : Json()},
            {"missing_symbols", missing ? Json(*missing) : Json()},
            {"executable_stack", model.elf.isElf ? Json(model.elf.executableStack) : Json()},
            {"gpu", std::move(gpu)}};
}

}  // namespace

Json compiledJson(const Package& package, const CompiledModel& model, const Target& target, const CancelToken& cancel) {
    const auto memberName = [&](const std::optional<MemberIndex>& member) {
        return member ? Json(package.archive().members()[*member].name) : Json();
    };
    Json out = Json::object();
    out["folder"] = model.folder;
    Json files = Json::array();
    for (const MemberIndex member : model.members) files.push_back(package.archive().members()[member].name);
    out["files"] = std::move(files);
    out["metadata"] = model.metadata;
    out["call_spec"] = model.inSpec.empty() && model.outSpec.empty() ? Json() : Json::array({model.inSpec, model.outSpec});
    out["library"] = memberName(model.library);
    out["wrapper_source"] = memberName(model.wrapperSource);
    out["kernel_source"] = model.kernelSources.empty() ? Json() : memberName(model.kernelSources.front());
    Json kernelSources = Json::array();
    for (const MemberIndex member : model.kernelSources) kernelSources.push_back(package.archive().members()[member].name);
    out["kernel_sources"] = std::move(kernelSources);
    out["device"] = model.device;
    out["platform"] = model.platform;
    out["machine"] = model.machine;
    out["cpu_isa"] = model.cpuIsa;
    Json inputs = Json::array(), outputs = Json::array(), constants = Json::array();
    for (const CompiledInput& input : model.inputs) inputs.push_back(inputJson(input));
    for (const CompiledOutput& output : model.outputs) outputs.push_back(outputJson(output));
    for (const CompiledConstant& constant : model.constants) constants.push_back(constantJson(constant));
    out["inputs"] = std::move(inputs);
    out["outputs"] = std::move(outputs);
    out["constants"] = std::move(constants);
    out["kernels"] = model.kernelCalls ? Json(*model.kernelCalls) : Json();
    out["compile_command"] = model.compileCommand.empty() ? Json() : Json(model.compileCommand);
    out["link_command"] = model.linkCommand.empty() ? Json() : Json(model.linkCommand);
    out["runtime_checks_compiled_in"] = model.checksCompiledIn;
    out["runtime_checks_switched_by"] = model.checksSwitched ? Json("AOTI_RUNTIME_CHECK_INPUTS") : Json();
    out["runtime_checks"] = model.sourceRead ? checksJson(model) : Json();
    out["asserts"] = model.sourceRead ? heldAssertsJson(model) : Json();
    out["origins"] = originsJson(model);
    out["sources_only"] = model.cppOnly;
    out["weights_absent"] = model.weightsAbsent;
    const CompiledNeeds needs = readNeeds(package.archive(), model, {}, cancel);
    out["needs"] = needsJson(model, needs, target);
    out["runnable"] = runnableJson(judgeRunnable(model, needs, target));
    return out;
}

}  // namespace pt2

#include <algorithm>
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
            {"origin", originName(origin)},
            {"checked_at_runtime", input.checkedAtRuntime}};
}

Json outputJson(const CompiledOutput& output) {
    return {{"name", output.name},
            {"dtype", factJson(output.dtype, [](DType d) { return Json(dtypeName(d)); })},
            {"sizes", factJson(output.sizes, [](const auto& s) { return Json(s); })},
            {"strides", factJson(output.strides, [](const auto& s) { return Json(s); })},
            {"origin", originName(output.sizes.known() ? output.sizes.origin : output.dtype.origin)}};
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

Json constantJson(const CompiledConstant& constant) {
    return {{"name", constant.name},
            {"fqn", constant.fqn},
            {"dtype", factJson(constant.dtype, [](DType d) { return Json(dtypeName(d)); })},
            {"shape", constant.shape},
            {"stride", constant.stride},
            {"kind", constant.kind},
            {"where", whereName(constant.where)},
            {"bytes", constant.dataSize},
            {"from_folded", constant.fromFolded}};
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
            {"libraries", model.elf.isElf ? Json(model.elf.needed) : Json()},
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
    out["kernel_source"] = memberName(model.kernelSource);
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
    out["sources_only"] = model.cppOnly;
    out["weights_absent"] = model.weightsAbsent;
    const CompiledNeeds needs = readNeeds(package.archive(), model, {}, cancel);
    out["needs"] = needsJson(model, needs, target);
    out["runnable"] = runnableJson(judgeRunnable(model, needs, target));
    return out;
}

}  // namespace pt2

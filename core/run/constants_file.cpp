#include "core/run/constants_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/compare/compare.h"
#include "core/compare/reference_file.h"

namespace pt2 {

namespace {

constexpr std::size_t kMostNamed = 6;

std::string listed(const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) shown.push_back(escapeForDisplay(names[i]));
    return join(shown, ", ") + (names.size() > kMostNamed ? " and " + formatCount(names.size() - kMostNamed) + " more" : "");
}

/// FQNs that the program knows: parameters, buffers and constants.
std::set<std::string> namesOfProgram(const Document& document, const std::string& model) {
    std::set<std::string> names;
    const auto ref = document.program(model);
    if (!ref || !ref.entry->program) return names;
    for (const InputSpec& spec : ref.entry->program->inputSpecs()) {
        if (spec.kind == InputKind::Parameter || spec.kind == InputKind::Buffer || spec.kind == InputKind::ConstantTensor) names.emplace(spec.target);
    }
    return names;
}

Status holdAgainst(const CompiledConstant& constant, Tensor& tensor) {
    const DType wanted = constant.dtype.known() ? constant.dtype.value : tensor.layout.dtype;
    if (isNumpyStandIn(wanted, tensor.layout.dtype)) tensor.layout.dtype = wanted;
    if (tensor.layout.dtype == wanted && tensor.layout.sizes == constant.shape) return {};
    TensorLayout layout;
    layout.dtype = wanted;
    layout.sizes = constant.shape;
    return fail({ErrorKind::DoesNotHold,
                 "run.constant-shape",
                 "The constant \"" + escapeForDisplay(constant.fqn) + "\" cannot be replaced.",
                 {},
                 "It is " + tensorTypeText(layout) + " in the library and " + tensorTypeText(tensor.layout) + " in the file.",
                 "Give a tensor of the same dtype and shape."});
}

}  // namespace

Result<ConstantsFile> readConstantsFile(const Document& document, const std::string& model, const std::string& path) {
    auto tensors = readReferenceFile(path);
    if (!tensors) return fail(tensors.error());
    ConstantsFile out;
    const auto compiled = document.compiled(model);
    const std::set<std::string> program = namesOfProgram(document, model);
    const bool known = compiled && compiled.model->sourceRead;
    out.shapesKnown = known;
    for (auto& [name, tensor] : *tensors) {
        const std::string fqn = name;
        const auto constant = !compiled ? std::vector<CompiledConstant>::const_iterator()
                                        : std::find_if(compiled.model->constants.begin(), compiled.model->constants.end(),
                                                       [&fqn](const CompiledConstant& c) { return c.fqn == fqn; });
        const bool has = known && constant != compiled.model->constants.end() && !constant->fromFolded;
        if (known && !has) {
            (program.count(fqn) != 0 ? out.ineffective : out.unknown).push_back(fqn);
            continue;
        }
        if (has) {
            if (const Status fits = holdAgainst(*constant, tensor); !fits) return fail(fits.error());
        }
        out.tensors.emplace_back(fqn, std::move(tensor));
    }
    return out;
}

std::string constantsText(const ConstantsUse& use) {
    const std::size_t all = use.replaced.size() + use.kept.size();
    std::string text = formatCount(use.replaced.size()) + " of " + formatCount(all) + (all == 1 ? " constant " : " constants ") +
                       (use.replaced.size() == 1 ? "was" : "were") + " replaced.";
    if (!use.kept.empty()) text += " As they were: " + listed(use.kept) + ".";
    if (!use.ineffective.empty()) {
        text += " Without effect: " + listed(use.ineffective) + "; freezing or inlining has put " + (use.ineffective.size() == 1 ? "it" : "them") +
                " into the code, and only compiling anew changes that.";
    }
    if (!use.unknown.empty()) text += " The model has none called " + listed(use.unknown) + ".";
    // Inductor's own names say that freezing made new constants of the program's, whose names are then gone.
    const bool frozen = std::any_of(use.kept.begin(), use.kept.end(), [](const std::string& name) { return name.starts_with("_frozen_param"); });
    if (frozen && !use.unknown.empty()) {
        text +=
            " It was compiled with freezing, which has put weights of the program into the code or into constants of its own; only compiling anew "
            "changes "
            "them.";
    }
    return text;
}

}  // namespace pt2

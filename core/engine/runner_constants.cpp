#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/engine/compiled_runner.h"
#include "core/engine/runner_state.h"
#include "core/engine/thrown.h"

namespace pt2 {

namespace {

constexpr std::size_t kMostHeldBytes = std::size_t{1} << 30;  // of constants looked at

std::string typeOf(const at::Tensor& tensor) {
    TensorLayout layout;
    layout.dtype = dtypeFromC10(static_cast<int>(tensor.scalar_type()));
    layout.sizes = tensor.sizes().vec();
    return tensorTypeText(layout);
}

}  // namespace

std::vector<std::optional<Tensor>> CompiledRunner::constants(const std::vector<std::string>& names) const {
    std::vector<std::optional<Tensor>> found(names.size());
    if (names.empty()) return found;
    try {
        const c10::InferenceMode inference;
        std::size_t heldBytes = 0;
        const auto held = state_->runner->extract_constants_map(false);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto one = held.find(names[i]);
            if (one == held.end() || !one->second.defined()) continue;
            heldBytes += one->second.nbytes();
            if (heldBytes > kMostHeldBytes) break;
            const at::Tensor plain = one->second.cpu().contiguous();
            auto copy = allocateTensor(dtypeFromC10(static_cast<int>(plain.scalar_type())), plain.sizes().vec());
            if (!copy || copy->bytes.size() != plain.nbytes()) continue;
            if (plain.nbytes() > 0) std::memcpy(copy->bytes.data(), plain.const_data_ptr(), plain.nbytes());
            found[i] = std::move(copy->tensor);
        }
    } catch (...) {
        // Libraries and LibTorch of before 2.8 cannot; what is not known is no reason to stop a run.
        found.assign(names.size(), std::nullopt);
    }
    return found;
}

Result<ReplacedConstants> CompiledRunner::replaceConstants(const std::vector<std::string>& names, const std::vector<InputMemory>& values,
                                                           bool shapesKnown) {
    ReplacedConstants result;
    try {
        const c10::InferenceMode inference;
        std::unordered_map<std::string, std::string> internal;  // by FQN
        for (const auto& [name, fqn] : state_->runner->getConstantNamesToOriginalFQNs()) internal.emplace(fqn, name);
        const auto held = state_->runner->extract_constants_map(false);
        std::unordered_map<std::string, at::Tensor> replaced;
        for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
            const auto known = internal.find(names[i]);
            if (known == internal.end()) {
                result.unknown.push_back(names[i]);
                continue;
            }
            const TensorLayout& layout = values[i].layout;
            at::Tensor value = at::from_blob(values[i].data, layout.sizes, layout.strides,
                                             at::TensorOptions().dtype(static_cast<c10::ScalarType>(dtypeToC10(layout.dtype))));
            // LibTorch copies as many bytes as it expects, whatever it is given.
            const auto before = held.find(names[i]);
            const bool has = before != held.end() && before->second.defined();
            if (!has && !shapesKnown) {
                return fail({ErrorKind::CannotRun,
                             "run.constant-shape",
                             "The constant \"" + escapeForDisplay(names[i]) + "\" cannot be replaced.",
                             {},
                             "The library has no value of it, and no wrapper source says its shape.",
                             {}});
            }
            if (has && (before->second.sizes() != value.sizes() || before->second.scalar_type() != value.scalar_type())) {
                return fail({ErrorKind::DoesNotHold,
                             "run.constant-shape",
                             "The constant \"" + escapeForDisplay(names[i]) + "\" cannot be replaced.",
                             {},
                             "It is " + typeOf(before->second) + " in the library and " + typeOf(value) + " in the file.",
                             "Give a tensor of the same dtype and shape."});
            }
            replaced.emplace(known->second, value.contiguous().to(state_->device));
            result.replaced.push_back(names[i]);
        }
        for (const auto& [fqn, name] : internal) {
            if (replaced.count(name) == 0) result.kept.push_back(fqn);
        }
        std::sort(result.kept.begin(), result.kept.end());
        if (!replaced.empty()) state_->runner->update_constant_buffer(replaced, false, false);
        state_->synchronize();
    } catch (...) {
        return runFailed(describe(std::current_exception()), "The constants could not be replaced.");
    }
    return result;
}

}  // namespace pt2

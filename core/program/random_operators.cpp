#include "core/program/random_operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/base/text.h"
#include "core/program/operator_family.h"

namespace pt2 {

namespace {

// Operators with torch's tag nondeterministic_seeded (torch 2.13), without the underscore of their in-place forms.
constexpr std::array<std::string_view, 33> kAlways{"_fill_mem_eff_dropout_mask",
                                                   "_sample_dirichlet",
                                                   "_standard_gamma",
                                                   "bernoulli",
                                                   "binomial",
                                                   "cauchy",
                                                   "exponential",
                                                   "geometric",
                                                   "log_normal",
                                                   "multinomial",
                                                   "normal",
                                                   "normal_functional",
                                                   "poisson",
                                                   "rand",
                                                   "rand_like",
                                                   "randint",
                                                   "randint_like",
                                                   "randn",
                                                   "randn_like",
                                                   "random",
                                                   "randperm",
                                                   "uniform",
                                                   "_fused_dropout",
                                                   "dropout",
                                                   "alpha_dropout",
                                                   "feature_dropout",
                                                   "feature_alpha_dropout",
                                                   "native_dropout",
                                                   "rrelu",
                                                   "rrelu_with_noise",
                                                   "rrelu_with_noise_functional",
                                                   "philox_uniform",
                                                   "philox_randn"};
// Random only where a probability is given; it is 0 by default.
constexpr std::array<std::string_view, 16> kWithProbability{"scaled_dot_product_attention",
                                                            "_scaled_dot_product_attention_math",
                                                            "_scaled_dot_product_attention_math_for_mps",
                                                            "_scaled_dot_product_cudnn_attention",
                                                            "_scaled_dot_product_efficient_attention",
                                                            "_scaled_dot_product_flash_attention",
                                                            "_scaled_dot_product_flash_attention_for_cpu",
                                                            "_scaled_dot_product_fused_attention_overrideable",
                                                            "_flash_attention_forward",
                                                            "_efficient_attention_forward",
                                                            "_cudnn_attention_forward",
                                                            "_triton_scaled_dot_attention",
                                                            "lstm",
                                                            "gru",
                                                            "rnn_tanh",
                                                            "rnn_relu"};
constexpr std::array<std::string_view, 3> kProbability{"p", "dropout_p", "dropout"};
constexpr std::array<std::string_view, 3> kSwitch{"train", "training", "is_training"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool draws(const Program& program, const Node& node, std::string_view name) {
    const bool always = among(kAlways, name);
    if (!always && !among(kWithProbability, name)) return false;
    bool probable = always;
    for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
        const NamedArgument& named = program.namedArguments()[i];
        const Argument& argument = program.argument(named.argument);
        if (among(kSwitch, named.name) && argument.kind == ArgumentKind::Bool && argument.integer == 0) return false;
        if (!among(kProbability, named.name)) continue;
        if (argument.kind == ArgumentKind::Float) probable = argument.real != 0;
        if (argument.kind == ArgumentKind::Int) probable = argument.integer != 0;
    }
    return probable;
}

}  // namespace

std::vector<RandomNode> randomNodes(const Program& program) {
    std::vector<RandomNode> found;
    for (NodeId id = 0; id < program.nodes().size(); ++id) {
        const Node& node = program.nodes()[id];
        const OperatorName name = splitOperatorName(node.target);
        std::string_view bare = name.name;
        if (!bare.starts_with('_') && bare.ends_with('_')) bare.remove_suffix(1);
        if (name.ns != "aten" && name.ns != "rngprims") continue;
        if (draws(program, node, bare)) found.push_back({id, std::string(name.ns) + "." + std::string(name.name)});
    }
    return found;
}

std::string randomWarning(const Program& program) {
    std::map<std::string, std::size_t> counts;
    for (const RandomNode& node : randomNodes(program)) ++counts[node.operatorName];
    if (counts.empty()) return {};
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts) parts.push_back(count == 1 ? name : name + " in " + formatCount(count) + " nodes");
    return "The program draws random numbers (" + join(parts, ", ") +
           "), so two calls differ, and a compiled model draws others than torch eager does with the same seed.";
}

}  // namespace pt2

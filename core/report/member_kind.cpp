#include "core/report/member_kind.h"

#include <array>
#include <string_view>

namespace pt2 {
namespace {

struct Rule {
    std::string_view prefix, suffix;
    const char* kind;
};

// The first rule that fits decides, so what is special stands before what is general.
constexpr std::array kRules = {
    Rule{"models/", ".json", "program"},
    Rule{"data/weights/", "_weights_config.json", "weights list"},
    Rule{"data/weights/", "_model_param_config.json", "weights list"},
    Rule{"data/weights/", ".pt", "weights (pickle)"},
    Rule{"data/weights/weight_", "", "weight"},
    Rule{"data/constants/", "_constants_config.json", "constants list"},
    Rule{"data/constants/", "_model_constants_config.json", "constants list"},
    Rule{"data/constants/", ".pt", "constants (pickle)"},
    Rule{"data/constants/tensor_", "", "constant"},
    Rule{"data/constants/custom_obj_", "", "custom object"},
    Rule{"data/constants/opaque_obj_", "", "opaque object"},
    Rule{"data/sample_inputs/", "", "sample inputs"},
    Rule{"data/aotinductor/", ".wrapper.cpp", "wrapper source"},
    Rule{"data/aotinductor/", ".kernel.cpp", "kernel source"},
    Rule{"data/aotinductor/", ".cpp", "source"},
    Rule{"data/aotinductor/", ".h", "source"},
    Rule{"data/aotinductor/", ".so", "library"},
    Rule{"data/aotinductor/", ".pyd", "library"},
    Rule{"data/aotinductor/", ".dll", "library"},
    Rule{"data/aotinductor/", ".dylib", "library"},
    Rule{"data/aotinductor/", "_metadata.json", "metadata"},
    Rule{"data/aotinductor/", "_compile_flags.json", "compile flags"},
    Rule{"data/aotinductor/", "_linker_flags.json", "linker flags"},
    Rule{"data/aotinductor/", "kernel_information.json", "kernel provenance"},
    Rule{"data/aotinductor/", "weights_config.json", "weights list"},
    Rule{"data/aotinductor/", "custom_objs_config.json", "custom objects list"},
    Rule{"data/aotinductor/", "CMakeLists.txt", "build file"},
    Rule{"data/aotinductor/", ".ld", "linker script"},
    Rule{"data/aotinductor/", ".blob", "weights (blob)"},
    Rule{"data/aotinductor/", "_serialized_weights.bin", "weights (blob)"},
    Rule{"data/aotinductor/", ".o", "object"},
    Rule{"data/aotinductor/", ".cubin", "GPU code"},
    Rule{"data/aotinductor/", ".fatbin", "GPU code"},
    Rule{"data/aotinductor/", ".hsaco", "GPU code"},
    Rule{"data/aotinductor/", ".spv", "GPU code"},
    Rule{"data/aotinductor/", ".zebin", "GPU code"},
    Rule{"data/aotinductor/", ".json", "fallback operators"},
    Rule{"data/executorch/", "", "ExecuTorch program"},
    Rule{"extra/", "", "extra file"},
    Rule{"extra_files/", "", "extra file"},
    Rule{"serialized_exported_program.json", "", "program"},
    Rule{"serialized_state_dict", "", "weights (pickle)"},
    Rule{"serialized_constants", "", "constants (pickle)"},
    Rule{"serialized_example_inputs", "", "sample inputs"},
    Rule{"archive_format", "", "archive format"},
    Rule{"archive_version", "", "archive version"},
    Rule{"byteorder", "", "byte order"},
    Rule{"version", "", "version"},
    Rule{".data/version", "", "record format"},
    Rule{".data/serialization_id", "", "serialization id"},
};

}  // namespace

std::string memberKind(const Archive& archive, MemberIndex member) {
    if (archive.members()[member].isDirectory) return "folder";
    if (archive.kind() == ContainerKind::Library) return "library";
    const std::string_view name = archive.nameBelowRoot(member);
    for (const Rule& rule : kRules) {
        if (name.size() >= rule.prefix.size() + rule.suffix.size() && name.starts_with(rule.prefix) && name.ends_with(rule.suffix)) return rule.kind;
    }
    return "other";
}

}  // namespace pt2

#include "core/contract/call_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/contract/coverage.h"
#include "core/contract/legal_size.h"
#include "core/contract/strides.h"

namespace pt2 {
namespace {

struct CallVariable {
    std::string name;
    std::vector<std::int64_t> sizes, strides;
    bool isRowMajor = true;
    std::string remark;  ///< "s77: 1 to 1024"
};

/// A string literal that both languages read.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// "d.b[0]" → "d_b_0"; a name of its own for every input.
std::string identifier(const std::string& name, std::set<std::string>& taken) {
    static const std::set<std::string, std::less<>> kReserved = {
        "and",      "as",    "assert", "async",  "auto",  "await",  "bool",   "break",  "case",    "char",   "class",   "const",
        "continue", "def",   "del",    "delete", "do",    "double", "else",   "except", "for",     "float",  "from",    "global",
        "guard",    "if",    "import", "in",     "int",   "is",     "lambda", "long",   "main",    "model",  "new",     "not",
        "or",       "pass",  "raise",  "return", "short", "std",    "torch",  "result", "outputs", "inputs", "program", "this",
        "try",      "using", "void",   "while",  "with",  "yield",  "None",   "True",   "False"};
    std::string made;
    for (const char c : name) {
        if (isWord(c)) {
            made.push_back(c);
        } else if (!made.empty() && made.back() != '_') {
            made.push_back('_');
        }
    }
    while (!made.empty() && made.back() == '_') made.pop_back();
    if (made.empty()) made = "input";
    if (made.front() >= '0' && made.front() <= '9') made = "input_" + made;
    while (made.find("__") != std::string::npos) made.erase(made.find("__"), 1);
    if (kReserved.count(made) != 0) made += "_1";
    std::string unique = made;
    for (int k = 2; !taken.insert(unique).second; ++k) unique = made + "_" + std::to_string(k);
    return unique;
}

std::vector<CallVariable> variablesOf(const Contract& contract) {
    SymbolValues values;
    for (const ContractSymbol& symbol : contract.symbols) values[symbol.name] = nearestLegalSize(symbol, symbol.hint.value_or(2));
    std::vector<CallVariable> variables;
    std::set<std::string> taken, said;
    for (const ContractInput& input : contract.inputs) {
        CallVariable variable;
        if (input.tensorIndex) variable.name = identifier(input.name, taken);
        std::vector<std::string> remarks;
        if (!input.rankKnown && input.tensorIndex) remarks.emplace_back("its shape is not known");
        for (const ContractDim& dim : input.sizes) {
            variable.sizes.push_back(std::max<std::int64_t>(evaluateDim(dim, values).value_or(2), 0));
            if (dim.fixed || !dim.expression) continue;
            for (const std::string& name : dim.expression->symbols()) {
                const ContractSymbol* symbol = contract.findSymbol(name);
                if (symbol != nullptr && said.insert(name).second)
                    remarks.push_back(name + ": " + (contract.hasProgram ? rangeText(legalRange(*symbol)) : testedRangeText(legalRange(*symbol))));
            }
            if (!dim.expression->asSymbol()) remarks.push_back("a size is " + dim.text);
        }
        if (input.dtype == DType::Unknown && input.tensorIndex) remarks.emplace_back("its dtype is not known");
        variable.strides = wantedStrides(input, variable.sizes, values);
        variable.isRowMajor = variable.strides == contiguousStrides(variable.sizes);
        variable.remark = join(remarks, ", ");
        variables.push_back(std::move(variable));
    }
    return variables;
}

std::string listOf(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> texts;
    for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
    return join(texts, ", ");
}

/// How values of a dtype are made: drawn as it is, or drawn as another and converted, where torch has no generator for it.
struct Drawing {
    bool isWhole = false, converted = false;
};
Drawing drawingOf(DType dtype) {
    switch (dtype) {
        case DType::Bool:
        case DType::UInt8:
        case DType::Int8:
        case DType::Int16:
        case DType::Int32:
        case DType::Int64: return {true, false};
        case DType::UInt16:
        case DType::UInt32:
        case DType::UInt64: return {true, true};
        case DType::Float16:
        case DType::BFloat16:
        case DType::Float32:
        case DType::Float64:
        case DType::Complex64:
        case DType::Complex128: return {false, false};
        default: return {false, true};
    }
}

/// at::kFloat and its like.
std::string scalarType(DType dtype) {
    static constexpr std::array<std::pair<DType, const char*>, 21> kNames = {{{DType::Bool, "kBool"},
                                                                              {DType::UInt8, "kByte"},
                                                                              {DType::Int8, "kChar"},
                                                                              {DType::Int16, "kShort"},
                                                                              {DType::Int32, "kInt"},
                                                                              {DType::Int64, "kLong"},
                                                                              {DType::Float16, "kHalf"},
                                                                              {DType::BFloat16, "kBFloat16"},
                                                                              {DType::Float32, "kFloat"},
                                                                              {DType::Float64, "kDouble"},
                                                                              {DType::Complex32, "kComplexHalf"},
                                                                              {DType::Complex64, "kComplexFloat"},
                                                                              {DType::Complex128, "kComplexDouble"},
                                                                              {DType::UInt16, "kUInt16"},
                                                                              {DType::UInt32, "kUInt32"},
                                                                              {DType::UInt64, "kUInt64"},
                                                                              {DType::Float8E4M3FN, "kFloat8_e4m3fn"},
                                                                              {DType::Float8E5M2, "kFloat8_e5m2"},
                                                                              {DType::Float8E4M3FNUZ, "kFloat8_e4m3fnuz"},
                                                                              {DType::Float8E5M2FNUZ, "kFloat8_e5m2fnuz"},
                                                                              {DType::Float8E8M0FNU, "kFloat8_e8m0fnu"}}};
    for (const auto& [type, name] : kNames) {
        if (type == dtype) return std::string("at::") + name;
    }
    return "at::kFloat";
}

bool isElsewhere(const ContractInput& input) { return !input.device.empty() && input.device != "cpu"; }

std::string limitOf(const ContractInput& input) { return std::to_string(input.dtype == DType::Bool ? 2 : input.indexBound.value_or(2)); }

std::string pythonTuple(const std::vector<std::int64_t>& numbers) { return "(" + listOf(numbers) + (numbers.size() == 1 ? ",)" : ")"); }

std::string pythonTensor(const ContractInput& input, const CallVariable& variable) {
    const DType dtype = input.dtype == DType::Unknown ? DType::Float32 : input.dtype;
    const Drawing drawing = drawingOf(dtype);
    const std::string device = isElsewhere(input) ? ", device=\"" + input.device + "\"" : std::string();
    const std::string type = std::string("torch.") + dtypeName(dtype);
    const bool usual = dtype == (drawing.isWhole ? DType::Int64 : DType::Float32);
    const std::string options = (usual || drawing.converted ? "" : ", dtype=" + type) + device;
    const std::string sizes = pythonTuple(variable.sizes);
    std::string made = drawing.isWhole ? "torch.randint(0, " + limitOf(input) + ", " + sizes + options + ")" : "torch.randn(" + sizes + options + ")";
    if (drawing.converted) made += ".to(" + type + ")";
    if (variable.isRowMajor) return made;
    return "torch.empty_strided(" + sizes + ", " + pythonTuple(variable.strides) + ", dtype=" + type + device + ").copy_(" + made + ")";
}

std::string cppTensor(const ContractInput& input, const CallVariable& variable) {
    const DType dtype = input.dtype == DType::Unknown ? DType::Float32 : input.dtype;
    const Drawing drawing = drawingOf(dtype);
    const auto options = [&](const std::string& type) {
        return isElsewhere(input) ? "at::TensorOptions(at::Device(\"" + input.device + "\")).dtype(" + type + ")" : type;
    };
    const std::string drawn = drawing.converted ? (drawing.isWhole ? "at::kLong" : "at::kFloat") : scalarType(dtype);
    const std::string sizes = "{" + listOf(variable.sizes) + "}";
    std::string made = drawing.isWhole ? "at::randint(" + limitOf(input) + ", " + sizes + ", " + options(drawn) + ")"
                                       : "at::randn(" + sizes + ", " + options(drawn) + ")";
    if (drawing.converted) made += ".to(" + scalarType(dtype) + ")";
    if (variable.isRowMajor) return made;
    return "at::empty_strided(" + sizes + ", {" + listOf(variable.strides) + "}, " + options(scalarType(dtype)) + ").copy_(" + made + ")";
}

/// Text of the leaf with this number: its variable, or the constant it must be.
std::string leafText(const Contract& contract, const std::vector<CallVariable>& variables, std::uint32_t leaf) {
    if (leaf >= contract.inputs.size()) return "None";
    const ContractInput& input = contract.inputs[leaf];
    if (!variables[leaf].name.empty()) return variables[leaf].name;
    return input.constantText.empty() ? "None" : input.constantText;
}

/// The class of a node without its module.
std::string typeName(const TreeSpecNode& node) {
    const std::size_t dot = node.type.find_last_of(".:");
    return dot == std::string::npos ? node.type : node.type.substr(dot + 1);
}

/// A node of the tree around its finished children. Types that are no built-in stand by their name and are for the reader to import.
std::string pythonNode(const TreeSpecNode& node, const std::vector<std::string>& made) {
    const bool isDict = node.type.find("dict") != std::string::npos || node.type.find("Dict") != std::string::npos;
    std::vector<std::string> children;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
        const std::string access = k < node.access.size() ? node.access[k] : std::string();
        std::string before;
        if (isDict && access.size() > 2) {
            before = access.substr(1, access.size() - 2) + ": ";
        } else if (access.size() > 1 && access.front() == '.') {
            before = access.substr(1) + "=";
        }
        children.push_back(before + made[node.children[k]]);
    }
    const std::string inside = join(children, ", ");
    if (node.type == "builtins.list") return "[" + inside + "]";
    if (node.type == "builtins.tuple") return "(" + inside + (children.size() == 1 ? ",)" : ")");
    if (node.type == "builtins.dict") return "{" + inside + "}";
    if (node.type == "collections.OrderedDict") return "collections.OrderedDict({" + inside + "})";
    return typeName(node) + "(" + (isDict ? "{" + inside + "}" : inside) + ")";
}

/// A type among the arguments that neither language nor library brings along; empty when there is none.
std::string ownType(const Contract& contract) {
    for (const TreeSpecNode& node : contract.inSpec.nodes) {
        static const std::set<std::string, std::less<>> kKnown = {"builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict"};
        if (!node.isLeaf() && kKnown.count(node.type) == 0) return typeName(node);
    }
    return {};
}

/// The arguments in the caller's structure.
std::vector<std::string> pythonArguments(const Contract& contract, const std::vector<CallVariable>& variables) {
    const TreeSpec& spec = contract.inSpec;
    std::vector<std::string> arguments;
    const bool fits = !spec.nodes.empty() && spec.leafCount == contract.inputs.size() && spec.nodes.front().children.size() == 2;
    if (!fits) {
        for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
            const std::string text = leafText(contract, variables, static_cast<std::uint32_t>(i));
            arguments.push_back(contract.inputs[i].isKeyword ? contract.inputs[i].name + "=" + text : text);
        }
        return arguments;
    }
    // Children stand behind their parents, so from the end every child is finished before its parent takes it.
    std::vector<std::string> made(spec.nodes.size());
    const TreeSpecNode& root = spec.nodes.front();
    for (std::size_t i = spec.nodes.size(); i-- > 1;) {
        if (i == root.children[0] || i == root.children[1]) continue;
        const TreeSpecNode& node = spec.nodes[i];
        made[i] = node.isLeaf() ? leafText(contract, variables, node.leafIndex) : pythonNode(node, made);
        for (const std::uint32_t child : node.children) made[child].clear();
    }
    for (const std::uint32_t child : spec.nodes[root.children[0]].children) arguments.push_back(made[child]);
    const TreeSpecNode& keywords = spec.nodes[root.children[1]];
    for (std::size_t k = 0; k < keywords.children.size() && k < keywords.keys.size(); ++k)
        arguments.push_back(keywords.keys[k] + "=" + made[keywords.children[k]]);
    return arguments;
}

/// Lines that make the tensors, a remark behind those that have one.
std::string declarations(const Contract& contract, const std::vector<CallVariable>& variables, bool python) {
    std::string lines;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const CallVariable& variable = variables[i];
        if (variable.name.empty()) continue;
        const ContractInput& input = contract.inputs[i];
        lines += python ? variable.name + " = " + pythonTensor(input, variable)
                        : "    const at::Tensor " + variable.name + " = " + cppTensor(input, variable) + ";";
        if (!variable.remark.empty()) lines += (python ? "  # " : "  // ") + variable.remark;
        lines += "\n";
    }
    return lines;
}

}  // namespace

std::string callInPython(const Contract& contract, const std::string& file) {
    const std::vector<CallVariable> variables = variablesOf(contract);
    const std::string arguments = join(pythonArguments(contract, variables), ", ");
    std::string code = arguments.find("collections.") != std::string::npos ? "import collections\n\nimport torch\n" : "import torch\n";
    if (contract.hasCompiled && contract.model != "model") code += "from torch._inductor.package import load_package\n";
    const std::string own = ownType(contract);
    if (!own.empty()) code += "\n# " + own + "(...) is a class of the model's author, to be imported.\n";
    code += "\n";
    if (contract.hasCompiled) {
        // aoti_load_package loads the model called "model" and no other.
        code += contract.model == "model" ? "model = torch._inductor.aoti_load_package(" + quoted(file) + ")\n"
                                          : "model = load_package(" + quoted(file) + ", model_name=" + quoted(contract.model) + ")\n";
    } else {
        code += "model = torch.export.load(" + quoted(file) + ").module()\n";
    }
    return code + declarations(contract, variables, true) + "result = model(" + arguments + ")\n";
}

std::string callInCpp(const Contract& contract, const std::string& file) {
    if (!contract.hasCompiled) return "// C++ runs compiled models only, and this file holds none: recompile the program first.\n";
    const std::vector<CallVariable> variables = variablesOf(contract);
    std::vector<std::pair<std::size_t, std::string>> tensors;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (contract.inputs[i].tensorIndex) tensors.emplace_back(*contract.inputs[i].tensorIndex, variables[i].name);
    }
    std::sort(tensors.begin(), tensors.end());
    std::vector<std::string> names;
    for (const auto& [index, name] : tensors) names.push_back(name);
    std::string code =
        "#include <torch/csrc/inductor/aoti_package/model_package_loader.h>\n#include <torch/torch.h>\n\n#include <vector>\n\n"
        "int main() {\n    const c10::InferenceMode guard;\n    torch::inductor::AOTIModelPackageLoader model(";
    code += quoted(file) + (contract.model == "model" ? ");\n" : ", " + quoted(contract.model) + ");\n");
    code += declarations(contract, variables, false);
    code += "    const std::vector<at::Tensor> inputs = {" + join(names, ", ") + "};\n";
    code += "    const std::vector<at::Tensor> outputs = model.run(inputs);\n    return outputs.empty() ? 1 : 0;\n}\n";
    return code;
}

}  // namespace pt2

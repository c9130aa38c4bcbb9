#include "core/program/printed_value.h"

#include <array>
#include <cmath>

#include "core/base/text.h"

namespace pt2 {

namespace {

std::string complexRepr(double real, double imaginary) {
    const auto part = [](double value) {
        std::string text = pythonFloatRepr(value);
        if (text.size() > 2 && text.substr(text.size() - 2) == ".0") text.resize(text.size() - 2);
        return text;
    };
    std::string second = part(imaginary) + "j";
    if (real == 0 && !std::signbit(real)) return second;
    if (second[0] != '-') second.insert(second.begin(), '+');
    return "(" + part(real) + second + ")";
}

const char* layoutName(std::int64_t number) {
    constexpr std::array<const char*, 8> names = {"torch.unknown",    "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc",
                                                  "torch.sparse_bsr", "torch.sparse_bsc", "torch._mkldnn",    "torch.strided"};
    return number >= 0 && number < 8 ? names[static_cast<std::size_t>(number)] : names[0];
}

const char* memoryFormatName(std::int64_t number) {
    constexpr std::array<const char*, 5> names = {"torch.unknown", "torch.contiguous_format", "torch.channels_last", "torch.channels_last_3d",
                                                  "torch.preserve_format"};
    return number >= 0 && number < 5 ? names[static_cast<std::size_t>(number)] : names[0];
}

std::string dtypeText(std::int64_t number) {
    const DType dtype = dtypeFromSchema(static_cast<int>(number));
    return dtype == DType::Unknown ? "torch.unknown_dtype_" + std::to_string(number) : std::string("torch.") + dtypeName(dtype);
}

}  // namespace

std::string printValues(const Program& program, IdRange arguments, char open, char close, const PrintedNames& names) {
    std::string text(1, open);
    for (std::uint32_t i = arguments.begin; i < arguments.end; ++i) {
        if (i > arguments.begin) text += ", ";
        text += printValue(program, program.argument(i), names);
    }
    if (open == '(' && arguments.size() == 1) text += ',';
    return text + close;
}

std::string printValue(const Program& program, const Argument& a, const PrintedNames& names) {
    if (a.value != kNone) return names.value(a.value);
    switch (a.kind) {
        case ArgumentKind::None: return "None";
        case ArgumentKind::Tensor:
        case ArgumentKind::CustomObj: return std::string(a.text);
        case ArgumentKind::SymInt:
        case ArgumentKind::Int: return a.text.empty() ? std::to_string(a.integer) : std::string(a.text);
        case ArgumentKind::SymFloat:
        case ArgumentKind::Float: return a.text.empty() ? pythonFloatRepr(a.real) : std::string(a.text);
        case ArgumentKind::SymBool:
        case ArgumentKind::Bool: return !a.text.empty() ? std::string(a.text) : a.integer != 0 ? "True" : "False";
        case ArgumentKind::String: return pythonStringRepr(a.text);
        case ArgumentKind::ScalarType: return dtypeText(a.integer);
        case ArgumentKind::MemoryFormat: return memoryFormatName(a.integer);
        case ArgumentKind::Layout: return layoutName(a.integer);
        case ArgumentKind::Device:
            return "device(type=" + pythonStringRepr(a.text) + (a.integer >= 0 ? ", index=" + std::to_string(a.integer) : std::string()) + ")";
        case ArgumentKind::Operator: return std::string(a.text);
        case ArgumentKind::Complex: return complexRepr(a.real, a.imaginary);
        case ArgumentKind::Graph: return names.graph(a);
        case ArgumentKind::OptionalTensor: return a.children.size() == 1 ? printValue(program, program.argument(a.children.begin), names) : "None";
        case ArgumentKind::IntLists: {
            std::string text = "[";
            for (std::uint32_t i = a.children.begin; i < a.children.end; ++i) {
                if (i > a.children.begin) text += ", ";
                text += printValues(program, program.argument(i).children, '(', ')', names);
            }
            return text + "]";
        }
        case ArgumentKind::StringToArgument: {
            std::string text = "{";
            for (std::uint32_t i = a.children.begin; i + 1 < a.children.end; i += 2) {
                if (i > a.children.begin) text += ", ";
                text += printValue(program, program.argument(i), names) + ": " + printValue(program, program.argument(i + 1), names);
            }
            return text + "}";
        }
        case ArgumentKind::Unknown: return std::string(a.text);
        default: return printValues(program, a.children, '[', ']', names);
    }
}

}  // namespace pt2

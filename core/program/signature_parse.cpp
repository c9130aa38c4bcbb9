#include "core/program/program_reader.h"
#include "core/program/treespec.h"

namespace pt2 {

// What the caller sees of a program (format.md 2.2): the kinds of its inputs and outputs, and how its call is laid out.

bool ProgramReader::readSignature() {
    const std::uint32_t token = reader_.position();
    bool inputs = false, outputs = false;
    graph_ = 0;
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "input_specs") {
            inputs = true;
            return reader_.readArray([&] { return readInputSpec(); });
        }
        if (key == "output_specs") {
            outputs = true;
            return reader_.readArray([&] { return readOutputSpec(); });
        }
        return reader_.skip();
    });
    if (!read) return false;
    if (!inputs) return isMissing(token, "input_specs");
    if (!outputs) return isMissing(token, "output_specs");
    const Graph& root = out_.graphs[0];
    const auto compareCounts = [&](std::size_t graph, std::size_t specs, const char* what) {
        if (graph == specs) return;
        note(Severity::Error, "program.signature-length", token,
             "The graph has " + std::to_string(graph) + " " + what + ", its signature " + std::to_string(specs) + ".",
             "torch refuses this file; export the program again.");
    };
    compareCounts(root.inputs.size(), out_.inputSpecs.size(), "inputs");
    compareCounts(root.outputs.size(), out_.outputSpecs.size(), "outputs");
    return true;
}

bool ProgramReader::readInputSpec() {
    InputSpec spec;
    const std::uint32_t token = reader_.position();
    Argument argument;
    bool hasArgument = false, known = false;
    const bool read = reader_.readObject([&](std::string_view tag) {
        if (reader_.atNull()) return reader_.skip();
        const char* targetKey = "";
        if (tag == "user_input") {
            spec.kind = InputKind::UserInput;
        } else if (tag == "parameter") {
            spec.kind = InputKind::Parameter;
            targetKey = "parameter_name";
        } else if (tag == "buffer") {
            spec.kind = InputKind::Buffer;
            targetKey = "buffer_name";
        } else if (tag == "tensor_constant") {
            spec.kind = InputKind::ConstantTensor;
            targetKey = "tensor_constant_name";
        } else if (tag == "custom_obj") {
            spec.kind = InputKind::CustomObj;
            targetKey = "custom_obj_name";
        } else if (tag == "token") {
            spec.kind = InputKind::Token;
        } else if (tag == "constant_input") {
            spec.kind = InputKind::UserInput;
            spec.isConstant = true;
        } else {
            spec.kind = InputKind::Unknown;
            spec.target = tag;
            note(Severity::Warning, "program.unknown-input-kind", token, "The kind " + quoted(tag) + " of a graph input is not known here.",
                 "A newer pt2scope may know it.");
            return reader_.skip();
        }
        known = true;
        return reader_.readObject([&](std::string_view key) {
            if (key == "arg") {
                hasArgument = true;
                if (spec.kind == InputKind::UserInput) return readArgument(argument, kNone, 0);
                argument.kind = spec.kind == InputKind::CustomObj ? ArgumentKind::CustomObj : ArgumentKind::Tensor;
                return readNameObject(argument);
            }
            if (key == "value" && spec.isConstant) {
                hasArgument = true;
                return readArgument(argument, kNone, 0);
            }
            if (key == "name" && spec.isConstant) return reader_.readString(spec.name);
            if (key == targetKey) return reader_.readString(spec.target);
            if (key == "persistent" && !reader_.atNull()) {
                bool persistent = false;
                if (!reader_.readBool(persistent)) return false;
                spec.persistent = persistent;
                return true;
            }
            return reader_.skip();
        });
    });
    if (!read) return false;
    if (known && !hasArgument) return isMissing(token, spec.isConstant ? "value" : "arg");
    if (!known && spec.kind != InputKind::Unknown) {
        spec.kind = InputKind::Unknown;
        note(Severity::Warning, "program.unknown-input-kind", token, "A graph input has no kind.");
    }
    if (spec.kind == InputKind::Buffer && !spec.persistent) spec.persistent = true;  // before schema 5.1 there were no others
    if (hasArgument) {
        if (!spec.isConstant) spec.name = argument.value != kNone ? out_.values[argument.value].name : argument.text;
        if (!spec.isConstant && argument.value == kNone && argument.kind != ArgumentKind::Tensor && argument.kind != ArgumentKind::CustomObj)
            spec.name = {};
        spec.argument = keep(argument);
    }
    const JsonRange text = reader_.rangeSince(token);
    spec.text = {text.begin, text.end};
    const std::size_t index = out_.inputSpecs.size();
    const Graph& root = out_.graphs[0];
    if (known && !spec.isConstant && index < root.inputs.size()) {
        const ValueId expected = out_.arguments[root.inputs.begin + index].value;
        if (expected != argument.value) {
            note(Severity::Error, "program.signature-name", token,
                 "Entry " + std::to_string(index) + " of the signature's inputs names " + quoted(spec.name) + ", the graph's input there is " +
                     quoted(expected == kNone ? std::string_view("a constant") : out_.values[expected].name) + ".");
        }
    }
    out_.inputSpecs.push_back(spec);
    return true;
}

bool ProgramReader::readOutputSpec() {
    OutputSpec spec;
    const std::uint32_t token = reader_.position();
    Argument argument;
    bool hasArgument = false, known = false;
    const bool read = reader_.readObject([&](std::string_view tag) {
        if (reader_.atNull()) return reader_.skip();
        const char* targetKey = "";
        if (tag == "user_output") {
            spec.kind = OutputKind::UserOutput;
        } else if (tag == "loss_output") {
            spec.kind = OutputKind::LossOutput;
        } else if (tag == "buffer_mutation") {
            spec.kind = OutputKind::BufferMutation;
            targetKey = "buffer_name";
        } else if (tag == "parameter_mutation") {
            spec.kind = OutputKind::ParameterMutation;
            targetKey = "parameter_name";
        } else if (tag == "gradient_to_parameter") {
            spec.kind = OutputKind::GradientToParameter;
            targetKey = "parameter_name";
        } else if (tag == "gradient_to_user_input") {
            spec.kind = OutputKind::GradientToUserInput;
            targetKey = "user_input_name";
        } else if (tag == "user_input_mutation") {
            spec.kind = OutputKind::UserInputMutation;
            targetKey = "user_input_name";
        } else if (tag == "token") {
            spec.kind = OutputKind::Token;
        } else {
            spec.kind = OutputKind::Unknown;
            spec.target = tag;
            note(Severity::Warning, "program.unknown-output-kind", token, "The kind " + quoted(tag) + " of a graph output is not known here.",
                 "A newer pt2scope may know it.");
            return reader_.skip();
        }
        known = true;
        return reader_.readObject([&](std::string_view key) {
            if (key == "arg") {
                hasArgument = true;
                if (spec.kind == OutputKind::UserOutput) return readArgument(argument, kNone, 0);
                argument.kind = ArgumentKind::Tensor;
                return readNameObject(argument);
            }
            if (key == targetKey) return reader_.readString(spec.target);
            return reader_.skip();
        });
    });
    if (!read) return false;
    if (known && !hasArgument) return isMissing(token, "arg");
    if (!known && spec.kind != OutputKind::Unknown) {
        spec.kind = OutputKind::Unknown;
        note(Severity::Warning, "program.unknown-output-kind", token, "A graph output has no kind.");
    }
    if (hasArgument) {
        if (argument.value != kNone) {
            spec.name = out_.values[argument.value].name;
        } else if (argument.kind == ArgumentKind::Tensor || argument.kind == ArgumentKind::CustomObj) {
            spec.name = argument.text;
        }
        spec.argument = keep(argument);
    }
    const JsonRange text = reader_.rangeSince(token);
    spec.text = {text.begin, text.end};
    out_.outputSpecs.push_back(spec);
    return true;
}

bool ProgramReader::readModuleCallGraph() {
    return reader_.readArray([&] {
        ModuleCallEntry entry;
        const std::uint32_t token = reader_.position();
        bool hasFqn = false;
        const bool read = reader_.readObject([&](std::string_view key) {
            if (key == "fqn") {
                hasFqn = true;
                return reader_.readString(entry.fqn);
            }
            if (key == "signature" && !reader_.atNull()) {
                entry.hasSignature = true;
                return readModuleCallSignature(entry);
            }
            return reader_.skip();
        });
        if (!read) return false;
        if (!hasFqn) return isMissing(token, "fqn");
        out_.moduleCallGraph.push_back(std::move(entry));
        return true;
    });
}

bool ProgramReader::readModuleCallSignature(ModuleCallEntry& entry) {
    return reader_.readObject([&](std::string_view key) {
        if (key == "in_spec" && reader_.atString()) return reader_.readString(entry.inSpec);
        if (key == "out_spec" && reader_.atString()) return reader_.readString(entry.outSpec);
        if (key == "forward_arg_names" && !reader_.atNull()) return readStrings(entry.forwardArgNames);
        if (key == "inputs") return readArgumentList(entry.inputs, kNone);
        if (key == "outputs") return readArgumentList(entry.outputs, kNone);
        return reader_.skip();
    });
}

void ProgramReader::checkTreeSpecs(std::uint32_t token) {
    for (const ModuleCallEntry& entry : out_.moduleCallGraph) {
        if (!entry.fqn.empty() || !entry.hasSignature) continue;
        for (const std::string_view text : {entry.inSpec, entry.outSpec}) {
            const Result<TreeSpec> spec = TreeSpec::parse(text, out_.namedtupleFields);
            if (!spec) note(Severity::Error, "program.treespec", token, spec.error().what + " " + spec.error().why, spec.error().help);
        }
    }
}

bool ProgramReader::readNamedtupleFields() {
    return reader_.readObject([&](std::string_view name) {
        std::vector<std::string_view> fields;
        const bool read = reader_.readObject([&](std::string_view key) { return key == "field_names" ? readStrings(fields) : reader_.skip(); });
        if (!read) return false;
        out_.namedtupleFields[std::string(name)].assign(fields.begin(), fields.end());
        return true;
    });
}

}  // namespace pt2

#include <algorithm>

#include "core/program/program_reader.h"

namespace pt2 {

namespace {

void copyTensorFields(const Value& from, Value& to) {
    to.dtype = from.dtype;
    to.sizesKnown = from.sizesKnown;
    to.sizes = from.sizes;
    to.strides = from.strides;
    to.storageOffset = from.storageOffset;
    to.requiresGrad = from.requiresGrad;
    to.layout = from.layout;
    to.device = from.device;
}

}  // namespace

Value& ProgramReader::define(std::string_view name, ValueKind kind) {
    const ValueId id = out_.valueTable.enter(out_.values, graph_, name);
    Value& value = out_.values[id];
    if (value.kind != ValueKind::Untyped) {
        note(Severity::Warning, "program.duplicate-key", reader_.position(),
             "The value \"" + std::string(name.substr(0, 80)) + "\" is described twice; the last description is used.");
    }
    value.kind = kind;
    return value;
}

bool ProgramReader::readTensorValues() {
    return reader_.readObject([&](std::string_view name) {
        const std::uint32_t token = reader_.position();
        if (!reader_.skip()) return false;
        const std::uint32_t end = reader_.position();
        Value& value = define(name, ValueKind::Tensor);
        const JsonRange text = reader_.rangeSince(token);
        value.text = {text.begin, text.end};
        // Many values of a program share their description to the letter, so each distinct one is read once.
        bool added = false;
        const std::uint32_t id = metaTexts_.enter(reader_.textSince(token), added);
        if (added) {
            metas_.emplace_back();
            reader_.seek(token);
            Value meta;
            if (!readTensorMeta(meta)) return false;
            metas_[id] = meta;
            reader_.seek(end);
        }
        copyTensorFields(metas_[id], value);
        return true;
    });
}

bool ProgramReader::readTensorMeta(Value& out) {
    const std::uint32_t token = reader_.position();
    if (!reader_.atObject()) {
        note(Severity::Error, "program.tensor-meta", token, "The description of a tensor is no object; its type and sizes are unknown.");
        return reader_.skip();
    }
    return readTensorMetaFields(out);
}

bool ProgramReader::readTensorMetaFields(Value& out) {
    const std::uint32_t token = reader_.position();
    bool dtype = false, sizes = false, strides = false;
    const auto odd = [&](std::string_view key) {
        note(Severity::Error, "program.tensor-meta", reader_.position(),
             "The field \"" + std::string(key) + "\" of a tensor has the wrong type; it is unknown.",
             "torch refuses this file; export the program again.");
        return reader_.skip();
    };
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "dtype") {
            if (!reader_.atNumber()) {
                dtype = true;
                return odd(key);
            }
            std::int64_t number = 0;
            const std::uint32_t at = reader_.position();
            if (!reader_.readInteger(number)) return false;
            dtype = true;
            out.dtype = number >= 0 && number < 256 ? dtypeFromSchema(static_cast<int>(number)) : DType::Unknown;
            if (out.dtype == DType::Unknown) {
                note(Severity::Warning, "program.dtype", at, "The dtype number " + std::to_string(number) + " is not known here.");
            }
            return true;
        }
        if (key == "sizes") {
            sizes = true;
            if (!reader_.atArray()) return odd(key);
            out.sizesKnown = true;
            return readSymInts(out.sizes);
        }
        if (key == "strides") {
            strides = true;
            return reader_.atArray() ? readSymInts(out.strides) : odd(key);
        }
        if (key == "storage_offset") return reader_.atObject() || reader_.atNumber() ? readSymInt(out.storageOffset) : odd(key);
        if (key == "requires_grad") return reader_.atBoolean() ? reader_.readBool(out.requiresGrad) : odd(key);
        if (key == "layout") {
            if (!reader_.atNumber()) return odd(key);
            std::int64_t number = 0;
            if (!reader_.readInteger(number)) return false;
            out.layout = number >= 0 && number < 256 ? static_cast<int>(number) : 0;
            return true;
        }
        if (key == "device") return reader_.atObject() ? readDevice(out.device) : odd(key);
        return reader_.skip();
    });
    if (!read) return false;
    if (!dtype || !sizes || !strides) {
        note(Severity::Error, "program.tensor-meta", token,
             std::string("The description of a tensor lacks \"") +
                 (!dtype   ? "dtype"
                  : !sizes ? "sizes"
                           : "strides") +
                 "\".",
             "torch refuses this file; export the program again.");
    }
    return true;
}

bool ProgramReader::readDevice(Device& out) {
    return reader_.readObject([&](std::string_view key) {
        if (key == "type") return reader_.readString(out.type);
        if (key == "index" && !reader_.atNull()) {
            std::int64_t index = 0;
            if (!reader_.readInteger(index)) return false;
            out.index = static_cast<int>(std::clamp<std::int64_t>(index, -1, 1'000'000));
            return true;
        }
        return reader_.skip();
    });
}

bool ProgramReader::readSymInts(IdRange& out) {
    out.begin = static_cast<std::uint32_t>(out_.symInts.size());
    const bool read = reader_.readArray([&] {
        SymInt value;
        if (reader_.atNumber()) {
            note(Severity::Warning, "program.tensor-meta", reader_.position(), "A dimension is a bare number instead of an object.",
                 "torch refuses this file; export the program again.");
        }
        if (!readSymInt(value)) return false;
        out_.symInts.push_back(value);
        return true;
    });
    out.end = static_cast<std::uint32_t>(out_.symInts.size());
    return read;
}

bool ProgramReader::readSymInt(SymInt& out) {
    if (reader_.atNumber()) return reader_.readInteger(out.integer);  // storage offsets up to torch 2.2
    const std::uint32_t token = reader_.position();
    bool found = false;
    const bool read = reader_.readObject([&](std::string_view tag) {
        if (reader_.atNull()) return reader_.skip();
        found = true;
        if (tag == "as_int") return reader_.readInteger(out.integer);
        if (tag == "as_expr") return readExpression(out);
        return reader_.fault("neither \"as_int\" nor \"as_expr\"");
    });
    return read && (found || reader_.faultAt(token, "a dimension has no value"));
}

bool ProgramReader::readExpression(SymInt& out) {
    const std::uint32_t token = reader_.position();
    std::string_view text;
    bool found = false;
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "expr_str") {
            found = true;
            return reader_.readString(text);
        }
        if (key == "hint" && reader_.atObject()) {
            return reader_.readObject([&](std::string_view tag) {
                if (tag != "as_int" || !reader_.atNumber()) return reader_.skip();
                std::int64_t hint = 0;
                if (!reader_.readInteger(hint)) return false;
                out.hint = hint;
                return true;
            });
        }
        return reader_.skip();
    });
    if (!read) return false;
    if (!found) return isMissing(token, "expr_str");
    bool added = false;
    out.expr = out_.expressionTexts.enter(text, added);
    if (added) {
        Result<SymExpr> parsed = SymExpr::parse(text);
        if (!parsed) {
            note(Severity::Error, "program.expression", token, parsed.error().what + " " + parsed.error().why,
                 "It is shown as it stands; nothing is claimed about it.");
            out_.expressions.emplace_back(std::nullopt);
        } else if (!parsed->isConstant() && parsed->symbols().empty() && !parsed->evaluate({})) {
            note(Severity::Error, "program.expression", token, "The expression " + quoted(text) + " has no symbol and no value that fits 64 bits.");
            out_.expressions.emplace_back(std::move(*parsed));
        } else {
            out_.expressions.emplace_back(std::move(*parsed));
        }
    }
    // A number in the clothes of an expression is a number.
    if (const std::optional<SymExpr>& expression = out_.expressions[out.expr]) {
        if (const std::optional<std::int64_t> number = expression->asInteger()) {
            out.integer = *number;
            out.expr = kNone;
        }
    }
    return true;
}

bool ProgramReader::readSymbolicValues(ValueKind kind) {
    return reader_.readObject([&](std::string_view name) {
        const std::uint32_t token = reader_.position();
        SymInt symbolic;
        double real = 0;
        bool found = false;
        const bool read = reader_.readObject([&](std::string_view tag) {
            if (reader_.atNull()) return reader_.skip();
            found = true;
            if (tag == "as_expr") return readExpression(symbolic);
            if (tag == "as_int" && kind == ValueKind::SymInt) return reader_.readInteger(symbolic.integer);
            if (tag == "as_float" && kind == ValueKind::SymFloat) return reader_.readReal(real);
            if (tag == "as_bool" && kind == ValueKind::SymBool) {
                bool truth = false;
                if (!reader_.readBool(truth)) return false;
                symbolic.integer = truth ? 1 : 0;
                return true;
            }
            return reader_.fault("this kind of symbolic value is not known here");
        });
        if (!read) return false;
        if (!found) return reader_.faultAt(token, "a symbolic value has no value");
        Value& value = define(name, kind);
        value.symbolic = symbolic;
        value.real = real;
        const JsonRange text = reader_.rangeSince(token);
        value.text = {text.begin, text.end};
        return true;
    });
}

bool ProgramReader::readCustomObjects() {
    return reader_.readObject([&](std::string_view name) {
        const std::uint32_t token = reader_.position();
        std::string_view classFqn;
        const bool read =
            reader_.readObject([&](std::string_view key) { return key == "class_fqn" ? reader_.readString(classFqn) : reader_.skip(); });
        if (!read) return false;
        Value& value = define(name, ValueKind::CustomObj);
        value.classFqn = classFqn;
        const JsonRange text = reader_.rangeSince(token);
        value.text = {text.begin, text.end};
        return true;
    });
}

}  // namespace pt2

#include "core/contract/input_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/tensor/npy.h"
#include "core/tensor/pickle.h"
#include "core/tensor/safetensors.h"

namespace pt2 {
namespace {

constexpr const char* kSpecHelp =
    "A SPEC is randn, rand, zeros, ones, arange, full(V) or randint(LO,HI), each with an optional shape and dtype (randn[512,16]:float32); "
    "@FILE.npy, @FILE.npz:key, @FILE.pt:key or @FILE.safetensors:key; or a JSON literal ([[1,2],[3,4]], 3, true).";

tl::unexpected<Error> badSpec(std::string_view spec, std::string why) {
    return fail({ErrorKind::Usage,
                 "input.bad-spec",
                 "The input \"" + escapeForDisplay(spec.substr(0, 80)) + "\" is not understood.",
                 {},
                 std::move(why),
                 kSpecHelp});
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::optional<double> numberOf(std::string_view text) {
    text = trimmed(text);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text == "true" || text == "True") return 1;
    if (text == "false" || text == "False") return 0;
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Result<InputSpecText> parseFile(std::string_view spec) {
    InputSpecText parsed;
    parsed.kind = InputSpecText::Kind::File;
    std::string_view rest = spec.substr(1);
    for (const std::string_view end : {".npy", ".npz", ".safetensors", ".pth", ".pt"}) {
        std::size_t at = rest.find(end);
        while (at != std::string_view::npos && at + end.size() < rest.size() && rest[at + end.size()] != ':') at = rest.find(end, at + 1);
        if (at == std::string_view::npos) continue;
        parsed.file = std::string(rest.substr(0, at + end.size()));
        if (at + end.size() < rest.size()) parsed.key = std::string(rest.substr(at + end.size() + 1));
        return parsed;
    }
    return badSpec(spec, "A file must end in .npy, .npz, .pt or .safetensors.");
}

/// 10,16 of randn[10,16].
Result<std::vector<std::int64_t>> parseShape(std::string_view spec, std::string_view text) {
    std::vector<std::int64_t> shape;
    if (trimmed(text).empty()) return shape;
    for (const std::string_view part : splitView(text, ',')) {
        const std::string_view digits = trimmed(part);
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        const bool last = part.data() + part.size() == text.data() + text.size();
        if (digits.empty() && last && !shape.empty()) break;  // [3,]
        if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || size < 0) {
            return badSpec(spec, "\"" + escapeForDisplay(digits) + "\" is not a size.");
        }
        shape.push_back(size);
    }
    return shape;
}

template <typename Next>
Result<Tensor> fill(DType dtype, const std::vector<std::int64_t>& sizes, const CancelToken& cancel, Next next) {
    if (dtype == DType::Unknown) {
        return fail(
            {ErrorKind::Usage, "input.no-dtype", "The type of the input is not known.", {}, {}, "Say it in the SPEC, as in randn[4,16]:float32."});
    }
    Result<NewTensor> made = allocateTensor(dtype, sizes);
    if (!made) return fail(made.error());
    const Result<std::uint64_t> count = made->tensor.layout.elementCount();
    if (!count) return fail(count.error());
    constexpr std::uint64_t kChunk = 1U << 16;
    const bool complex = isComplex(dtype);
    const std::size_t width = dtypeSize(dtype);
    std::uint64_t done = 0;
    while (done < *count) {
        if (cancel.requested()) return cancelled();
        const std::uint64_t now = std::min(kChunk, *count - done);
        Result<NewTensor> chunk = allocateTensor(complex ? DType::Complex128 : DType::Float64, {static_cast<std::int64_t>(now)});
        if (!chunk) return fail(chunk.error());
        for (std::uint64_t i = 0; i < now * (complex ? 2 : 1); ++i) {
            const double value = next();
            std::memcpy(chunk->bytes.data() + i * sizeof(double), &value, sizeof(double));
        }
        Result<Tensor> cast = castTo(chunk->tensor, dtype);
        if (!cast) return fail(cast.error());
        std::memcpy(made->bytes.data() + done * width, cast->storage.data(), static_cast<std::size_t>(now * width));
        done += now;
    }
    return made->tensor;
}

}  // namespace

Result<InputSpecText> parseInputSpec(std::string_view spec) {
    spec = trimmed(spec);
    if (spec.empty()) return badSpec(spec, "It is empty.");
    if (spec.front() == '@') return parseFile(spec);
    struct Named {
        std::string_view name;
        InputSpecText::Kind kind;
        std::size_t arguments;
    };
    using Kind = InputSpecText::Kind;
    static constexpr std::array<Named, 7> kGenerators = {{{"randn", Kind::Randn, 0},
                                                          {"rand", Kind::Rand, 0},
                                                          {"zeros", Kind::Zeros, 0},
                                                          {"ones", Kind::Ones, 0},
                                                          {"arange", Kind::Arange, 0},
                                                          {"full", Kind::Full, 1},
                                                          {"randint", Kind::Randint, 2}}};
    const std::string_view word = spec.substr(0, std::min(spec.find_first_of("([:"), spec.size()));
    const auto* found = std::find_if(kGenerators.begin(), kGenerators.end(), [&](const Named& g) { return g.name == trimmed(word); });
    InputSpecText parsed;
    if (found == kGenerators.end()) {
        parsed.kind = Kind::Literal;
        parsed.literal = std::string(spec);
        if (nlohmann::json::accept(parsed.literal)) return parsed;
        std::vector<std::string> names;
        for (const Named& g : kGenerators) names.emplace_back(g.name);
        const std::string nearest = nearestName(trimmed(word), names);
        return badSpec(spec, nearest.empty() ? "It is neither a generator nor a JSON literal." : "Did you mean " + nearest + "?");
    }
    parsed.kind = found->kind;
    parsed.name = std::string(found->name);
    std::string_view rest = spec.substr(word.size());
    std::vector<double> arguments;
    if (!rest.empty() && rest.front() == '(') {
        const std::size_t close = rest.find(')');
        if (close == std::string_view::npos) return badSpec(spec, "A bracket is not closed.");
        if (!trimmed(rest.substr(1, close - 1)).empty()) {
            for (const std::string_view part : splitView(rest.substr(1, close - 1), ',')) {
                const std::optional<double> number = numberOf(part);
                if (!number) return badSpec(spec, "\"" + escapeForDisplay(part) + "\" is not a number.");
                arguments.push_back(*number);
            }
        }
        rest = trimmed(rest.substr(close + 1));
    }
    if (arguments.size() != found->arguments) {
        return badSpec(spec, parsed.name + (found->arguments == 0   ? " takes no values."
                                            : found->arguments == 1 ? " takes one value."
                                                                    : " takes two values."));
    }
    if (found->arguments > 0) parsed.low = arguments[0];
    if (found->arguments > 1) {
        parsed.high = arguments[1];
        const bool whole = parsed.low == std::floor(parsed.low) && parsed.high == std::floor(parsed.high);
        if (!whole || !(parsed.low < parsed.high) || std::fabs(parsed.low) > 9e18 || std::fabs(parsed.high) > 9e18) {
            return badSpec(spec, "randint(LO,HI) needs whole numbers with LO below HI.");
        }
    }
    if (!rest.empty() && rest.front() == '[') {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos) return badSpec(spec, "A bracket is not closed.");
        Result<std::vector<std::int64_t>> shape = parseShape(spec, rest.substr(1, close - 1));
        if (!shape) return fail(shape.error());
        parsed.shape = std::move(*shape);
        rest = trimmed(rest.substr(close + 1));
    }
    if (!rest.empty() && rest.front() == ':') {
        parsed.dtype = dtypeFromName(trimmed(rest.substr(1)));
        if (!parsed.dtype || *parsed.dtype == DType::Unknown) return badSpec(spec, "\"" + escapeForDisplay(rest.substr(1)) + "\" is not a dtype.");
        rest = {};
    }
    if (!rest.empty()) return badSpec(spec, "\"" + escapeForDisplay(rest) + "\" is left over.");
    return parsed;
}

Result<Tensor> generate(const InputSpecText& spec, DType dtype, const std::vector<std::int64_t>& sizes, std::uint64_t seed,
                        const CancelToken& cancel) {
    DocumentedGenerator generator(seed);
    using Kind = InputSpecText::Kind;
    double index = 0;
    switch (spec.kind) {
        case Kind::Randn: return fill(dtype, sizes, cancel, [&] { return generator.normal(); });
        case Kind::Rand: return fill(dtype, sizes, cancel, [&] { return generator.uniform(); });
        case Kind::Ones: return fill(dtype, sizes, cancel, [] { return 1.0; });
        case Kind::Full: return fill(dtype, sizes, cancel, [&] { return spec.low; });
        case Kind::Randint:
            return fill(dtype, sizes, cancel,
                        [&] { return generator.integer(static_cast<std::int64_t>(spec.low), static_cast<std::int64_t>(spec.high)); });
        case Kind::Arange: return fill(dtype, sizes, cancel, [&] { return index++; });
        default: break;
    }
    return fill(dtype, sizes, cancel, [] { return 0.0; });
}

Result<Tensor> generateDefault(DType dtype, const std::vector<std::int64_t>& sizes, std::optional<std::int64_t> indexBound, std::uint64_t seed,
                               const CancelToken& cancel) {
    DocumentedGenerator generator(seed);
    if (isFloating(dtype) || isComplex(dtype)) return fill(dtype, sizes, cancel, [&] { return generator.normal(); });
    const std::int64_t below = dtype == DType::Bool ? 2 : std::max<std::int64_t>(indexBound.value_or(2), 1);
    return fill(dtype, sizes, cancel, [&] { return generator.integer(0, below); });
}

std::function<Result<Tensor>(const TensorLayout&, const CancelToken&)> defaultGenerator(std::optional<std::int64_t> indexBound, std::uint64_t seed) {
    return [indexBound, seed](const TensorLayout& layout, const CancelToken& cancel) {
        return generateDefault(layout.dtype, layout.sizes, indexBound, seed, cancel);
    };
}

std::string defaultGeneratorText(DType dtype, std::optional<std::int64_t> indexBound) {
    if (isFloating(dtype) || isComplex(dtype)) return "randn";
    if (dtype != DType::Bool && indexBound) return "integers below " + std::to_string(*indexBound);
    return dtype == DType::Bool ? "random true or false" : "random 0 or 1";
}

Result<Tensor> tensorFromLiteral(std::string_view text, DType suggested) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) return badSpec(text, "It is not JSON.");
    std::vector<std::int64_t> sizes;
    for (const nlohmann::json* level = &json; level->is_array(); level = &level->front()) {
        sizes.push_back(static_cast<std::int64_t>(level->size()));
        if (level->empty()) break;
        if (sizes.size() > 32) return badSpec(text, "It is nested more than 32 deep.");
    }
    bool allBool = true, allWhole = true;
    std::vector<double> values;
    // Iterative walk: each entry is a list and the next element of it.
    std::vector<std::pair<const nlohmann::json*, std::size_t>> stack;
    const auto leaf = [&](const nlohmann::json& value) {
        if (stack.size() != sizes.size() || (!value.is_number() && !value.is_boolean())) return false;
        allBool = allBool && value.is_boolean();
        allWhole = allWhole && (value.is_boolean() || value.is_number_integer());
        values.push_back(value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>());
        return true;
    };
    const char* ragged = "It must be a number, true, false, or lists of them of equal lengths.";
    if (!json.is_array()) {
        if (!leaf(json)) return badSpec(text, ragged);
    } else {
        stack.emplace_back(&json, 0);
    }
    while (!stack.empty()) {
        auto& [list, next] = stack.back();
        if (static_cast<std::int64_t>(list->size()) != sizes[stack.size() - 1]) return badSpec(text, ragged);
        if (next == list->size()) {
            stack.pop_back();
            continue;
        }
        const nlohmann::json& value = (*list)[next++];
        if (value.is_array()) {
            if (stack.size() >= sizes.size()) return badSpec(text, ragged);
            stack.emplace_back(&value, 0);
        } else if (!leaf(value)) {
            return badSpec(text, ragged);
        }
    }
    DType dtype = allBool && !values.empty() ? DType::Bool : allWhole ? DType::Int64 : DType::Float32;
    const bool floating = isFloating(suggested) || isComplex(suggested);
    if (values.empty() && suggested != DType::Unknown) dtype = suggested;
    if (!allBool && (floating || (allWhole && isInteger(suggested)))) dtype = suggested;
    if (isComplex(dtype)) {
        std::vector<double> pairs;
        for (const double value : values) {
            pairs.push_back(value);
            pairs.push_back(0);
        }
        values = std::move(pairs);
    }
    std::size_t at = 0;
    return fill(dtype, sizes, {}, [&] { return values[at++]; });
}

namespace {

Result<ByteBuffer> readWholeFile(const std::string& path) {
    Result<File> file = File::openForReading(path);
    if (!file) return fail(file.error());
    ByteBuffer bytes(static_cast<std::size_t>(file->size()));
    const Status read = file->readAt(0, bytes);
    if (!read) return fail(read.error());
    return bytes;
}

Result<Tensor> pick(const std::string& file, const std::string& key, const std::vector<std::string>& names,
                    const std::function<Result<Tensor>(std::size_t)>& get) {
    if (key.empty() && names.size() == 1) return get(0);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!key.empty() && names[i] == key) return get(i);
    }
    const std::string there = names.empty() ? "It holds no tensors." : "It holds " + join(names, ", ") + ".";
    return fail({ErrorKind::Usage,
                 "input.no-key",
                 key.empty() ? "\"" + file + "\" holds several tensors." : "\"" + file + "\" holds no tensor \"" + escapeForDisplay(key) + "\".",
                 file,
                 {},
                 there + " Name one as @" + file + ":NAME."});
}

}  // namespace

Result<Tensor> tensorFromFile(const std::string& file, const std::string& key) {
    const auto endsWith = [&](std::string_view end) {
        return file.size() >= end.size() && std::string_view(file).substr(file.size() - end.size()) == end;
    };
    if (endsWith(".npy")) return readNpyFile(file);
    if (endsWith(".npz") || endsWith(".safetensors")) {
        Result<NamedTensors> tensors = endsWith(".npz") ? readNpzFile(file) : readSafetensorsFile(file);
        if (!tensors) return fail(tensors.error());
        std::vector<std::string> names;
        for (const auto& [name, tensor] : *tensors) names.push_back(name);
        return pick(file, key, names, [&](std::size_t i) -> Result<Tensor> { return (*tensors)[i].second; });
    }
    Result<ByteBuffer> bytes = readWholeFile(file);
    if (!bytes) return fail(bytes.error());
    Result<TorchSaveFile> saved = TorchSaveFile::read(std::move(*bytes));
    if (!saved) return fail(saved.error());
    const PickleNode& root = *saved->root();
    std::vector<std::string> names;
    std::vector<const PickleNode*> nodes;
    if (root.kind == PickleNode::Kind::Tensor) {
        names.emplace_back();
        nodes.push_back(&root);
    } else if (root.kind == PickleNode::Kind::Dict) {
        for (std::size_t i = 0; i + 1 < root.children.size(); i += 2) {
            if (root.children[i]->kind != PickleNode::Kind::String || root.children[i + 1]->kind != PickleNode::Kind::Tensor) continue;
            names.push_back(root.children[i]->text);
            nodes.push_back(root.children[i + 1].get());
        }
    } else if (root.kind == PickleNode::Kind::Tuple || root.kind == PickleNode::Kind::List) {
        for (std::size_t i = 0; i < root.children.size(); ++i) {
            if (root.children[i]->kind != PickleNode::Kind::Tensor) continue;
            names.push_back(std::to_string(i));
            nodes.push_back(root.children[i].get());
        }
    }
    return pick(file, key, names, [&](std::size_t i) { return saved->tensor(*nodes[i]); });
}

Result<Tensor> makeFromSpec(std::string_view text, DType suggestedDtype, const std::vector<std::int64_t>& suggestedSizes, std::uint64_t seed,
                            const CancelToken& cancel) {
    const Result<InputSpecText> spec = parseInputSpec(text);
    if (!spec) return fail(spec.error());
    if (spec->kind == InputSpecText::Kind::File) return tensorFromFile(spec->file, spec->key);
    if (spec->kind == InputSpecText::Kind::Literal) return tensorFromLiteral(spec->literal, suggestedDtype);
    const DType dtype = spec->dtype ? *spec->dtype : suggestedDtype != DType::Unknown ? suggestedDtype : spec->fallbackDtype();
    return generate(*spec, dtype, spec->shape ? *spec->shape : suggestedSizes, seed, cancel);
}

std::uint64_t DocumentedGenerator::next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

double DocumentedGenerator::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

double DocumentedGenerator::normal() {
    if (hasSpare_) {
        hasSpare_ = false;
        return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    const double angle = 2.0 * 3.14159265358979323846 * uniform();
    spare_ = radius * std::sin(angle);
    hasSpare_ = true;
    return radius * std::cos(angle);
}

double DocumentedGenerator::integer(std::int64_t low, std::int64_t high) {
    const double width = static_cast<double>(high) - static_cast<double>(low);
    return std::min(static_cast<double>(low) + std::floor(uniform() * width), static_cast<double>(high) - 1.0);
}

}  // namespace pt2

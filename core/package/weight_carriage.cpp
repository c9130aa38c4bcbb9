#include "core/package/weight_carriage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/compiled/constant_reader.h"

namespace pt2 {

namespace {

/// AOTInductor writes constants of at most one dimension and so many elements into the code as literals (format.md 3.5).
constexpr std::uint64_t kMostInlined = 8;
constexpr std::size_t kNameShown = 28;

/// All numbers that stand in a source, as doubles. Exponents and signs included; what follows ('f', "LL") does not matter.
std::set<double> literalsOf(std::string_view source) {
    std::set<double> found;
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto isWord = [&](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || isDigit(c); };
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!isDigit(source[i]) && !(source[i] == '.' && i + 1 < source.size() && isDigit(source[i + 1]))) continue;
        if (i > 0 && (isWord(source[i - 1]) || source[i - 1] == '.')) continue;
        double value = 0;
        const auto [end, problem] = std::from_chars(source.data() + i, source.data() + source.size(), value);
        if (problem == std::errc()) {
            const bool negative = i > 0 && source[i - 1] == '-';
            found.insert(negative ? -value : value);
        }
        i = std::max(i, static_cast<std::size_t>(end - source.data()) - 1);
    }
    return found;
}

/// Numbers so common in generated code that finding them proves nothing.
bool isTelling(double value) { return value != std::trunc(value) || value > 4096 || value < -4096; }

class Comparison {
public:
    Comparison(const WeightTable& table, const Package& package, const CompiledModel& model, bool values, const CancelToken& cancel,
               const ProgressSink& progress)
        : table_(table),
          archive_(package.archive()),
          model_(model),
          reader_(package.archive(), model),
          values_(values),
          cancel_(cancel),
          progress_(progress) {
        for (std::size_t i = 0; i < model.constants.size(); ++i) byName_.emplace(model.constants[i].fqn, i);
        std::set<std::string_view> names;
        for (const WeightRow& row : table.rows()) names.insert(row.name);
        for (const CompiledConstant& constant : model.constants) {
            if (!names.contains(constant.fqn)) own_.push_back(constant.fqn);
        }
    }

    Result<std::vector<CarriedBy>> run() {
        std::vector<CarriedBy> answers;
        const auto& rows = table_.rows();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (cancel_.requested()) return cancelled();
            report(progress_, {"comparing " + rows[i].name, i, rows.size(), Progress::Unit::Steps, {}});
            CarriedBy answer = judge(i);
            answer.place = placeOf(answer);
            if (cancel_.requested()) return cancelled();
            answers.push_back(std::move(answer));
        }
        return answers;
    }

private:
    std::string placeOf(const CarriedBy& answer) const {
        const auto constant = answer.constant.empty() ? byName_.end() : byName_.find(answer.constant);
        if (constant != byName_.end()) return constantPlace(model_.constants[constant->second]);
        if (answer.as == Carriage::BakedIn) return "in the code";
        return answer.as == Carriage::Absent ? "nowhere" : "";
    }

    CarriedBy judge(std::size_t index) {
        const WeightRow& row = table_.rows()[index];
        if (row.kind == WeightKind::Object) return {Carriage::Unknown, {}, "It is an object, which pt2scope does not compare."};
        const auto named = byName_.find(row.name);
        if (named != byName_.end()) return judgeNamed(index, named->second);
        if (!model_.wrapperSource || !model_.constantCount) {
            return {Carriage::Unknown, {}, "The compiled model's source is not in the package, so its constants are not known."};
        }
        if (!row.used) return {Carriage::Absent, {}, "Nothing in the program reads it, so it was not compiled in."};
        if (row.isSubclass) return {Carriage::Unknown, {}, "It is a tensor subclass; its parts are compiled, not it."};
        if (!row.problem.empty()) return {Carriage::Unknown, {}, row.problem};
        if (values_) {
            if (auto other = sameUnderOtherName(index)) return *other;
            if (auto baked = bakedIn(index)) return *baked;
        } else if (!own_.empty() || row.elements <= kMostInlined) {
            return {Carriage::Unknown, {}, "It is no constant of its name, and values were not compared."};
        }
        if (!own_.empty()) {
            return {Carriage::Unknown,
                    {},
                    fmt::format("It is no constant of its name; the compiled model made {} of its own ({}), which may hold it in another form.",
                                own_.size() == 1 ? "a constant" : fmt::format("{} constants", own_.size()),
                                own_.size() > 3 ? own_[0] + ", " + own_[1] + ", …" : join(own_, ", "))};
        }
        return {Carriage::Unknown, {}, "It is no constant of the compiled model, and its values were not found in the code."};
    }

    CarriedBy judgeNamed(std::size_t index, std::size_t constant) {
        const WeightRow& row = table_.rows()[index];
        const CompiledConstant& other = model_.constants[constant];
        if (other.where == CompiledConstant::Where::Absent) {
            return {Carriage::Absent, other.fqn, "The compiled model needs it, and it is neither in the library nor beside it."};
        }
        if (row.isSubclass) return {Carriage::Unknown, other.fqn, "It is a tensor subclass, which is not compared."};
        if (other.dtype.known() && other.dtype.value != row.layout.dtype) {
            return {Carriage::Different, other.fqn,
                    fmt::format("It is {} in the program and {} in the compiled model.", dtypeName(row.layout.dtype), dtypeName(other.dtype.value))};
        }
        if (other.shape != row.layout.sizes) {
            return {
                Carriage::Different, other.fqn,
                fmt::format("Its shape is {} in the program and {} in the compiled model.", formatShape(row.layout.sizes), formatShape(other.shape))};
        }
        if (!reader_.whyNot(constant).empty()) return {Carriage::Unknown, other.fqn, reader_.whyNot(constant)};
        if (!row.problem.empty()) return {Carriage::Unknown, other.fqn, row.problem};
        if (!values_) return {Carriage::Unknown, other.fqn, "Name, dtype and shape agree; values were not compared."};
        const std::optional<std::string> ours = hashOf(index), theirs = hashOfConstant(constant);
        if (!ours || !theirs) return {Carriage::Unknown, other.fqn, "Its values cannot be read."};
        if (*ours != *theirs) return {Carriage::Different, other.fqn, "Its values are not those of the program."};
        return {Carriage::Same, other.fqn, "All bytes agree; they are " + placeText(constant) + "."};
    }

    std::string placeText(std::size_t constant) const {
        const auto member = reader_.member(constant);
        if (!member) return "with the compiled model";
        // Names of generated files are hashes; their ends tell what they are.
        const std::string& name = archive_.members()[*member].name;
        return fmt::format("{} \"{}\"", model_.constants[constant].where == CompiledConstant::Where::Library ? "in the library" : "beside it in",
                           elideMiddle(std::string_view(name).substr(name.rfind('/') + 1), kNameShown));
    }

    std::optional<CarriedBy> sameUnderOtherName(std::size_t index) {
        const WeightRow& row = table_.rows()[index];
        if (row.elements == 0) return std::nullopt;
        for (std::size_t i = 0; i < model_.constants.size(); ++i) {
            const CompiledConstant& other = model_.constants[i];
            if (!other.dtype.known() || other.dtype.value != row.layout.dtype || other.shape != row.layout.sizes || !reader_.whyNot(i).empty())
                continue;
            const std::optional<std::string> ours = hashOf(index), theirs = hashOfConstant(i);
            if (!ours || ours != theirs) continue;
            return CarriedBy{Carriage::Same, other.fqn, fmt::format("All bytes agree with those of \"{}\", {}.", other.fqn, placeText(i))};
        }
        return std::nullopt;
    }

    std::optional<CarriedBy> bakedIn(std::size_t index) {
        const WeightRow& row = table_.rows()[index];
        if (row.elements == 0 || row.elements > kMostInlined || row.layout.sizes.size() > 1 || isComplex(row.layout.dtype)) return std::nullopt;
        const auto tensor = table_.elements(index, 0, row.elements);
        if (!tensor) return std::nullopt;
        const std::set<double>& literals = sourceLiterals();
        bool telling = false;
        for (std::uint64_t i = 0; i < row.elements; ++i) {
            const double value = elementAsDouble(tensor->view(), i);
            if (!std::isfinite(value)) return std::nullopt;
            // A literal is the shortest text of the value in its own dtype, or all of its digits.
            double shortest = value;
            const std::string text = elementText(tensor->view(), i);
            std::from_chars(text.data(), text.data() + text.size(), shortest);
            if (!literals.contains(value) && !literals.contains(shortest)) return std::nullopt;
            telling = telling || isTelling(value);
        }
        if (!telling) {
            return CarriedBy{Carriage::Unknown, {}, "It is small enough to be written into the code, but its values are too common there to tell."};
        }
        return CarriedBy{Carriage::BakedIn,
                         {},
                         row.elements == 1
                             ? "Its value stands in the generated code as a literal; it cannot be exchanged there."
                             : fmt::format("Its {} values stand in the generated code as literals; they cannot be exchanged there.", row.elements)};
    }

    const std::set<double>& sourceLiterals() {
        if (literals_) return *literals_;
        literals_.emplace();
        std::vector<MemberIndex> sources = model_.kernelSources;
        if (model_.wrapperSource) sources.push_back(*model_.wrapperSource);
        for (const MemberIndex source : sources) {
            if (const Result<ByteBuffer> bytes = archive_.read(source, kMostSourceBytes)) literals_->merge(literalsOf(asText(*bytes)));
        }
        return *literals_;
    }

    std::optional<std::string> hashOf(std::size_t row) {
        const auto known = hashes_.find(row);
        if (known != hashes_.end()) return known->second;
        return hashes_[row] = hash([&](const auto& sink) { return table_.stream(row, sink, cancel_); });
    }
    std::optional<std::string> hashOfConstant(std::size_t constant) {
        const auto known = constantHashes_.find(constant);
        if (known != constantHashes_.end()) return known->second;
        return constantHashes_[constant] = hash([&](const auto& sink) { return reader_.stream(constant, sink, cancel_); });
    }
    template <typename Stream>
    static std::optional<std::string> hash(Stream&& stream) {
        Sha256 sha;
        const Status done = stream([&sha](Bytes piece) -> Status {
            sha.update(piece);
            return {};
        });
        return done ? std::optional(sha.hex()) : std::nullopt;
    }

    const WeightTable& table_;
    const Archive& archive_;
    const CompiledModel& model_;
    ConstantReader reader_;
    bool values_;
    CancelToken cancel_;
    const ProgressSink& progress_;
    std::map<std::string, std::size_t, std::less<>> byName_;
    std::vector<std::string> own_;  ///< constants that no weight of the program is named like
    std::map<std::size_t, std::optional<std::string>> hashes_, constantHashes_;
    std::optional<std::set<double>> literals_;
};

}  // namespace

const char* carriageName(Carriage carriage) {
    switch (carriage) {
        case Carriage::Same: return "same";
        case Carriage::Different: return "different";
        case Carriage::Absent: return "absent";
        case Carriage::BakedIn: return "baked into code";
        case Carriage::Unknown: return "unknown";
    }
    return "unknown";
}

Result<std::vector<CarriedBy>> compareWithCompiled(const WeightTable& table, const Document& document, bool values, const CancelToken& cancel,
                                                   const ProgressSink& progress) {
    const Document::CompiledRef compiled = document.compiled(table.model());
    if (!table.ofProgram() || !compiled) return std::vector<CarriedBy>();
    return Comparison(table, *compiled.package, *compiled.model, values, cancel, progress).run();
}

}  // namespace pt2

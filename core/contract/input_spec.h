#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/inputs.h"

namespace pt2 {

/// One SPEC of --input taken apart (cli.md "Inputs").
struct InputSpecText {
    enum class Kind { Randn, Rand, Zeros, Ones, Arange, Full, Randint, File, Literal };
    Kind kind = Kind::Randn;
    std::string name;                                ///< of the generator, as written
    double low = 0, high = 0;                        ///< randint; low alone for full
    std::optional<std::vector<std::int64_t>> shape;  ///< [512,16]
    std::optional<DType> dtype;                      ///< :float32
    std::string file, key;                           ///< @F.npz:key
    std::string literal;                             ///< JSON text
    bool isGenerator() const { return kind != Kind::File && kind != Kind::Literal; }
    /// Where neither the SPEC nor the model says: whole numbers for randint and arange.
    DType fallbackDtype() const { return kind == Kind::Randint || kind == Kind::Arange ? DType::Int64 : DType::Float32; }
};

Result<InputSpecText> parseInputSpec(std::string_view spec);

/// A row-major tensor from a generator.
Result<Tensor> generate(const InputSpecText& spec, DType dtype, const std::vector<std::int64_t>& sizes, std::uint64_t seed,
                        const CancelToken& cancel = {});
/// What fills an input nobody gave: randn for floats, 0 or 1 for bool and integers, integers below `indexBound` where they index a table.
Result<Tensor> generateDefault(DType dtype, const std::vector<std::int64_t>& sizes, std::optional<std::int64_t> indexBound, std::uint64_t seed,
                               const CancelToken& cancel = {});
/// The same as a step left for later, in the layout it gets then.
std::function<Result<Tensor>(const TensorLayout&, const CancelToken&)> defaultGenerator(std::optional<std::int64_t> indexBound, std::uint64_t seed);
/// "randn", "integers below 50", "0 or 1": what generateDefault does, in words.
std::string defaultGeneratorText(DType dtype, std::optional<std::int64_t> indexBound);
/// A JSON literal as a tensor: nested lists must be rectangular; whole numbers take a floating suggestion, else int64.
Result<Tensor> tensorFromLiteral(std::string_view json, DType suggested);
/// The tensor of @FILE[:key].
Result<Tensor> tensorFromFile(const std::string& file, const std::string& key);

}  // namespace pt2

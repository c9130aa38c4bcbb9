#include "core/tensor/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Error npyError(std::string code, std::string why, std::string help = "Write the array again with numpy.save.") {
    return {ErrorKind::Unreadable, std::move(code), "The .npy data cannot be read.", {}, std::move(why), std::move(help)};
}

/// The header is a Python dict literal of three known keys: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : text_(text) {}

    bool take(char c) {
        skipSpace();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    char peek() {
        skipSpace();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    std::optional<std::string_view> quoted() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') return std::nullopt;
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) return std::nullopt;
        const auto value = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return value;
    }
    std::string_view word() {
        skipSpace();
        const std::size_t begin = at_;
        while (at_ < text_.size() && ((text_[at_] >= 'A' && text_[at_] <= 'Z') || (text_[at_] >= 'a' && text_[at_] <= 'z'))) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    std::optional<std::int64_t> number() {
        skipSpace();
        std::int64_t value = 0;
        const auto [end, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (code != std::errc()) return std::nullopt;
        at_ = static_cast<std::size_t>(end - text_.data());
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
        return value;
    }

private:
    void skipSpace() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    std::string_view text_;
    std::size_t at_ = 0;
};

struct NpyHeader {
    std::string descr;
    bool structured = false;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
};

std::optional<NpyHeader> parseHeader(std::string_view text) {
    HeaderReader reader(text);
    NpyHeader header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!reader.take('{')) return std::nullopt;
    while (!reader.take('}')) {
        const auto key = reader.quoted();
        if (!key || !reader.take(':')) return std::nullopt;
        if (*key == "descr") {
            hasDescr = true;
            if (reader.peek() == '[' || reader.peek() == '(') {
                header.structured = true;
                return header;
            }
            const auto value = reader.quoted();
            if (!value) return std::nullopt;
            header.descr = *value;
        } else if (*key == "fortran_order") {
            hasOrder = true;
            const auto value = reader.word();
            if (value != "True" && value != "False") return std::nullopt;
            header.fortranOrder = value == "True";
        } else if (*key == "shape") {
            hasShape = true;
            if (!reader.take('(')) return std::nullopt;
            while (!reader.take(')')) {
                const auto size = reader.number();
                if (!size || *size < 0 || header.shape.size() >= 64) return std::nullopt;
                header.shape.push_back(*size);
                if (!reader.take(',') && reader.peek() != ')') return std::nullopt;
            }
        } else {
            return std::nullopt;
        }
        if (!reader.take(',') && reader.peek() != '}') return std::nullopt;
    }
    if (!hasDescr || !hasOrder || !hasShape) return std::nullopt;
    return header;
}

DType dtypeFromDescr(std::string_view code) {
    struct Row {
        std::string_view code;
        DType dtype;
    };
    static constexpr Row rows[] = {{"b1", DType::Bool},      {"u1", DType::UInt8},      {"i1", DType::Int8},    {"u2", DType::UInt16},
                                   {"i2", DType::Int16},     {"u4", DType::UInt32},     {"i4", DType::Int32},   {"u8", DType::UInt64},
                                   {"i8", DType::Int64},     {"f2", DType::Float16},    {"f4", DType::Float32}, {"f8", DType::Float64},
                                   {"c8", DType::Complex64}, {"c16", DType::Complex128}};
    for (const Row& row : rows) {
        if (row.code == code) return row.dtype;
    }
    return DType::Unknown;
}

std::string descrFor(DType dtype) {
    switch (dtype) {
        case DType::Bool: return "|b1";
        case DType::UInt8: return "|u1";
        case DType::Int8: return "|i1";
        case DType::Int16: return "<i2";
        case DType::Int32: return "<i4";
        case DType::Int64: return "<i8";
        case DType::UInt16: return "<u2";
        case DType::UInt32: return "<u4";
        case DType::UInt64: return "<u8";
        case DType::Float16: return "<f2";
        case DType::Float32: return "<f4";
        case DType::Float64: return "<f8";
        case DType::Complex64: return "<c8";
        case DType::Complex128: return "<c16";
        default: break;
    }
    // What numpy lacks goes as unsigned integers of the same width.
    const std::size_t size = dtypeSize(dtype);
    return size == 1 ? "|u1" : fmt::format("<u{}", size);
}

void reverseBytes(MutableBytes bytes, std::size_t unit) {
    for (std::size_t at = 0; at + unit <= bytes.size(); at += unit) std::reverse(bytes.data() + at, bytes.data() + at + unit);
}

std::string describeUnsupported(std::string_view descr) {
    const char kind = descr.size() > 1 ? descr[1] : '?';
    switch (kind) {
        case 'O': return "It holds Python objects.";
        case 'U':
        case 'S': return "It holds text.";
        case 'M':
        case 'm': return "It holds dates or times.";
        case 'V': return "It holds raw bytes of a type that numpy itself lacks (such as bfloat16).";
        default: return fmt::format("Its element type \"{}\" has no counterpart in torch.", escapeForDisplay(descr));
    }
}

}  // namespace

Result<Tensor> readNpy(Bytes bytes) {
    if (bytes.size() < 10 || asText(bytes.first(6)) != kMagic) return fail(npyError("tensor.npy-magic", "It does not begin as .npy files do."));
    const auto major = std::to_integer<int>(bytes[6]);
    if (major < 1 || major > 3) return fail(npyError("tensor.npy-version", fmt::format("Version {} of the format is not known.", major)));
    const std::size_t lengthBytes = major == 1 ? 2 : 4;
    if (bytes.size() < 8 + lengthBytes) return fail(npyError("tensor.npy-short", "It ends inside its header."));
    const std::size_t headerLength = major == 1 ? loadLittle<std::uint16_t>(bytes, 8) : loadLittle<std::uint32_t>(bytes, 8);
    const std::size_t dataAt = 8 + lengthBytes + headerLength;
    if (headerLength > bytes.size() - 8 - lengthBytes) return fail(npyError("tensor.npy-short", "It ends inside its header."));
    const auto header = parseHeader(asText(bytes.subspan(8 + lengthBytes, headerLength)));
    if (!header) return fail(npyError("tensor.npy-header", "Its header is not understood."));
    if (header->structured) return fail(npyError("tensor.npy-dtype", "It holds records with several fields.", "Save one array per field."));
    const char order = header->descr.empty() ? '?' : header->descr[0];
    const DType dtype = header->descr.size() < 2 || (order != '<' && order != '>' && order != '|' && order != '=')
                            ? DType::Unknown
                            : dtypeFromDescr(std::string_view(header->descr).substr(1));
    if (dtype == DType::Unknown) {
        return fail(npyError("tensor.npy-dtype", describeUnsupported(header->descr),
                             "Convert the array to a number type before saving, or use .safetensors or .pt."));
    }
    TensorLayout layout{dtype, header->shape, contiguousStrides(header->shape), 0};
    if (header->fortranOrder) {
        std::int64_t stride = 1;
        for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
            layout.strides[i] = stride;
            if (__builtin_mul_overflow(stride, std::max<std::int64_t>(layout.sizes[i], 1), &stride)) {
                return fail(npyError("tensor.too-large", "Its shape does not fit 64 bits."));
            }
        }
    }
    auto needed = layout.requiredStorageBytes();
    if (!needed) return tl::unexpected<Error>(needed.error());
    if (*needed > bytes.size() - dataAt) {
        return fail(npyError("tensor.npy-short",
                             fmt::format("{} needs {} bytes, and there are {}.", tensorTypeText(layout), *needed, bytes.size() - dataAt),
                             "The file is cut; get it again."));
    }
    const Bytes data = bytes.subspan(dataAt, static_cast<std::size_t>(*needed));
    ByteBuffer storage(data.begin(), data.end());
    if (order == '>') reverseBytes(storage, isComplex(dtype) ? dtypeSize(dtype) / 2 : dtypeSize(dtype));
    return makeTensor(std::move(layout), std::move(storage));
}

Result<Tensor> readNpyFile(const std::filesystem::path& path) {
    auto file = File::openForReading(path);
    if (!file) return tl::unexpected<Error>(file.error());
    ByteBuffer bytes(static_cast<std::size_t>(file->size()));
    if (auto status = file->readAt(0, bytes); !status) return tl::unexpected<Error>(status.error());
    auto tensor = readNpy(bytes);
    if (!tensor) tensor.error().where = path.string();
    return tensor;
}

std::string npyHeader(const TensorLayout& layout) {
    std::string shape = "(";
    for (std::size_t i = 0; i < layout.sizes.size(); ++i) shape += fmt::format("{}{}", i == 0 ? "" : ", ", layout.sizes[i]);
    shape += layout.sizes.size() == 1 ? ",)" : ")";
    std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descrFor(layout.dtype), shape);
    // The data begins at a multiple of 64; the header ends in a newline.
    const std::size_t total = (10 + dict.size() + 1 + 63) / 64 * 64;
    dict.append(total - 10 - dict.size() - 1, ' ');
    dict += '\n';
    std::string text(kMagic);
    text += std::string("\x01\x00", 2);
    text += static_cast<char>(dict.size() & 0xFF);
    text += static_cast<char>((dict.size() >> 8) & 0xFF);
    return text + dict;
}

ByteBuffer writeNpy(const TensorView& view) {
    const std::string header = npyHeader(view.layout);
    const Bytes headerBytes = asBytes(header);
    ByteBuffer out(headerBytes.begin(), headerBytes.end());
    // The caller of a TensorView has checked it against its storage, so streaming cannot fail.
    auto status = forEachContiguousChunk(view, [&](Bytes chunk) -> Status {
        out.insert(out.end(), chunk.begin(), chunk.end());
        return {};
    });
    (void)status;
    return out;
}

}  // namespace pt2

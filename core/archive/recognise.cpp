#include "core/archive/recognise.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr const char* kExport = "Make a .pt2 of the model with torch.export.export and torch.export.save.";

struct Signature {
    std::size_t offset;
    std::string_view bytes;
    const char* what;
    const char* help;
};

using namespace std::string_view_literals;

// Longer and rarer signatures first.
constexpr std::array kSignatures = {
    Signature{0, "version https://git-lfs"sv, "a Git LFS pointer, not the file itself",
              "Fetch the file with \"git lfs pull\", or download it from the repository's page."},
    Signature{4, "ET12"sv, "an ExecuTorch program (.pte)", "It was lowered for ExecuTorch; open the .pt2 it was made from."},
    Signature{4, "FT01"sv, "ExecuTorch data (.ptd)", "It holds weights of an ExecuTorch program; open the .pt2 they came from."},
    Signature{4, "TFL3"sv, "a TensorFlow Lite model", kExport},
    Signature{0, "GGUF"sv, "a GGUF model", kExport},
    Signature{0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file (Keras keeps weights so)", kExport},
    Signature{0, "\x93NUMPY"sv, "a NumPy array (.npy)", "Arrays are inputs: use it as --input NAME=@FILE.npy of pt2 run."},
    Signature{0, "\x1f\x8b"sv, "compressed with gzip", "Unpack it with gunzip, then open what comes out."},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd", "Unpack it with unzstd, then open what comes out."},
    Signature{0,
              "\xfd"
              "7zXZ\0"sv,
              "compressed with xz", "Unpack it with unxz, then open what comes out."},
    Signature{0, "BZh"sv, "compressed with bzip2", "Unpack it with bunzip2, then open what comes out."},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive", "Unpack it, then open the .pt2 inside."},
    Signature{0, "Rar!\x1a\x07"sv, "a RAR archive", "Unpack it, then open the .pt2 inside."},
    Signature{257, "ustar"sv, "a tar archive", "Unpack it with tar, then open the .pt2 or folder inside."},
    Signature{0, "%PDF"sv, "a PDF document", "Choose the model file itself."},
    Signature{0, "\x89PNG"sv, "a PNG picture", "Choose the model file itself."},
    Signature{0, "\xff\xd8\xff"sv, "a JPEG picture", "Choose the model file itself."},
    Signature{0, "SQLite format 3"sv, "an SQLite database", "Choose the model file itself."},
    Signature{0, "MZ"sv, "a Windows program or library", "Compiled models for Windows are read inside their .pt2 only; open that."},
    Signature{0, "\xcf\xfa\xed\xfe"sv, "a macOS program or library", "Compiled models for macOS are read inside their .pt2 only; open that."},
    Signature{0, "!<arch>\n"sv, "a static library or object archive", "Open the .pt2 package, or the shared library (.so) made from it."},
    Signature{0, "\xed\xab\xee\xdb"sv, "an RPM package", "Choose the model file itself."},
};

bool startsWithAt(std::string_view text, std::size_t offset, std::string_view what) {
    return text.size() >= offset && text.substr(offset).starts_with(what);
}

std::string_view trimmedFront(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

bool startsWithNoCase(std::string_view text, std::string_view lower) {
    if (text.size() < lower.size()) return false;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
    }
    return true;
}

bool looksLikeText(std::string_view text) {
    // The head may end inside a character.
    for (std::size_t cut = 0; cut < 4 && cut < text.size(); ++cut) {
        const std::string_view part = text.substr(0, text.size() - cut);
        if (!isValidUtf8(part)) continue;
        return std::none_of(part.begin(), part.end(), [](char c) {
            const auto u = static_cast<unsigned char>(c);
            return u < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\x1b';
        });
    }
    return false;
}

/// ModelProto of ONNX is a protobuf without magic: field 1 (ir_version) as a small varint, then strings and messages of known fields.
bool looksLikeOnnx(Bytes head) {
    std::size_t at = 0;
    const auto varint = [&](std::uint64_t& value) {
        value = 0;
        for (unsigned shift = 0; shift < 64 && at < head.size(); shift += 7) {
            const auto byte = std::to_integer<std::uint64_t>(head[at++]);
            value |= (byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return true;
        }
        return false;
    };
    std::uint64_t key = 0;
    std::uint64_t version = 0;
    if (!varint(key) || key != 0x08 || !varint(version) || version == 0 || version > 64) return false;
    bool known = false;
    while (at < head.size()) {
        std::uint64_t length = 0;
        if (!varint(key)) return known;
        const std::uint64_t field = key >> 3;
        const std::uint64_t wire = key & 7;
        if (field == 0 || (field > 25 || (wire != 0 && wire != 2))) return false;
        if (wire == 0) {
            if (!varint(length)) return known;
            continue;
        }
        if (!varint(length)) return known;
        known = known || field == 2 || field == 7 || field == 8;  // producer_name, graph, opset_import
        if (length > head.size() - at) return known;
        at += static_cast<std::size_t>(length);
    }
    return known;
}

bool looksLikeSafetensors(Bytes head, std::uint64_t fileSize) {
    if (head.size() < 10) return false;
    const auto length = loadLittle<std::uint64_t>(head, 0);
    const std::string_view text = asText(head).substr(8);
    return length >= 2 && length <= fileSize - 8 && text.starts_with('{') &&
           (text.find_first_not_of(" \n{") == std::string_view::npos || text[text.find_first_not_of(" \n{")] == '"' ||
            text[text.find_first_not_of(" \n{")] == '}');
}

}  // namespace

OtherFile recogniseBytes(Bytes head, std::uint64_t fileSize) {
    const std::string_view text = asText(head);
    if (fileSize == 0) return {"empty (0 bytes)", "The download or copy did not begin; get the file again."};
    for (const Signature& signature : kSignatures) {
        if (startsWithAt(text, signature.offset, signature.bytes)) return {signature.what, signature.help};
    }
    if (looksLikeSafetensors(head, fileSize)) {
        return {"a safetensors file", "It holds weights without a program; use it as --constants or --inputs, and open the .pt2 of the program."};
    }
    if (head.size() >= 2 && head[0] == std::byte{0x80} && std::to_integer<int>(head[1]) <= 5) {
        return {"a Python pickle or a torch.save file of torch before 1.6", std::string("It holds objects without a program. ") + kExport};
    }
    const std::string_view body = trimmedFront(text);
    if (startsWithNoCase(body, "<!doctype html") || startsWithNoCase(body, "<html")) {
        return {"a web page (HTML)", "The download gave an error or log-in page; download the file itself."};
    }
    if (startsWithNoCase(body, "<?xml") || startsWithNoCase(body, "<error")) {
        return {"an XML document", "Perhaps a storage service answered with an error message; look inside and download the file again."};
    }
    const bool isText = looksLikeText(text);
    if (isText && (body.starts_with('{') || body.starts_with('['))) {
        return {"a JSON document", "Programs are read inside their archive; open the .pt2 file or the unpacked folder that this JSON belongs to."};
    }
    if (looksLikeOnnx(head)) return {"an ONNX model", std::string("ONNX is another format. ") + kExport};
    if (isText) return {"a text file", "Choose the .pt2 file itself."};
    if (std::all_of(head.begin(), head.end(), [](std::byte b) { return b == std::byte{0}; })) {
        return {"a run of zero bytes", "The copy or download reserved the space but did not fill it; get the file again."};
    }
    return {};
}

Error notAnArchive(const File& file, Bytes head, const Error& zipError) {
    const std::string name = "\"" + file.name() + "\"";
    const std::string_view text = asText(head);
    if (zipError.code == "archive.no-end-record" && (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06"))) {
        std::string why = "It has " + formatCount(file.size()) + " bytes and begins as an archive";
        if (head.size() > 30) {
            const std::size_t length = loadLittle<std::uint16_t>(head, 26);
            if (length > 0 && length <= head.size() - 30)
                why += " (first member " + escapeForDisplay(text.substr(30, std::min<std::size_t>(length, 120))) + ")";
        }
        why += ", but its end, where the zip index stands, is missing.";
        return {
            ErrorKind::Unreadable, "archive.truncated", name + " is truncated: " + formatCount(file.size()) + " bytes, the zip index is missing.",
            file.name(),           std::move(why),      "The download or copy broke off; get the file again and compare its size with the original."};
    }
    if (zipError.code != "archive.no-end-record") return zipError;
    const OtherFile other = recogniseBytes(head, file.size());
    if (!other.what.empty()) {
        return {ErrorKind::Unreadable,
                "archive.other",
                name + " is no .pt2 archive; it is " + other.what + ".",
                file.name(),
                "What a file is was decided by its content, not by its name.",
                other.help};
    }
    std::string begin;
    for (std::size_t i = 0; i < std::min<std::size_t>(head.size(), 8); ++i) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        const auto value = std::to_integer<unsigned>(head[i]);
        begin += i == 0 ? "" : " ";
        begin += kDigits[value >> 4];
        begin += kDigits[value & 15];
    }
    return {ErrorKind::Unreadable,
            "archive.unknown",
            name + " is no .pt2 archive, and its content is not recognised.",
            file.name(),
            "It begins with the bytes " + begin + "; a .pt2 begins with 50 4b 03 04.",
            "Choose a .pt2 file, an unpacked folder or a compiled .so."};
}

}  // namespace pt2

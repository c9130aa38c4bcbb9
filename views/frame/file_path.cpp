#include "views/frame/file_path.h"

#include <sys/stat.h>
#include <QUrl>
#include <string>

#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr char16_t kLoneFirst = 0xDC80, kLoneLast = 0xDCFF;

bool isKeptByte(const QString& text, qsizetype at) {
    const char16_t unit = text[at].unicode();
    return unit >= kLoneFirst && unit <= kLoneLast && (at == 0 || !text[at - 1].isHighSurrogate());
}

/// Length of the UTF-8 character at the start of `bytes`; 0 when there is none.
qsizetype characterLength(QByteArrayView bytes) {
    const auto at = [&bytes](qsizetype i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
    const unsigned first = at(0), second = at(1);
    if (first < 0x80) return 1;
    const qsizetype length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xF0 && first < 0xF5 ? 4 : 0;
    for (qsizetype i = 1; i < length; ++i) {
        if ((at(i) & 0xC0) != 0x80) return 0;
    }
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);  // surrogates, above U+10FFFF
    return overlong || beyond ? 0 : length;
}

QString fromBytes(QByteArrayView bytes) {
    QString text;
    while (!bytes.isEmpty()) {
        qsizetype whole = 0;
        while (whole < bytes.size()) {
            const qsizetype length = characterLength(bytes.sliced(whole));
            if (length == 0) break;
            whole += length;
        }
        text += QString::fromUtf8(bytes.first(whole));
        bytes = bytes.sliced(whole);
        if (bytes.isEmpty()) break;
        text += QChar(static_cast<char16_t>(0xDC00 + static_cast<unsigned char>(bytes[0])));
        bytes = bytes.sliced(1);
    }
    return text;
}

}  // namespace

QString pathText(const char* bytes) { return fromBytes(QByteArrayView(bytes)); }

QString pathText(const QUrl& url) {
    if (!url.isLocalFile()) return {};
    const QByteArray encoded = url.path(QUrl::FullyEncoded).toLatin1();
    return fromBytes(QByteArray::fromPercentEncoding(encoded));
}

QString pathText(const std::filesystem::path& path) {
    return fromBytes(QByteArrayView(path.native().data(), static_cast<qsizetype>(path.native().size())));
}

std::filesystem::path systemPath(const QString& path) {
    std::string bytes;
    qsizetype from = 0;
    for (qsizetype i = 0; i < path.size(); ++i) {
        if (!isKeptByte(path, i)) continue;
        bytes += path.mid(from, i - from).toStdString();
        bytes += static_cast<char>(path[i].unicode() - 0xDC00);
        from = i + 1;
    }
    bytes += path.mid(from).toStdString();
    return bytes;
}

QString shownPath(const QString& path) {
    QString text;
    for (qsizetype i = 0; i < path.size(); ++i) {
        if (isKeptByte(path, i)) {
            text += QStringLiteral("\\x%1").arg(path[i].unicode() - 0xDC00, 2, 16, QLatin1Char('0'));
        } else {
            text += path[i];
        }
    }
    return shown(text.toStdString());
}

QString shownFileName(const QString& path) {
    QString trimmed = path;
    while (trimmed.size() > 1 && trimmed.endsWith(u'/')) trimmed.chop(1);
    return shownPath(trimmed.mid(trimmed.lastIndexOf(u'/') + 1));
}

QString absolutePath(const QString& path) {
    std::error_code problem;
    const std::filesystem::path absolute = std::filesystem::absolute(systemPath(path), problem).lexically_normal();
    return problem ? path : pathText(absolute);
}

QString folderOf(const QString& path) { return pathText(systemPath(absolutePath(path)).parent_path()); }

bool pathExists(const QString& path) {
    std::error_code problem;
    return std::filesystem::exists(systemPath(path), problem);
}

QDateTime lastModified(const QString& path) {
    struct stat facts {};
    if (::stat(systemPath(path).c_str(), &facts) != 0) return {};
    return QDateTime::fromSecsSinceEpoch(facts.st_mtime);
}

bool knownToQt(const QString& path) {
    for (qsizetype i = 0; i < path.size(); ++i) {
        if (isKeptByte(path, i)) return false;
    }
    return true;
}

}  // namespace pt2::views

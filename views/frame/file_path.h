#pragma once

#include <QDateTime>
#include <QString>
#include <filesystem>

class QUrl;

namespace pt2::views {

// A path of this system is any bytes; a QString holds characters. Bytes that are no UTF-8 are kept as lone surrogates U+DC80 to U+DCFF (as Python
// does), so that a path given as an argument or dropped on the window names the same file again. Qt's own file functions do not know them: what
// touches the disk goes through systemPath.

QString pathText(const char* bytes);
/// The path as the system knows it, byte for byte.
std::filesystem::path systemPath(const QString& path);
/// A local file of a drop or a dialog.
QString pathText(const QUrl& url);
QString pathText(const std::filesystem::path& path);

/// For people: such bytes as \xE9, control characters escaped.
QString shownPath(const QString& path);
/// The last part of a path, for people.
QString shownFileName(const QString& path);

/// The absolute form; the path itself where there is none.
QString absolutePath(const QString& path);
QString folderOf(const QString& path);
bool pathExists(const QString& path);
/// Invalid when there is no such file.
QDateTime lastModified(const QString& path);
/// Whether Qt's own file functions can name it.
bool knownToQt(const QString& path);

}  // namespace pt2::views

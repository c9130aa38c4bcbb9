#pragma once

#include <QDateTime>
#include <QString>
#include <vector>

namespace pt2::views {

/// A file opened before, as it was then.
struct RecentFile {
    QString path, kind;  ///< kind in words: "program + compiled model"
    qint64 size = 0;
    int problems = 0;
    QDateTime opened;
};

/// Newest first, at most twelve; kept in the settings. Files that are gone stay listed until they are opened in vain.
std::vector<RecentFile> recentFiles();
void rememberRecentFile(const RecentFile& file);
/// When nothing may be written (screenshots, tests).
void setRecentFilesReadOnly(bool readOnly);
/// "today", "yesterday", "3 days ago", else the date.
QString ageInWords(const QDateTime& then, const QDateTime& now);

}  // namespace pt2::views

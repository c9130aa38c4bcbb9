#include "views/frame/recent_files.h"

#include <QObject>
#include <QSettings>
#include <algorithm>

namespace pt2::views {

namespace {
constexpr std::size_t kMost = 12;
bool readOnly = false;

void write(const std::vector<RecentFile>& files) {
    if (readOnly) return;
    QSettings settings;
    settings.beginWriteArray(QStringLiteral("recent"), static_cast<int>(files.size()));
    for (std::size_t i = 0; i < files.size(); ++i) {
        settings.setArrayIndex(static_cast<int>(i));
        settings.setValue(QStringLiteral("path"), files[i].path);
        settings.setValue(QStringLiteral("kind"), files[i].kind);
        settings.setValue(QStringLiteral("size"), files[i].size);
        settings.setValue(QStringLiteral("problems"), files[i].problems);
        settings.setValue(QStringLiteral("opened"), files[i].opened);
    }
    settings.endArray();
}

}  // namespace

std::vector<RecentFile> recentFiles() {
    QSettings settings;
    std::vector<RecentFile> files;
    const int count = std::min(settings.beginReadArray(QStringLiteral("recent")), static_cast<int>(kMost));
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        files.push_back({settings.value(QStringLiteral("path")).toString(), settings.value(QStringLiteral("kind")).toString(),
                         settings.value(QStringLiteral("size")).toLongLong(), settings.value(QStringLiteral("problems")).toInt(),
                         settings.value(QStringLiteral("opened")).toDateTime()});
    }
    settings.endArray();
    return files;
}

void rememberRecentFile(const RecentFile& file) {
    std::vector<RecentFile> files = recentFiles();
    files.erase(std::remove_if(files.begin(), files.end(), [&file](const RecentFile& old) { return old.path == file.path; }), files.end());
    files.insert(files.begin(), file);
    if (files.size() > kMost) files.resize(kMost);
    write(files);
}

void setRecentFilesReadOnly(bool value) { readOnly = value; }

QString ageInWords(const QDateTime& then, const QDateTime& now) {
    const qint64 days = then.date().daysTo(now.date());
    if (days <= 0) return QObject::tr("today");
    if (days == 1) return QObject::tr("yesterday");
    if (days < 14) return QObject::tr("%1 days ago").arg(days);
    return then.date().toString(Qt::ISODate);
}

}  // namespace pt2::views

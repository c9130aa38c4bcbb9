#include "views/overview/known_targets.h"

#include <QSettings>

namespace pt2::views {

namespace {

constexpr qsizetype kMostKept = 12;
QString settingsKey() { return QStringLiteral("targets"); }

}  // namespace

QStringList knownTargets() { return QSettings().value(settingsKey()).toStringList(); }

void rememberTarget(const QString& path) {
    QStringList paths = knownTargets();
    paths.removeAll(path);
    paths.prepend(path);
    QSettings().setValue(settingsKey(), paths.mid(0, kMostKept));
}

void forgetTarget(const QString& path) {
    QStringList paths = knownTargets();
    paths.removeAll(path);
    QSettings().setValue(settingsKey(), paths);
}

}  // namespace pt2::views

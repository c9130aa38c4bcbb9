#pragma once

#include <QStringList>

namespace pt2::views {

// Descriptions of other machines (`pt2 probe > TARGET.json`) that a verdict was asked for; kept in the settings, the last used first.

QStringList knownTargets();
void rememberTarget(const QString& path);
void forgetTarget(const QString& path);

}  // namespace pt2::views

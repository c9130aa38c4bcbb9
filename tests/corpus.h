#pragma once

#include <QDir>
#include <QFileInfo>
#include <QString>

#include "tests/places.h"

namespace pt2::tests {

/// The corpus of real files with torch's own facts: PT2SCOPE_CORPUS, else ../shared/corpus beside the source tree; empty when it is not there,
/// and then a test that needs it says with QSKIP what it left out.
inline QString corpus() {
    const QString fromEnvironment = qEnvironmentVariable("PT2SCOPE_CORPUS");
    const QString path = fromEnvironment.isEmpty() ? sourceFile("../shared/corpus") : fromEnvironment;
    return QFileInfo::exists(path + "/2.13.0/tiny.pt2") ? QDir::cleanPath(path) : QString();
}

}  // namespace pt2::tests

#pragma once

#include <QByteArray>
#include <QFileInfo>
#include <QString>

#include "tests/places.h"

namespace pt2::tests {

/// The run engine the tests use: PT2SCOPE_WORKER, else the one of this build, else that of the release build (a sanitized build has none). Empty when
/// there is none: a test that needs it says with QSKIP what it left out.
inline QString worker() {
    const QString candidates[] = {qEnvironmentVariable("PT2SCOPE_WORKER"), builtProgram("pt2-worker"), sourceFile("build/release/bin/pt2-worker")};
    for (const QString& candidate : candidates) {
        if (!candidate.isEmpty() && QFileInfo(candidate).isExecutable()) {
            qputenv("PT2SCOPE_WORKER", candidate.toLocal8Bit());
            return candidate;
        }
    }
    return {};
}

}  // namespace pt2::tests

#define PT2_NEEDS_WORKER() \
    if (pt2::tests::worker().isEmpty()) QSKIP("there is no pt2-worker (no LibTorch at configuration): nothing was run")

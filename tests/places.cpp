#include "tests/places.h"

namespace pt2::tests {

QString sourceFile(const char* path) { return QStringLiteral(PT2SCOPE_SOURCE_DIR "/") + QString::fromUtf8(path); }

QString builtProgram(const char* name) { return QStringLiteral(PT2SCOPE_BIN_DIR "/") + QString::fromUtf8(name); }

}  // namespace pt2::tests

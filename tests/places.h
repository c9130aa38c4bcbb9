#pragma once

#include <QString>

/// Where the source tree and the built programs are. They stand in one small library, so that no test has a folder compiled in and ccache serves
/// every clone.
namespace pt2::tests {

/// A file of the source tree; `path` is relative to its top.
QString sourceFile(const char* path);

/// A program of this build, whether or not it was built.
QString builtProgram(const char* name);

}  // namespace pt2::tests

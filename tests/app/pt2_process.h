#pragma once

#include <QByteArray>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <nlohmann/json.hpp>

#include "tests/places.h"

namespace pt2::tests {

/// How one call of the built pt2 ended.
struct Pt2 {
    int exit = -1;  ///< -1: it did not end by itself
    QByteArray out, error;
    nlohmann::json json() const { return nlohmann::json::parse(out.toStdString(), nullptr, false); }
};

inline Pt2 pt2(const QStringList& arguments, const QByteArray& input = {}, int seconds = 120) {
    QProcess process;
    process.start(builtProgram("pt2"), arguments);
    if (!input.isEmpty()) process.write(input);
    process.closeWriteChannel();
    Pt2 result;
    if (!process.waitForFinished(seconds * 1000)) {
        process.kill();
        process.waitForFinished();
        return result;
    }
    if (process.exitStatus() == QProcess::NormalExit) result.exit = process.exitCode();
    result.out = process.readAllStandardOutput();
    result.error = process.readAllStandardError();
    return result;
}

}  // namespace pt2::tests

#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QString>
#include <QTemporaryDir>

namespace pt2::tests {

/// A machine for tests of the run engine's set-up, in a folder of its own: a home, tools that are scripts, and a folder that looks like LibTorch.
/// Only what was put there is found. The environment of the process is changed.
class EngineTools {
public:
    EngineTools() {
        QDir().mkpath(home());
        QDir().mkpath(tools());
        qputenv("PATH", tools().toLocal8Bit());
        qputenv("HOME", home().toLocal8Bit());
        qputenv("TMPDIR", folder_.path().toLocal8Bit());
        for (const char* name : {"XDG_DATA_HOME", "XDG_CACHE_HOME", "CXX", "PT2SCOPE_WORKER", "PT2SCOPE_RESOURCES"}) qunsetenv(name);
        // Not the one that a set-up of the source tree made beside the build.
        qputenv("PT2SCOPE_PYTHON", (tools() + "/python3").toLocal8Bit());
    }

    QString path(const QString& name) const { return folder_.filePath(name); }
    QString home() const { return path("home"); }
    QString tools() const { return path("tools"); }
    QString engines() const { return home() + "/.local/share/pt2scope/engines"; }

    static bool write(const QString& path, const QByteArray& text) {
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }
    /// A program that the shell runs; it finds the usual programs itself.
    bool tool(const QString& name, const QByteArray& script) const {
        const QString file = tools() + "/" + name;
        return write(file, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script + "\n") &&
               QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    /// Compiler, make and a CMake that does as it is told; the sources of the engine are one file.
    bool build(const QByteArray& configure, const QByteArray& compile) const {
        qputenv("PT2SCOPE_RESOURCES", path("resources").toLocal8Bit());
        return write(path("resources/worker/CMakeLists.txt"), "project(pt2-worker)\n") && tool("g++", "exit 0") && tool("make", "exit 0") &&
               tool("cmake", "if [ \"$1\" = --build ]; then tree=$2\n" + compile + "\nelse tree=$4\nmkdir -p \"$tree\"\n" + configure + "\nfi");
    }
    /// What is read of a LibTorch before anything is built.
    QString torch(const QString& name, const QByteArray& version = "2.13.0+cpu") const {
        const QString folder = path(name);
        const QByteArrayList numbers = version.left(version.contains('+') ? version.indexOf('+') : version.size()).split('.');
        const bool ok =
            write(folder + "/lib/libtorch_cpu.so", "") &&
            write(folder + "/lib/libc10.so", QByteArray(3'000'000, 'x') + "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_string") &&
            write(folder + "/include/torch/csrc/inductor/aoti_runner/model_container_runner.h", "") &&
            write(folder + "/include/torch/headeronly/version.h", "#define TORCH_VERSION_MAJOR " + numbers.value(0) +
                                                                      "\n#define TORCH_VERSION_MINOR " + numbers.value(1) +
                                                                      "\n#define TORCH_VERSION_PATCH " + numbers.value(2) + "\n") &&
            write(folder + "/version.py", "__version__ = '" + version + "'\n");
        return ok ? folder : QString();
    }
    /// A Python that says it has this torch.
    bool python(const QString& torchFolder) const {
        return tool("python3", "echo pt2scope-python 3.11.7; echo 2.13.0+cpu; echo pt2scope-torch " + torchFolder.toLocal8Bit());
    }

private:
    QTemporaryDir folder_;
};

}  // namespace pt2::tests

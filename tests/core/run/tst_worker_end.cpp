#include <unistd.h>

#include <QtTest>
#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "core/run/worker_end.h"
#include "core/run/worker_log.h"

using namespace pt2;

/// How the end of a worker is told.
class WorkerEndTest : public QObject {
    Q_OBJECT

    static WorkerLog logOf(const std::string& text) {
        WorkerLog log;
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) return log;
        const ssize_t written = ::write(ends[1], text.data(), text.size());
        ::close(ends[1]);
        log.open(Descriptor(ends[0]));
        if (written == static_cast<ssize_t>(text.size())) log.drain({}, "running");
        return log;
    }
    static WorkerEnd endedBy(int signal) {
        WorkerEnd end;
        end.status = signal;
        end.saidHello = true;
        end.step = "while it ran";
        return end;
    }

private slots:
    void anIllegalInstructionIsToldByWhatIsKnown() {
        WorkerEnd end = endedBy(SIGILL);
        const WorkerLog log = logOf("\npt2-worker: crash at 0x10\n/x/a.wrapper.so(cpp_fused_0+0x2) [0x1]\npt2-worker: end of crash\n");
        const Error bare = explainEnd(end, log);
        QVERIFY2(bare.why.find("Address: 0x10.") == 0 && bare.why.find("needs") == std::string::npos, bare.why.c_str());
        end.instructions = "Its code needs avx2, and this processor has that.";
        const Error told = explainEnd(end, log);
        QVERIFY2(told.why.find("Its code needs avx2, and this processor has that. Address: 0x10.") == 0, told.why.c_str());
        end.status = SIGSEGV;
        QVERIFY(explainEnd(end, log).why.find("avx2") == std::string::npos);
    }

    void functionsOnTheStackAreReadable() {
        const WorkerLog log = logOf(
            "\npt2-worker: crash at 0x0\n/x/libtorch_cpu.so(_ZN2at10abcdefghijERKSsb+0x12) [0x1]\n/x/a.so(cpp_fused_0+0x2) [0x2]\n"
            "/x/b.so(+0x7) [0x3]\npt2-worker: end of crash\n");
        QCOMPARE(log.crashStack(),
                 (std::vector<std::string>{"at::abcdefghij(std::string const&, bool) (libtorch_cpu.so)", "cpp_fused_0 (a.so)", "b.so"}));
    }
};

QTEST_GUILESS_MAIN(WorkerEndTest)
#include "tst_worker_end.moc"

#include <QtTest>

#include "core/base/advice.h"

using namespace pt2;

/// No fault reaches a reader without a word on what to do.
class AdviceTest : public QObject {
    Q_OBJECT
private slots:
    void anErrorsOwnAdviceIsKept() { QCOMPARE(adviceOf({ErrorKind::System, "a.b", "What.", {}, {}, "Do this."}), std::string("Do this.")); }
    void everyFaultWithoutOneGetsAdvice() {
        for (const ErrorKind kind : {ErrorKind::Usage, ErrorKind::Unreadable, ErrorKind::CannotRun, ErrorKind::RunFailed, ErrorKind::System})
            QVERIFY(!adviceOf({kind, "a.b", "What.", {}, {}, {}}).empty());
    }
    void answersNeedNone() {
        QVERIFY(adviceOf({ErrorKind::DoesNotHold, "a.b", "What.", {}, {}, {}}).empty());
        QVERIFY(adviceOf({ErrorKind::Cancelled, "cancelled", "Cancelled.", {}, {}, {}}).empty());
    }
};

QTEST_GUILESS_MAIN(AdviceTest)
#include "tst_advice.moc"

#include <QDir>
#include <QTest>
#include <algorithm>
#include <set>

#include "core/compiled/kernel_calls.h"
#include "core/compiled/kernel_links.h"
#include "core/package/package.h"

using namespace pt2;
class T : public QObject { Q_OBJECT
private slots:
    void links() {
        std::size_t named=0,namedWrong=0,inferred=0,inferredWrong=0,calls=0,without=0;
        for (const QString& name : QDir("/tmp/kc").entryList({"*.pt2"})) {
            const auto d = Document::open(("/tmp/kc/" + name).toStdString());
            QVERIFY(d.has_value());
            const auto m = d->compiled("model"); const auto p = d->program("model");
            const auto l = readKernels(m.package->archive(), *m.model); QVERIFY(l.has_value());
            const auto links = linkKernels(*l, *m.model, *p.entry->program, false);
            const auto truth = linkKernels(*l, *m.model, *p.entry->program, true);
            qInfo("== %s", qPrintable(name));
            for (std::size_t i=0;i<l->calls.size();++i) {
                std::set<NodeId> t; QString ts;
                for (const auto& k: truth[i]) if (k.by==KernelLink::By::Provenance) { t.insert(k.node); ts += QString::fromUtf8(p.entry->program->displayName(k.node).data(), p.entry->program->displayName(k.node).size())+" "; }
                QString s;
                ++calls; if (links[i].empty()) ++without;
                for (const auto& k: links[i]) { const bool wrong = !t.count(k.node); (k.by==KernelLink::By::Named?named:inferred)++; if (wrong) (k.by==KernelLink::By::Named?namedWrong:inferredWrong)++; s += QString::fromUtf8(p.entry->program->displayName(k.node).data(), p.entry->program->displayName(k.node).size()) + (k.by==KernelLink::By::Named?"(n)":"") + (wrong?"!!! ":" "); }
                QString rw; for (auto& r: l->calls[i].reads) rw += QString::fromStdString(r)+" "; rw += "-> "; for (auto& r: l->calls[i].writes) rw += QString::fromStdString(r)+" ";
                if (qEnvironmentVariableIsSet("VERB") || s.contains("!!!") || links[i].empty()) qInfo("%s [%s] : %s | %s", l->calls[i].name.c_str(), qPrintable(rw), qPrintable(s), qPrintable(ts));
            }
        }
        qInfo("calls %zu without %zu named %zu wrong %zu inferred %zu wrong %zu", calls, without, named, namedWrong, inferred, inferredWrong);
    }
};
QTEST_GUILESS_MAIN(T)
#include "tst_kernel_links.moc"

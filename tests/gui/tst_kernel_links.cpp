#include <QtTest>
#include <algorithm>
#include <memory>

#include "core/package/linked_kernels.h"
#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/inspector/inspector_facts.h"
#include "views/kernels/kernels_page.h"
#include "views/pages.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;

/// A node says which kernels it became, and its links lead to those very calls.
class KernelLinksTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;

    static const InspectorSection* becomes(const InspectorFacts& facts) {
        const auto found = std::find_if(facts.sections.begin(), facts.sections.end(),
                                        [](const InspectorSection& section) { return section.title == QStringLiteral("Becomes"); });
        return found == facts.sections.end() ? nullptr : &*found;
    }
    static DocumentView* open(MainWindow& window, const char* name) {
        return pt2::tests::openDocument(window, corpus() + QStringLiteral("/2.13.0/") + QLatin1String(name));
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: there are no kernels to link.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
    }

    void everyLinkOfACallIsALinkOfItsNode() {
        MainWindow window(registry_);
        DocumentView* view = open(window, "aoti/combined.pt2");
        QVERIFY(view);
        DocumentSession& session = view->session();
        session.requestKernels();
        QTRY_VERIFY_WITH_TIMEOUT(session.kernels(), 30'000);
        QVERIFY(*session.kernels());
        const LinkedKernels& kernels = **session.kernels();
        std::size_t links = 0;
        for (NodeId node = 0; node < session.program()->nodes().size(); ++node) {
            const InspectorFacts facts = inspectorFacts(session, *Address::parse(kernels.nodeAddress(node)));
            const InspectorSection* section = becomes(facts);
            QVERIFY(section);
            QStringList expected, shown;
            for (std::size_t call = 0; call < kernels.links.size(); ++call) {
                for (const KernelLink& link : kernels.links[call]) {
                    if (link.node == node) expected << QString::fromStdString(kernels.callAddress(call));
                }
            }
            for (const InspectorRow& row : section->rows) {
                if (!row.address.isEmpty()) shown << row.address;
            }
            QCOMPARE(shown, expected);
            QCOMPARE(section->rows.front().missing, expected.isEmpty());
            links += static_cast<std::size_t>(expected.size());
        }
        QVERIFY(links > 0);
    }

    /// Calls of one function share an address; from a node the page shows the call that computes it.
    void fromANodeThePageShowsItsOwnCall() {
        MainWindow window(registry_);
        DocumentView* view = open(window, "aoti/combined.pt2");
        QVERIFY(view);
        DocumentSession& session = view->session();
        session.requestKernels();
        QTRY_VERIFY_WITH_TIMEOUT(session.kernels(), 30'000);
        const LinkedKernels& kernels = **session.kernels();
        for (std::size_t call = 0; call < kernels.links.size(); ++call) {
            if (kernels.links[call].empty()) continue;
            const NodeId node = kernels.links[call].front().node;
            // A node that several calls of one name compute leads to the first of them.
            std::size_t wanted = call;
            for (std::size_t other = call; other-- > 0;) {
                const auto& links = kernels.links[other];
                if (kernels.listing.calls[other].name == kernels.listing.calls[call].name &&
                    std::any_of(links.begin(), links.end(), [node](const KernelLink& link) { return link.node == node; }))
                    wanted = other;
            }
            session.select(*Address::parse(kernels.nodeAddress(node)));
            session.navigate(*Address::parse(kernels.callAddress(call)));
            QCOMPARE(view->currentKey(), QStringLiteral("kernels"));
            auto* page = qobject_cast<KernelsPage*>(view->currentPage());
            QVERIFY(page);
            QTRY_COMPARE(page->breadcrumb().value(1), QStringLiteral("call %1").arg(wanted + 1));
        }
    }

    void aFileWithoutACompiledModelSaysNothingOfKernels() {
        MainWindow window(registry_);
        DocumentView* view = open(window, "tiny.pt2");
        QVERIFY(view);
        DocumentSession& session = view->session();
        session.requestKernels();
        const InspectorFacts facts = inspectorFacts(session, *Address::parse("program/model/node/relu"));
        QVERIFY(!facts.empty());
        QVERIFY(!becomes(facts));
        QVERIFY(!session.kernels());
    }
};

QTEST_MAIN(KernelLinksTest)
#include "tst_kernel_links.moc"

#include <QMap>
#include <QtTest>
#include <algorithm>
#include <memory>

#include "tests/corpus.h"
#include "tests/gui/accessible_reader.h"
#include "tests/gui/spoken_document.h"
#include "tests/gui/told_words.h"
#include "views/pages.h"
#include "views/theme/theme.h"

using namespace pt2;
using namespace pt2::tests;

namespace {

/// Windows that open beside the one that is looked at: each takes the keyboard away.
class StrayWindows : public QObject {
public:
    QStringList seen;
    bool eventFilter(QObject* watched, QEvent* event) override {
        const auto* widget = event->type() == QEvent::Show ? qobject_cast<QWidget*>(watched) : nullptr;
        if (widget && widget->isWindow() && !qobject_cast<const views::MainWindow*>(widget)) {
            QStringList what{QString::fromLatin1(widget->metaObject()->className())};
            for (const QObject* child : widget->children()) what << QString::fromLatin1(child->metaObject()->className());
            seen << what.join(' ');
        }
        return false;
    }
};

}  // namespace

/// Whatever the keyboard reaches has a name, and what a widget draws by itself can be read and pressed.
class AccessibleNamesTest : public QObject {
    Q_OBJECT

    views::PageRegistry registry_;
    std::unique_ptr<SpokenDocument> document_;

    QStringList titles() {
        QStringList found;
        for (const views::PageInfo& page : registry_.pages()) found << page.title;
        return found;
    }
    /// Where an interface stands, for the list of those without a name.
    static QString whereabouts(Spoken what) {
        QStringList path;
        for (Spoken at = what; at && path.size() < 5; at = at->parent()) {
            const QString type = at->object() ? QString::fromLatin1(at->object()->metaObject()->className()) : QStringLiteral("part");
            path.prepend(type + (nameOf(at).isEmpty() ? QString() : " \"" + nameOf(at).left(40) + '"'));
        }
        return path.join(QStringLiteral(" › "));
    }
    static QStringList nameless(Spoken root) {
        QStringList found;
        for (const Spoken one : below(root)) {
            const bool matters = one->state().focusable || one->role() == QAccessible::Button || one->role() == QAccessible::RadioButton ||
                                 one->role() == QAccessible::CheckBox || one->role() == QAccessible::Link || one->role() == QAccessible::ListItem;
            if (matters && nameOf(one).trimmed().isEmpty()) found << whereabouts(one);
        }
        return found;
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: what a screen reader is told of a document is not looked at.");
        views::Theme::instance().apply(views::ThemeChoice::Light);
        views::registerPages(registry_);
    }
    void cleanup() { document_.reset(); }

    void everythingTheKeyboardReachesHasAName_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QSize>("size");
        for (const char* name : {"2.13.0/aoti/combined.pt2", "2.13.0/encoder.pt2", "2.13.0/aoti/two_models.pt2", "2.13.0/aoti/mlp2.pt2",
                                 "2.13.0/nonfinite.pt2", "damaged/w_offset_oob.pt2", "damaged/json_cut.pt2"}) {
            QTest::addRow("%s at 1440x900", name) << QString::fromLatin1(name) << QSize(1440, 900);
            QTest::addRow("%s at 1000x700", name) << QString::fromLatin1(name) << QSize(1000, 700);
        }
    }
    void everythingTheKeyboardReachesHasAName() {
        QFETCH(const QString, file);
        QFETCH(const QSize, size);
        document_ = std::make_unique<SpokenDocument>(registry_);
        StrayWindows stray;
        qApp->installEventFilter(&stray);
        QVERIFY(document_->open(corpus() + u'/' + file, size));
        QStringList found;
        for (const QString& title : titles()) {
            const Spoken entry = find(find(document_->root(), "Pages"), title);
            QVERIFY2(entry, qPrintable(title));
            if (!entry->state().disabled) QVERIFY2(document_->goTo(title), qPrintable(title));
            for (const QString& one : nameless(document_->root())) found << title + ": " + one;
        }
        for (const QString& one : found) qWarning("Without a name: %s", qPrintable(one));
        QVERIFY(found.isEmpty());
        QVERIFY2(stray.seen.isEmpty(), qPrintable(stray.seen.join('\n')));
    }

    void theStartHasNamesToo() {
        views::MainWindow window(registry_);
        window.show();
        QTest::qWait(50);
        const QStringList found = nameless(QAccessible::queryAccessibleInterface(&window));
        QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
    }

    /// The drawing is a list of what is on show: operators with what they compute, whence and where to, groups with their size. Pressing one selects
    /// it, and so do the keys.
    void theGraphIsRead() {
        const QString file = corpus() + "/2.13.0/mlp2.pt2";
        document_ = std::make_unique<SpokenDocument>(registry_);
        QVERIFY(document_->open(file, {1440, 900}));
        QVERIFY(document_->goTo("Graph"));
        const Spoken canvas = find(document_->root(), "Graph", QAccessible::Grouping);
        QVERIFY(canvas);
        const Json nodes = toldJson({"nodes", "--format", "json", file});
        QVERIFY(nodes.is_array() && !nodes.empty());
        QMap<QString, Spoken> drawn;
        QStringList names;
        for (const Spoken one : below(canvas)) {
            if (one->role() != QAccessible::ListItem || one->parent() != canvas) continue;
            drawn.insert(nameOf(one), one);
            names << nameOf(one);
        }
        int operators = 0;
        for (const Json& node : nodes) {
            const Spoken one = drawn.value(text(node["name"]));
            if (!one || !descriptionOf(one).contains(text(node["op"]))) continue;  // inside a closed group
            ++operators;
            for (const Json& output : node["outputs"])
                QVERIFY2(descriptionOf(one).contains(text(output["name"]) + "  "), qPrintable(descriptionOf(one)));
            const bool reads = std::any_of(nodes.begin(), nodes.end(), [&](const Json& other) {
                return std::any_of(other["inputs"].begin(), other["inputs"].end(), [&](const Json& input) { return input["value"] == node["name"]; });
            });
            QCOMPARE(descriptionOf(one).contains("from ") || descriptionOf(one).contains("to "), reads || !node["inputs"].empty());
            QVERIFY(press(one) && document_->settle());
            QVERIFY(one->state().selected);
            QVERIFY2(anyNamed(pieces(find(document_->root(), "What is selected")), text(node["name"])), qPrintable(text(node["name"])));
        }
        QVERIFY2(operators > 0, qPrintable(names.join(", ")));
        QVERIFY(document_->reach(canvas));
        document_->key(Qt::Key_Escape);
        QVERIFY(!canvas->focusChild() || canvas->focusChild()->parent() != canvas);
        document_->key(Qt::Key_Down);
        const Spoken first = canvas->focusChild();
        QVERIFY(first && first->parent() == canvas && first->state().selected);
        document_->key(Qt::Key_Down);
        QVERIFY(canvas->focusChild() && canvas->focusChild() != first && canvas->focusChild()->state().selected && !first->state().selected);
        const Spoken legend = find(document_->root(), "Operator families");
        QVERIFY(legend && legend->childCount() > 0);
        QVERIFY(press(legend->child(0)));
        QVERIFY(legend->child(0)->state().selected);
    }

    /// A drawn choice is a row of radio buttons, each of which can be pressed; keys and actions tell the same.
    void aDrawnChoiceIsRadioButtons() {
        document_ = std::make_unique<SpokenDocument>(registry_);
        QVERIFY(document_->open(corpus() + "/2.13.0/tiny.pt2"));
        QVERIFY(document_->goTo("Signature"));
        const Spoken form = find(document_->root(), "Form of the signature");
        QVERIFY(form);
        QCOMPARE(form->childCount(), 3);
        for (int i = 0; i < form->childCount(); ++i) {
            const Spoken choice = form->child(i);
            QCOMPARE(choice->role(), QAccessible::RadioButton);
            QCOMPARE(form->indexOfChild(choice), i);
            QVERIFY(form->rect().contains(choice->rect().center()));
            QCOMPARE(form->childAt(choice->rect().center().x(), choice->rect().center().y()), choice);
            QVERIFY(press(choice));
            for (int k = 0; k < form->childCount(); ++k) QCOMPARE(static_cast<bool>(form->child(k)->state().checked), k == i);
        }
        QVERIFY(document_->reach(form));
        document_->key(Qt::Key_Left);
        QVERIFY(form->child(1)->state().checked);
        QCOMPARE(form->focusChild(), form->child(1));
    }
};

QTEST_MAIN(AccessibleNamesTest)
#include "tst_accessible_names.moc"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/archive/archive.h"
#include "core/layout/chains.h"
#include "core/layout/layout.h"
#include "core/layout/node_labels.h"
#include "core/layout/strong_components.h"
#include "tests/core/layout/program_text.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

std::vector<LayoutOptions> allOptions() {
    std::vector<LayoutOptions> list(7);
    list[1].depth = 1;
    list[2].depth = 2;
    list[3].openAll = true;
    list[4].openAll = true;
    list[4].foldRepeats = false;
    list[5].openAll = true;
    list[5].foldRepeats = list[5].joinChains = false;
    list[6].flat = true;
    return list;
}

struct Rect {
    float x, y, width, height;
};
bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.width - 0.01F && b.x < a.x + a.width - 0.01F && a.y < b.y + b.height - 0.01F && b.y < a.y + a.height - 0.01F;
}
bool contains(const Rect& outer, const Rect& inner) {
    return inner.x >= outer.x - 0.01F && inner.y >= outer.y - 0.01F && inner.x + inner.width <= outer.x + outer.width + 0.01F &&
           inner.y + inner.height <= outer.y + outer.height + 0.01F;
}

/// First sentence of what is wrong with a layout, empty when nothing is.
std::string problem(const GraphHierarchy& hierarchy, const GraphLayout& layout, const LayoutOptions& options) {
    const Program& program = hierarchy.program();
    const auto rectOfBox = [](const LayoutBox& b) { return Rect{b.x, b.y, b.width, b.height}; };
    const auto rectOfGroup = [](const LayoutGroup& g) { return Rect{g.x, g.y, g.width, g.height}; };
    // Children lie inside their parents, below the title, and do not overlap.
    std::map<std::uint32_t, std::vector<Rect>> children;
    for (const LayoutBox& box : layout.boxes) {
        if (!contains(rectOfGroup(layout.groups[box.group]), rectOfBox(box))) return "a box stands outside its group";
        children[box.group].push_back(rectOfBox(box));
        if (box.width <= 0 || box.height <= 0) return "a box has no size";
    }
    for (std::size_t g = 1; g < layout.groups.size(); ++g) {
        const LayoutGroup& group = layout.groups[g];
        if (group.parent >= g) return "a parent comes after its child";
        if (!layout.groups[group.parent].open) return "a group stands in a closed one";
        if (!contains(rectOfGroup(layout.groups[group.parent]), rectOfGroup(group))) return "group " + group.path + " stands outside its parent";
        children[group.parent].push_back(rectOfGroup(group));
    }
    for (auto& [parent, rects] : children) {
        std::sort(rects.begin(), rects.end(), [](const Rect& a, const Rect& b) { return a.y < b.y; });
        for (std::size_t i = 0; i < rects.size(); ++i) {
            for (std::size_t k = i + 1; k < rects.size() && rects[k].y < rects[i].y + rects[i].height; ++k) {
                if (overlap(rects[i], rects[k])) return "two things overlap in group " + layout.groups[parent].path;
            }
            if (parent != 0 && rects[i].y < layout.groups[parent].y + LayoutMetrics::kTitleHeight) return "something covers a title";
        }
    }
    // Every node of the graph, and of the subgraphs that are open, is a row of one box, the title of a control group, or inside one closed group.
    std::map<NodeId, int> rows;
    for (const LayoutBox& box : layout.boxes) {
        for (const LayoutRow& row : box.rows) ++rows[row.node];
    }
    for (const LayoutGroup& group : layout.groups) {
        if (group.open && group.kind == GroupKind::Control) ++rows[group.node];
    }
    for (const auto& [node, count] : rows) {
        if (count != 1) return "a node is shown more than once";
    }
    const Graph& root = program.graph(hierarchy.graph());
    for (NodeId n = root.nodes.begin; n < root.nodes.end; ++n) {
        const std::uint32_t end = layout.endOfNode[n];
        if (end == kNone) return "node " + std::string(program.displayName(n)) + " is shown nowhere";
        if ((end & kGroupEnd) == 0) {
            if (layout.boxes[end].rows.size() <= layout.rowOfNode[n] || layout.boxes[end].rows[layout.rowOfNode[n]].node != n)
                return "a node's row is another's";
        } else if (layout.groups[end & ~kGroupEnd].open && layout.groups[end & ~kGroupEnd].node != n) {
            return "a node is inside an open group without a row";
        }
    }
    if (options.openAll && !options.foldRepeats) {
        for (const LayoutGroup& group : layout.groups) {
            if (!group.open) return "a group is closed though all are open";
        }
    }
    // Every value that one visible end makes and another reads has one edge.
    std::set<std::tuple<ValueId, std::uint32_t, std::uint32_t>> edges;
    for (const LayoutEdge& edge : layout.edges) {
        if (!edges.insert({edge.value, edge.to, edge.toRow}).second) return "an edge is there twice";
        if (edge.tunnel != edge.points.empty()) return "a tunnel has points, or a line has none";
        if (edge.tunnel) continue;
        if (edge.points.size() < 2) return "a line has one point";
        for (std::size_t i = 1; i < edge.points.size(); ++i) {
            if (edge.points[i].first != edge.points[i - 1].first && edge.points[i].second != edge.points[i - 1].second) return "a line is oblique";
        }
        const auto rectOf = [&](std::uint32_t end) {
            return (end & kGroupEnd) != 0 ? rectOfGroup(layout.groups[end & ~kGroupEnd]) : rectOfBox(layout.boxes[end]);
        };
        const Rect from = rectOf(edge.from), to = rectOf(edge.to);
        const auto [startX, startY] = edge.points.front();
        const auto [endX, endY] = edge.points.back();
        if (startX < from.x || startX > from.x + from.width || std::abs(startY - from.y - from.height) > 0.02F)
            return "a line does not start at the lower side of its source";
        const bool atTop = endX >= to.x && endX <= to.x + to.width && std::abs(endY - to.y) < 0.02F;
        const bool atLeft = std::abs(endX - to.x) < 0.02F && endY > to.y && endY < to.y + to.height;
        if (!atTop && !atLeft) return "a line does not end at its target";
    }
    for (GraphId g = 0; g < program.graphs().size(); ++g) {
        const Graph& graph = program.graph(g);
        for (ValueId v = graph.values.begin; v < graph.values.end; ++v) {
            const Value& value = program.value(v);
            if (value.producer == kNone || layout.endOfNode[value.producer] == kNone) continue;
            const std::uint32_t from = layout.endOfNode[value.producer];
            for (const NodeId user : program.users(value)) {
                const std::uint32_t to = layout.endOfNode[user];
                if (to == kNone || to == from) continue;
                const std::uint32_t row = (to & kGroupEnd) != 0 ? 0 : layout.rowOfNode[user];
                if (edges.count({v, to, row}) == 0)
                    return "no edge shows that " + std::string(program.displayName(user)) + " reads " + std::string(value.name);
            }
        }
    }
    return {};
}

/// Lines that run through a box or closed group they do not belong to, by at least a pixel.
std::size_t linesThroughBoxes(const GraphLayout& layout) {
    std::size_t count = 0;
    for (const LayoutEdge& edge : layout.edges) {
        for (std::size_t i = 1; i < edge.points.size(); ++i) {
            const auto [ax, ay] = edge.points[i - 1];
            const auto [bx, by] = edge.points[i];
            const float left = std::min(ax, bx), right = std::max(ax, bx), top = std::min(ay, by), bottom = std::max(ay, by);
            for (std::size_t b = 0; b < layout.boxes.size(); ++b) {
                const LayoutBox& box = layout.boxes[b];
                if (right > box.x + 1 && left < box.x + box.width - 1 && bottom > box.y + 1 && top < box.y + box.height - 1) ++count;
            }
            for (const LayoutGroup& group : layout.groups) {
                if (group.open) continue;
                if (right > group.x + 1 && left < group.x + group.width - 1 && bottom > group.y + 1 && top < group.y + group.height - 1) ++count;
            }
        }
    }
    return count;
}

std::string written(const GraphLayout& layout) {
    std::string text;
    const auto add = [&](float v) { text += std::to_string(v) + ' '; };
    for (const LayoutBox& box : layout.boxes) {
        for (const float v : {box.x, box.y, box.width, box.height}) add(v);
    }
    for (const LayoutGroup& group : layout.groups) {
        text += group.path;
        for (const float v : {group.x, group.y, group.width, group.height}) add(v);
    }
    for (const LayoutEdge& edge : layout.edges) {
        for (const auto& [x, y] : edge.points) {
            add(x);
            add(y);
        }
    }
    return text;
}

/// All programs of an archive that can be read, in order of its members.
std::vector<std::shared_ptr<const Program>> programsOf(const QString& path) {
    std::vector<std::shared_ptr<const Program>> programs;
    Issues issues;
    const auto archive = Archive::open(path.toStdString(), issues);
    if (!archive) return programs;
    for (MemberIndex m = 0; m < (*archive)->members().size(); ++m) {
        const std::string name((*archive)->nameBelowRoot(m));
        if (name.rfind("models/", 0) != 0 || name.size() < 6 || name.compare(name.size() - 5, 5, ".json") != 0) continue;
        auto bytes = (*archive)->read(m);
        if (!bytes) continue;
        auto program = Program::parse(std::move(*bytes), name, issues);
        if (program) programs.push_back(*program);
    }
    return programs;
}

}  // namespace

class TestLayout : public QObject {
    Q_OBJECT
    static std::shared_ptr<const Program> fromText(const std::string& text) {
        Issues issues;
        auto program = Program::parse(tests::programJson(text), "text", issues);
        return program ? *program : nullptr;
    }

private slots:
    void every_corpus_program_is_drawn_whole_without_overlaps_under_all_options() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here: layouts of its programs are not checked.");
        int programs = 0;
        std::size_t through = 0, lines = 0;
        QDirIterator files(tests::corpus() + "/2.13.0", {"*.pt2"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            for (const auto& program : programsOf(path)) {
                ++programs;
                for (GraphId graph = 0; graph < program->graphs().size(); ++graph) {
                    const auto hierarchy = GraphHierarchy::build(*program, graph);
                    int number = 0;
                    for (const LayoutOptions& options : allOptions()) {
                        const GraphLayout layout = layoutGraph(*hierarchy, options);
                        const std::string wrong = problem(*hierarchy, layout, options);
                        QVERIFY2(wrong.empty(), qPrintable(path + " graph " + QString::number(graph) + " options " + QString::number(number) + ": " +
                                                           QString::fromStdString(wrong)));
                        const GraphLayout again = layoutGraph(*program, graph, options);
                        QCOMPARE(written(again), written(layout));
                        const std::size_t here = linesThroughBoxes(layout);
                        if (here > 0) qInfo("%s graph %u options %d: %zu lines through boxes", qPrintable(path), graph, number, here);
                        through += here;
                        lines += layout.edges.size();
                        ++number;
                    }
                }
            }
        }
        qInfo("%d programs, %zu lines", programs, lines);
        QVERIFY(programs >= 60);
        QCOMPARE(through, std::size_t{0});
    }

    void opening_each_group_alone_keeps_the_promises() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here: opening groups of its programs is not checked.");
        for (const char* name : {"encoder", "llama_tiny", "cond_nested", "multi_root_tree", "vision_tiny", "while_loop"}) {
            const auto programs = programsOf(tests::corpus() + "/2.13.0/" + name + ".pt2");
            QCOMPARE(programs.size(), std::size_t{1});
            const Program& program = *programs[0];
            const auto hierarchy = GraphHierarchy::build(program, 0);
            for (const HierarchyGroup& group : hierarchy->groups()) {
                LayoutOptions options;
                options.open.insert(group.path);
                const GraphLayout layout = layoutGraph(*hierarchy, options);
                const std::string wrong = problem(*hierarchy, layout, options);
                QVERIFY2(wrong.empty(), qPrintable(QString(name) + " " + QString::fromStdString(group.path + ": " + wrong)));
                const bool shown =
                    std::any_of(layout.groups.begin(), layout.groups.end(), [&](const LayoutGroup& g) { return g.path == group.path && g.open; });
                QVERIFY2(shown, group.path.c_str());
            }
        }
    }

    void equal_neighbours_fold_into_one_stack_and_an_opened_one_stands_apart() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here: folding is not checked on the encoder.");
        const auto programs = programsOf(tests::corpus() + "/2.13.0/encoder.pt2");
        QCOMPARE(programs.size(), std::size_t{1});
        const auto hierarchy = GraphHierarchy::build(*programs[0], 0);
        LayoutOptions options;
        options.depth = 1;
        options.open = {"layers.2.attn"};
        const GraphLayout layout = layoutGraph(*hierarchy, options);
        std::vector<std::string> titles;
        for (const LayoutGroup& group : layout.groups) titles.push_back(group.title + (group.repeat > 1 ? " x" + std::to_string(group.repeat) : ""));
        QCOMPARE(titles, (std::vector<std::string>{"", "layers", "0 … 1 x2", "2", "attn", "mlp"}));
        for (const LayoutGroup& group : layout.groups) {
            if (group.title == "layers") QCOMPARE(group.nodeCount, 75U);
            if (group.title == "layers") QCOMPARE(group.parameters, std::uint64_t{25536});
            if (group.repeat == 2) QCOMPARE(group.parameters, std::uint64_t{8512});
            if (group.title == "attn") QCOMPARE(group.nodeCount, 19U);
            if (group.title == "attn") QCOMPARE(group.type, std::string("Attention"));
        }
    }

    void a_chain_breaks_before_products_and_where_a_value_has_two_readers() {
        const auto program = fromText(
            "a = linear(x)\n"
            "b = relu(a)\n"
            "c = mm(b, b)\n"
            "d = relu(c)\n"
            "e = exp(d)\n"
            "f = add(d, e)\n"
            "return f\n");
        QVERIFY(program);
        const auto hierarchy = GraphHierarchy::build(*program, 0);
        std::vector<NodeId> nodes{0, 1, 2, 3, 4, 5};
        const auto chains = joinChains(*hierarchy, nodes, true);
        QCOMPARE(chains, (std::vector<std::vector<NodeId>>{{0, 1}, {2, 3}, {4, 5}}));
        QCOMPARE(joinChains(*hierarchy, nodes, false).size(), std::size_t{6});
    }

    void strong_components_are_found_without_recursion() {
        QCOMPARE(strongComponents(5, {{0, 1}, {1, 2}, {2, 1}, {3, 4}}), (std::vector<std::uint32_t>{kNone, 0, 0, kNone, kNone}));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> path;
        for (std::uint32_t i = 0; i + 1 < 200000; ++i) path.emplace_back(i, i + 1);
        path.emplace_back(199999, 0);
        const auto found = strongComponents(200000, path);
        QCOMPARE(std::count(found.begin(), found.end(), 0U), 200000);
    }

    void a_module_called_again_later_is_one_group_a_call() {
        const auto program = fromText(
            "a = relu(x) @ shared\n"
            "b = exp(a) @ shared\n"
            "c = neg(b)\n"
            "d = relu(c) @ shared\n"
            "e = exp(d) @ shared\n"
            "return e\n");
        QVERIFY(program);
        const auto hierarchy = GraphHierarchy::build(*program, 0);
        std::vector<std::string> paths;
        for (const HierarchyGroup& group : hierarchy->groups()) paths.push_back(group.path);
        std::sort(paths.begin(), paths.end());
        QCOMPARE(paths, (std::vector<std::string>{"", "shared", "shared@1"}));
    }

    void circles_and_unsorted_files_are_drawn() {
        const auto program = fromText(
            "a = add(x, c) @ m.n\n"
            "b = relu(a)\n"
            "c = exp(b) @ m.n\n"
            "return c\n");
        QVERIFY(program);
        const auto hierarchy = GraphHierarchy::build(*program, 0);
        for (const LayoutOptions& options : allOptions()) {
            const GraphLayout layout = layoutGraph(*hierarchy, options);
            QVERIFY(layout.width > 0 && layout.height > 0);
        }
    }

    void very_deep_module_paths_end_in_one_title() {
        std::string deep = "m";
        for (int i = 0; i < 3000; ++i) deep += ".m";
        std::string text;
        std::string last = "x";
        for (int i = 0; i < 40; ++i) {
            const std::string name = "v" + std::to_string(i);
            text += name + " = relu(" + last + ") @ " + deep.substr(0, deep.size() - static_cast<std::size_t>(i) * 2) + "\n";
            last = name;
        }
        const auto program = fromText(text + "return " + last + "\n");
        QVERIFY(program);
        const auto hierarchy = GraphHierarchy::build(*program, 0);
        LayoutOptions options;
        options.openAll = true;
        const GraphLayout layout = layoutGraph(*hierarchy, options);
        QCOMPARE(problem(*hierarchy, layout, options), std::string());
    }

    void fifty_thousand_nodes_flat_take_seconds_and_stop_when_asked() {
        std::string text;
        std::string trunk = "x";
        int next = 0;
        const auto add = [&](const std::string& call, const std::string& module) {
            const std::string name = "v" + std::to_string(next++);
            text += name + " = " + call + " @ " + module + "\n";
            return name;
        };
        int layer = 0;
        while (next < 50000) {  // a transformer without its arithmetic
            const std::string block = "layers." + std::to_string(layer++);
            const std::string q = add("transpose(" + add("linear(" + trunk + ")", block + ".attn.q") + ")", block + ".attn");
            const std::string k = add("transpose(" + add("linear(" + trunk + ")", block + ".attn.k") + ")", block + ".attn");
            const std::string v = add("transpose(" + add("linear(" + trunk + ")", block + ".attn.v") + ")", block + ".attn");
            const std::string w = add("softmax(" + add("matmul(" + q + ", " + k + ")", block + ".attn") + ")", block + ".attn");
            const std::string y = add("linear(" + add("matmul(" + w + ", " + v + ")", block + ".attn") + ")", block + ".attn.o");
            trunk = add("add(" + y + ", " + trunk + ")", block);
            const std::string h = add("gelu(" + add("linear(" + trunk + ")", block + ".mlp.0") + ")", block + ".mlp.1");
            trunk = add("add(" + add("linear(" + h + ")", block + ".mlp.2") + ", " + trunk + ")", block);
        }
        const auto program = fromText(text + "return " + trunk + "\n");
        QVERIFY(program);
        QElapsedTimer timer;
        timer.start();
        const auto hierarchy = GraphHierarchy::build(*program, 0);
        const qint64 building = timer.restart();
        const GraphLayout closed = layoutGraph(*hierarchy, {});
        const qint64 top = timer.restart();
        LayoutOptions flat;
        flat.flat = true;
        const GraphLayout flatLayout = layoutGraph(*hierarchy, flat);
        const qint64 flatTime = timer.restart();
        LayoutOptions open;
        open.openAll = true;
        open.foldRepeats = false;
        const GraphLayout openLayout = layoutGraph(*hierarchy, open);
        const qint64 openTime = timer.restart();
        LayoutOptions single = flat;
        single.joinChains = false;
        const GraphLayout singleLayout = layoutGraph(*hierarchy, single);
        const qint64 singleTime = timer.restart();
        qInfo("50,000 nodes: hierarchy %lld ms, closed %lld ms, flat %lld ms (%zu boxes), all open %lld ms, one box a node %lld ms",
              static_cast<long long>(building), static_cast<long long>(top), static_cast<long long>(flatTime), flatLayout.boxes.size(),
              static_cast<long long>(openTime), static_cast<long long>(singleTime));
        QVERIFY2(flatTime < 15000, "a flat layout of 50,000 nodes takes seconds");
        QVERIFY2(openTime < 15000, "a layout with all groups open takes seconds");
        QVERIFY2(singleTime < 20000, "a layout with one box a node takes seconds");
        QVERIFY2(top < 1000, "a closed group costs the same whatever it holds");
        QCOMPARE(problem(*hierarchy, flatLayout, flat), std::string());
        QCOMPARE(problem(*hierarchy, openLayout, open), std::string());
        CancelToken cancel;
        cancel.request();
        timer.restart();
        QVERIFY(layoutGraph(*hierarchy, flat, cancel).cancelled);
        QVERIFY(timer.elapsed() < 1000);
    }

    void a_value_with_many_readers_and_a_wide_graph_stay_quick() {
        std::string text = "s = relu(x)\n", all;
        for (int i = 0; i < 6000; ++i) {
            text += "b" + std::to_string(i) + " = exp(s)\n";
            all += (i > 0 ? ", b" : "b") + std::to_string(i);
        }
        const auto program = fromText(text + "c = cat(" + all + ")\nreturn c\n");
        QVERIFY(program);
        const auto hierarchy = GraphHierarchy::build(*program, 0);
        QElapsedTimer timer;
        timer.start();
        const GraphLayout layout = layoutGraph(*hierarchy, {});
        qInfo("6,000 branches: %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 15000);
        QCOMPARE(problem(*hierarchy, layout, {}), std::string());
    }
};

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"

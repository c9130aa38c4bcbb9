#include "core/package/module_summary.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/base/text.h"

namespace pt2 {

namespace {

/// Deeper names are not taken apart: a file could make a module of every dot.
constexpr std::size_t kDeepest = 128;

/// The class of a module; torch writes a marker in its place for nodes that passes made without a stack.
std::string_view classOf(const Program& program, std::string_view path) {
    const std::string_view type = program.moduleType(path);
    return type.starts_with("_empty_nn_module_stack") ? std::string_view() : type;
}

class Tree {
public:
    explicit Tree(const Program& program) : program_(program) {
        modules_.emplace_back();
        modules_[0].type = classOf(program, {});
        known_.emplace(std::string(), 0);
    }

    std::size_t find(std::string_view path) {
        const auto found = known_.find(std::string(path));
        if (found != known_.end()) return found->second;
        std::size_t at = 0, begin = 0;
        while (begin <= path.size()) {
            std::size_t end = modules_[at].depth + 1 >= kDeepest ? std::string_view::npos : path.find('.', begin);
            end = std::min(end, path.size());
            at = child(at, path.substr(0, end), path.substr(begin, end - begin));
            begin = end + 1;
        }
        return at;
    }

    /// The same for a path of the program's own: those are interned, so each is looked for once.
    std::size_t findInterned(std::string_view path) {
        const auto [entry, isNew] = interned_.emplace(path.data(), 0);
        if (isNew) entry->second = find(path);
        return entry->second;
    }

    std::vector<ModuleSummary> take() { return std::move(modules_); }
    ModuleSummary& operator[](std::size_t index) { return modules_[index]; }
    std::size_t size() const { return modules_.size(); }

private:
    std::size_t child(std::size_t parent, std::string_view path, std::string_view name) {
        const auto [entry, isNew] = known_.emplace(std::string(path), modules_.size());
        if (!isNew) return entry->second;
        ModuleSummary made;
        made.path = path;
        made.name = name;
        made.type = classOf(program_, path);
        made.parent = parent;
        made.depth = modules_[parent].depth + 1;
        modules_[parent].children.push_back(modules_.size());
        modules_.push_back(std::move(made));
        return entry->second;
    }

    const Program& program_;
    std::vector<ModuleSummary> modules_;
    std::unordered_map<std::string, std::size_t> known_;
    std::unordered_map<const char*, std::size_t> interned_;
};

/// The bytes of a tensor; nullopt when a size is not known or the product leaves 64 bits.
std::optional<std::uint64_t> tensorBytes(const Program& program, const Value& value, const SymExpr::Lookup& sizes) {
    if (!value.sizesKnown || value.dtype == DType::Unknown) return std::nullopt;
    std::uint64_t bytes = dtypeSize(value.dtype);
    for (std::uint32_t i = value.sizes.begin; i < value.sizes.end; ++i) {
        const SymInt& size = program.symInts()[i];
        std::int64_t length = size.integer;
        if (size.isSymbolic()) {
            const std::optional<SymExpr>& expression = program.expression(size.expr);
            const auto found = expression ? expression->evaluate(sizes) : std::nullopt;
            if (!found || !std::holds_alternative<std::int64_t>(*found)) return std::nullopt;
            length = std::get<std::int64_t>(*found);
        }
        if (length < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) return std::nullopt;
    }
    return bytes;
}

void addValues(Tree& tree, const Program& program, const SymExpr::Lookup& sizes) {
    for (ValueId id = 0; id < program.values().size(); ++id) {
        const Value& value = program.value(id);
        if (value.producer == kNone || value.kind != ValueKind::Tensor) continue;
        ModuleSums& own = tree[tree.findInterned(program.modulePath(value.producer))].own;
        const auto bytes = tensorBytes(program, value, sizes);
        if (bytes && !__builtin_add_overflow(own.made, *bytes, &own.made)) continue;
        ++own.unsized;
    }
}

void addNodes(Tree& tree, const Program& program) {
    for (NodeId id = 0; id < program.nodes().size(); ++id) {
        ModuleSums& own = tree[tree.findInterned(program.modulePath(id))].own;
        const std::string_view target = program.node(id).target;
        ++own.nodes;
        ++own.families[static_cast<std::size_t>(operatorFamily(target))];
        const OperatorName name = splitOperatorName(target);
        std::string full(name.ns);
        if (!full.empty()) full += '.';
        full += name.name;
        ++own.operators[full];
    }
}

std::size_t moduleOfWeight(Tree& tree, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? 0 : tree.find(name.substr(0, dot));
}

void addWeights(Tree& tree, const WeightTable& table, ProgramSummary& summary) {
    using Layout = std::tuple<DType, std::vector<std::int64_t>, std::vector<std::int64_t>, std::int64_t>;
    std::set<std::pair<std::size_t, std::size_t>> storages;          // module, storage
    std::set<std::tuple<std::size_t, std::size_t, Layout>> tensors;  // module, storage, layout
    std::unordered_map<std::size_t, std::size_t> firstOf;            // storage → row
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const WeightRow& row = table.rows()[i];
        if (row.layout.dtype == DType::Unknown) continue;
        const std::size_t module = moduleOfWeight(tree, row.name);
        const bool hasStorage = row.storage != WeightRow::kNoStorage;
        const Layout layout{row.layout.dtype, row.layout.sizes, row.layout.strides, row.layout.storageOffset};
        const auto count = [&](ModuleSums& sums, std::size_t scope) {
            // Elements of tied weights and bytes of one storage are counted once in each sum.
            if (!hasStorage || tensors.emplace(scope, row.storage, layout).second) {
                (row.kind == WeightKind::Parameter ? sums.parameters : sums.buffers) += row.elements;
            }
            if (!hasStorage) {
                sums.bytes += row.bytes;
            } else if (storages.emplace(scope, row.storage).second) {
                sums.bytes += row.isSubclass ? row.bytes : row.storageBytes;
            }
        };
        count(tree[module].own, 2 * module + 1);
        for (std::size_t at = module;; at = tree[at].parent) {
            count(tree[at].sums, 2 * at);
            if (at == 0) break;
        }
        if (!hasStorage) continue;
        const auto [first, isFirst] = firstOf.emplace(row.storage, i);
        if (isFirst) continue;
        const WeightRow& before = table.rows()[first->second];
        const bool tied = before.layout == row.layout;
        summary.shared.push_back({row.name, before.name, tied, row.elements});
        if (tied && moduleOfWeight(tree, before.name) != module) tree[module].shared += row.elements;
    }
}

}  // namespace

std::vector<std::size_t> ProgramSummary::treeOrder(std::size_t depth) const {
    std::vector<std::size_t> order, open{0};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        order.push_back(at);
        if (modules[at].depth >= depth) continue;
        for (auto child = modules[at].children.rbegin(); child != modules[at].children.rend(); ++child) open.push_back(*child);
    }
    return order;
}

std::string frequentOperators(const ModuleSums& sums, std::size_t most) {
    std::vector<std::pair<std::uint64_t, std::string>> counts;
    for (const auto& [name, count] : sums.operators) counts.emplace_back(count, name.starts_with("aten.") ? name.substr(5) : name);
    std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> parts;
    for (const auto& [count, name] : counts) {
        if (parts.size() == most) {
            parts.emplace_back("…");
            break;
        }
        parts.push_back(name + " " + formatCount(count));
    }
    return join(parts, ", ");
}

ProgramSummary summariseModules(const Program& program, const WeightTable& table) { return summariseModules(program, table, {}); }

ProgramSummary summariseModules(const Program& program, const WeightTable& table, const SymExpr::Lookup& sizes) {
    ProgramSummary summary;
    Tree tree(program);
    for (const ModuleCallEntry& call : program.moduleCallGraph()) {
        const std::size_t at = call.fqn.find('@');  // a further call of a module: "layers.0@1"
        tree.find(call.fqn.substr(0, at));
    }
    addNodes(tree, program);
    if (sizes) addValues(tree, program, sizes);
    addWeights(tree, table, summary);
    for (std::size_t i = tree.size(); i-- > 0;) {
        ModuleSummary& module = tree[i];
        const auto add = [](ModuleSums& to, const ModuleSums& from) {
            to.nodes += from.nodes;
            if (__builtin_add_overflow(to.made, from.made, &to.made)) to.made = std::numeric_limits<std::uint64_t>::max();
            to.unsized += from.unsized;
            for (std::size_t f = 0; f < from.families.size(); ++f) to.families[f] += from.families[f];
            for (const auto& [name, count] : from.operators) to.operators[name] += count;
        };
        add(module.sums, module.own);
        if (i > 0) add(tree[module.parent].sums, module.sums);
    }
    summary.modules = tree.take();
    return summary;
}

}  // namespace pt2

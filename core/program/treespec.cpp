#include "core/program/treespec.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/program/json_tokens.h"

namespace pt2 {

namespace {

constexpr std::uint32_t kDepthLimit = 200;

tl::unexpected<Error> malformed(std::string why) {
    return fail({ErrorKind::Unreadable,
                 "program.treespec",
                 "The tree of the program's inputs or outputs cannot be read.",
                 {},
                 std::move(why),
                 "Names of inputs are then taken from the graph."});
}

bool isIdentifier(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    for (char c : text) {
        const bool word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
        if (!word) return false;
    }
    return true;
}

nlohmann::json parseOrNull(std::string_view text) {
    nlohmann::json parsed = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
    return parsed.is_discarded() ? nlohmann::json() : parsed;
}

/// A dictionary's key as text and as Python writes it: strings, numbers, booleans, None, members of an Enum.
void addDictKey(TreeSpecNode& node, const nlohmann::json& key) {
    if (key.is_string()) {
        node.keys.push_back(key.get<std::string>());
        node.access.push_back("[" + pythonStringRepr(node.keys.back()) + "]");
        return;
    }
    std::string text;
    if (key.is_object() && key.contains("__enum__") && key.contains("name") && key["name"].is_string()) {
        text = key["name"].get<std::string>();
        if (key.contains("fqn") && key["fqn"].is_string()) {
            const std::string fqn = key["fqn"].get<std::string>();
            text = fqn.substr(fqn.rfind(':') == std::string::npos ? 0 : fqn.rfind(':') + 1) + "." + text;
        }
    } else if (key.is_boolean()) {
        text = key.get<bool>() ? "True" : "False";
    } else if (key.is_null()) {
        text = "None";
    } else {
        text = key.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    node.access.push_back("[" + text + "]");
    node.keys.push_back(std::move(text));
}

void addField(TreeSpecNode& node, std::string name) {
    node.access.push_back("." + name);
    node.keys.push_back(std::move(name));
}

bool addDictKeys(TreeSpecNode& node, const nlohmann::json& keys, std::size_t count) {
    if (!keys.is_array() || keys.size() != count) return false;
    for (const nlohmann::json& key : keys) addDictKey(node, key);
    node.keysAreIndices = false;
    return true;
}

bool addFields(TreeSpecNode& node, const nlohmann::json& names, std::size_t count) {
    if (!names.is_array() || names.size() != count) return false;
    for (const nlohmann::json& name : names)
        if (!name.is_string()) return false;
    for (const nlohmann::json& name : names) addField(node, name.get<std::string>());
    node.keysAreIndices = false;
    return true;
}

/// Names the children of a node by what its type says of its context (format.md 2.6).
void nameChildren(TreeSpecNode& node, std::string_view contextText, std::size_t count,
                  const std::map<std::string, std::vector<std::string>>& namedtupleFields) {
    const nlohmann::json context = contextText.empty() ? nlohmann::json() : parseOrNull(contextText);
    const nlohmann::json inner = context.is_string() ? parseOrNull(context.get_ref<const std::string&>()) : context;
    bool named = false;
    if (node.type == "builtins.dict" || node.type == "collections.OrderedDict") {
        named = addDictKeys(node, inner, count);
    } else if (node.type == "collections.defaultdict") {
        if (inner.is_object() && inner.contains("dict_context")) {
            const nlohmann::json& keys = inner["dict_context"];
            named = addDictKeys(node, keys.is_string() ? parseOrNull(keys.get_ref<const std::string&>()) : keys, count);
        }
    } else if (node.type == "collections.namedtuple") {
        const auto fields = namedtupleFields.find(context.is_string() ? context.get<std::string>() : std::string(contextText));
        if (fields != namedtupleFields.end() && fields->second.size() == count) {
            for (const std::string& field : fields->second) addField(node, field);
            node.keysAreIndices = false;
            named = true;
        }
    } else if (node.type != "builtins.tuple" && node.type != "builtins.list" && node.type != "collections.deque") {
        // A registered dataclass: its fields that are set, then those that are None. Other registered types often keep a list of keys.
        if (inner.is_array() && inner.size() == 2 && inner[0].is_array() && inner[1].is_array()) named = addFields(node, inner[0], count);
        if (!named && count > 0) named = addFields(node, inner, count);
    }
    if (named) return;
    node.keysAreIndices = true;
    for (std::size_t i = 0; i < count; ++i) {
        node.keys.push_back(std::to_string(i));
        node.access.push_back("[" + std::to_string(i) + "]");
    }
}

}  // namespace

Result<TreeSpec> TreeSpec::parse(std::string_view json, const std::map<std::string, std::vector<std::string>>& namedtupleFields) {
    const Result<JsonTokens> tokens = JsonTokens::scan(json);
    if (!tokens) return malformed(tokens.error().why);
    TextStore texts;
    JsonReader reader(*tokens, texts);
    const auto broken = [&] { return malformed("At " + tokens->path(reader.faultToken()) + ": " + reader.message() + "."); };

    std::uint32_t root = 0;
    std::size_t parts = 0;
    const bool outer = reader.readArray([&] {
        if (++parts == 2) root = reader.position();
        return reader.skip();
    });
    if (!outer) return broken();
    if (!reader.atEnd() || parts != 2 || tokens->first(root) != '{') return malformed("It is not a pair of a protocol number and a tree.");

    struct Pending {
        std::uint32_t token, parent, child, depth;
    };
    TreeSpec spec;
    std::vector<Pending> work{{root, 0, 0, 0}};
    std::vector<std::uint32_t> children;
    while (!work.empty()) {
        const Pending next = work.back();
        work.pop_back();
        if (next.depth > kDepthLimit) return malformed("It is nested more than 200 deep.");
        TreeSpecNode node;
        std::string_view type, context;
        children.clear();
        reader.seek(next.token);
        const bool read = reader.readObject([&](std::string_view key) {
            if (key == "type" && reader.atString()) return reader.readString(type);
            if (key == "context" && reader.atString()) {
                // A string of JSON, or for named tuples and classes a bare name.
                return reader.readString(context);
            }
            if (key == "context") {
                const std::uint32_t token = reader.position();
                if (!reader.skip()) return false;
                context = reader.textSince(token);
                return true;
            }
            if (key == "children_spec") {
                return reader.readArray([&] {
                    children.push_back(reader.position());
                    return reader.skip();
                });
            }
            return reader.skip();
        });
        if (!read) return broken();
        const auto id = static_cast<std::uint32_t>(spec.nodes.size());
        if (id > 0) spec.nodes[next.parent].children[next.child] = id;
        node.type = std::string(type);
        if (type.empty()) {
            if (!children.empty()) return malformed("A part without a type has children.");
            node.leafIndex = spec.leafCount++;
        } else {
            node.children.resize(children.size());
            nameChildren(node, context, children.size(), namedtupleFields);
            for (std::size_t i = children.size(); i-- > 0;) work.push_back({children[i], id, static_cast<std::uint32_t>(i), next.depth + 1});
        }
        spec.nodes.push_back(std::move(node));
    }
    return spec;
}

namespace {

/// One step of a walk over a spec in order of leaves.
struct Step {
    std::uint32_t node = 0;
    std::string name, python;
    std::vector<std::string> parts;
    bool isKeyword = false;
};

/// The step down to child `i` of `node`: "[0]" for sequences, ".b" or "['odd key']" for what has names.
Step descend(const TreeSpecNode& node, std::size_t i, const Step& from) {
    Step step = from;
    step.node = node.children[i];
    const bool dotted = !node.keysAreIndices && isIdentifier(node.keys[i]);
    const std::string piece = dotted ? node.keys[i] : node.access[i];
    step.name += dotted && !step.name.empty() ? "." + piece : piece;
    step.python += node.access[i];
    step.parts.push_back(piece);
    return step;
}

template <typename Leaf>
void walkLeaves(const TreeSpec& spec, std::vector<Step> work, Leaf&& leaf) {
    while (!work.empty()) {
        const Step step = std::move(work.back());
        work.pop_back();
        const TreeSpecNode& node = spec.nodes[step.node];
        if (node.isLeaf()) {
            leaf(step);
            continue;
        }
        for (std::size_t i = node.children.size(); i-- > 0;) work.push_back(descend(node, i, step));
    }
}

}  // namespace

std::vector<InputPath> inputPaths(const TreeSpec& inSpec, const std::vector<std::string_view>& forwardArgNames) {
    std::vector<InputPath> paths(inSpec.leafCount);
    if (inSpec.nodes.empty()) return paths;
    const TreeSpecNode& root = inSpec.nodes[0];
    std::vector<Step> steps;
    const auto argument = [&](const TreeSpecNode& node, std::size_t i, std::string name, bool isKeyword) {
        Step step;
        step.node = node.children[i];
        step.name = step.python = name;
        step.parts = {std::move(name)};
        step.isKeyword = isKeyword;
        steps.push_back(std::move(step));
    };
    const auto positional = [&](const TreeSpecNode& node) {
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            argument(node, i, i < forwardArgNames.size() ? std::string(forwardArgNames[i]) : "arg" + std::to_string(i), false);
        }
    };
    const bool isCall =
        root.children.size() == 2 && inSpec.nodes[root.children[0]].type == "builtins.tuple" && !inSpec.nodes[root.children[1]].isLeaf();
    if (isCall) {
        positional(inSpec.nodes[root.children[0]]);
        const TreeSpecNode& keywords = inSpec.nodes[root.children[1]];
        for (std::size_t i = 0; i < keywords.children.size(); ++i) argument(keywords, i, keywords.keys[i], true);
    } else if (root.isLeaf()) {
        paths[0].name = paths[0].python = forwardArgNames.empty() ? "arg0" : std::string(forwardArgNames[0]);
        paths[0].parts = {paths[0].name};
        return paths;
    } else {
        positional(root);
    }
    std::vector<Step> reversed(std::make_move_iterator(steps.rbegin()), std::make_move_iterator(steps.rend()));
    walkLeaves(inSpec, std::move(reversed), [&](const Step& step) {
        InputPath& path = paths[inSpec.nodes[step.node].leafIndex];
        path.name = step.name;
        path.python = step.python;
        path.isKeyword = step.isKeyword;
        path.parts = step.parts;
    });
    return paths;
}

std::vector<std::string> outputPaths(const TreeSpec& outSpec) {
    std::vector<std::string> paths(outSpec.leafCount);
    if (outSpec.nodes.empty()) return paths;
    walkLeaves(outSpec, {Step{}}, [&](const Step& step) { paths[outSpec.nodes[step.node].leafIndex] = step.name.empty() ? "result" : step.name; });
    return paths;
}

}  // namespace pt2

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/program/program_storage.h"

namespace pt2 {

namespace {

/// Calls `entry(key, value)` with the raw texts of a flat JSON object of strings, until it returns false. What else stands there ends the walk; the
/// reader of the program has said so in an issue.
template <typename Entry>
void walkMetadata(std::string_view text, Entry&& entry) {
    const auto string = [&](std::size_t& at, std::string_view& out) {
        if (at >= text.size() || text[at] != '"') return false;
        std::size_t end = at + 1;
        for (;;) {
            end = text.find('"', end);
            if (end == std::string_view::npos) return false;
            std::size_t slashes = 0;
            while (end - slashes > at + 1 && text[end - slashes - 1] == '\\') ++slashes;
            if (slashes % 2 == 0) break;
            ++end;
        }
        out = text.substr(at + 1, end - at - 1);
        at = end + 1;
        return true;
    };
    std::size_t at = text.find('"');
    while (at != std::string_view::npos) {
        std::string_view key, value;
        if (!string(at, key)) return;
        at = text.find_first_not_of(" \t\r\n", at);
        if (at == std::string_view::npos || text[at] != ':') return;
        at = text.find_first_not_of(" \t\r\n", at + 1);
        if (at == std::string_view::npos || !string(at, value) || !entry(key, value)) return;
        at = text.find_first_not_of(" \t\r\n", at);
        if (at == std::string_view::npos || text[at] != ',') return;
        at = text.find('"', at);
    }
}

std::string decoded(std::string_view raw) {
    if (raw.find('\\') == std::string_view::npos) return std::string(raw);
    std::string out;
    if (!decodeJsonString(raw, out)) out = std::string(raw);
    return out;
}

/// "key,path,type": commas inside () and [] belong to a part (format.md 2.7).
ModuleFrame splitModuleFrame(std::string_view item) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= item.size(); ++i) {
        const char c = i < item.size() ? item[i] : ',';
        if (c == '(' || c == '[') ++depth;
        if ((c == ')' || c == ']') && depth > 0) --depth;
        if ((c == ',' && depth == 0) || i == item.size()) {
            parts.push_back(item.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    ModuleFrame frame;
    frame.key = std::string(parts.front());
    if (parts.size() < 2) return frame;
    frame.type = std::string(parts.back());
    if (parts.size() > 2) {
        // A comma in plain text makes more than three parts; the outer ones are still what they are.
        const char* from = parts[1].data();
        const char* to = parts[parts.size() - 2].data() + parts[parts.size() - 2].size();
        frame.path = std::string(from, to);
    }
    return frame;
}

/// torch 2.1 to 2.3 name a module by Python's access to it; a placeholder stands on reads that torch inserted.
std::string plainPath(std::string path) {
    constexpr std::string_view self = "L['self'].";
    if (path.rfind(self, 0) == 0) path.erase(0, self.size());
    if (path == "_empty_nn_module_stack_from_metadata_hook" || path == "L['self']") path.clear();
    return path;
}

std::vector<ModuleFrame> splitModuleStack(std::string_view text) {
    std::vector<ModuleFrame> frames;
    std::size_t begin = 0;
    while (begin <= text.size() && !text.empty()) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        if (end > begin) frames.push_back(splitModuleFrame(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return frames;
}

std::string_view stripped(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t\r\n\f\v");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t\r\n\f\v") - from + 1);
}

std::vector<SourceFrame> splitStackTrace(std::string_view text) {
    std::vector<SourceFrame> frames;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = stripped(text.substr(begin, end - begin));
        begin = end + 1;
        constexpr std::string_view head = "File \"", middle = "\", line ", tail = ", in ";
        const std::size_t fileEnd = line.rfind(middle);
        if (line.substr(0, head.size()) == head && fileEnd != std::string_view::npos && fileEnd >= head.size()) {
            const std::string_view rest = line.substr(fileEnd + middle.size());
            const std::size_t comma = rest.find(tail);
            int number = 0;
            const auto [numberEnd, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
            if (comma != std::string_view::npos && error == std::errc() && numberEnd == rest.data() + comma) {
                SourceFrame frame;
                frame.file = std::string(line.substr(head.size(), fileEnd - head.size()));
                frame.line = number;
                frame.function = std::string(rest.substr(comma + tail.size()));
                frames.push_back(std::move(frame));
                continue;
            }
        }
        if (frames.empty() || line.empty()) continue;
        std::string& code = frames.back().code;
        if (!code.empty()) code += '\n';
        code += line;
    }
    return frames;
}

void readModules(const Program& program, const Program::Storage& storage) {
    // Stacks repeat from node to node, and their items from stack to stack: each distinct text is taken apart once.
    TextTable stacks, items;
    std::vector<std::uint32_t> pathOfStack, pathOfItem;  // into modulePaths
    std::unordered_map<std::string, std::uint32_t> pathIds{{std::string(), 0}};
    storage.modulePaths.emplace_back();
    storage.moduleOfNode.assign(storage.nodes.size(), 0);
    for (NodeId id = 0; id < storage.nodes.size(); ++id) {
        std::string_view stack;
        walkMetadata(program.slice(storage.nodes[id].metadata), [&](std::string_view key, std::string_view value) {
            if (key != "nn_module_stack") return true;
            stack = value;
            return false;
        });
        if (stack.empty()) continue;
        bool added = false;
        const std::uint32_t stackId = stacks.enter(stack, added);
        if (added) {
            std::uint32_t innermost = 0;
            for (std::string_view rest = stack; !rest.empty();) {
                const std::size_t end = std::min(rest.find(';'), rest.size());
                const std::string_view item = rest.substr(0, end);
                rest.remove_prefix(std::min(end + 1, rest.size()));
                if (item.empty()) continue;
                const std::uint32_t itemId = items.enter(item, added);
                if (added) {
                    ModuleFrame frame = splitModuleFrame(decoded(item));
                    frame.path = plainPath(std::move(frame.path));
                    const auto [entry, isNew] = pathIds.emplace(frame.path, static_cast<std::uint32_t>(storage.modulePaths.size()));
                    if (isNew) storage.modulePaths.push_back(frame.path);
                    if (!frame.type.empty()) storage.moduleTypes.emplace(std::move(frame.path), std::move(frame.type));
                    pathOfItem.push_back(entry->second);
                }
                innermost = pathOfItem[itemId];
            }
            pathOfStack.push_back(innermost);
        }
        storage.moduleOfNode[id] = pathOfStack[stackId];
    }
}

}  // namespace

NodeMetadata Program::metadata(NodeId id) const {
    NodeMetadata result;
    walkMetadata(slice(node(id).metadata), [&](std::string_view key, std::string_view value) {
        result.entries.emplace_back(decoded(key), decoded(value));
        return true;
    });
    for (const auto& [key, value] : result.entries) {
        if (key == "nn_module_stack") {
            result.moduleStack = splitModuleStack(value);
            for (ModuleFrame& frame : result.moduleStack) frame.path = plainPath(std::move(frame.path));
        }
        if (key == "stack_trace") result.stackTrace = splitStackTrace(value);
    }
    return result;
}

std::string_view Program::modulePath(NodeId id) const {
    std::call_once(storage_->modulesOnce, [this] { readModules(*this, *storage_); });
    return storage_->modulePaths[storage_->moduleOfNode[id]];
}

std::string_view Program::moduleType(std::string_view path) const {
    std::call_once(storage_->modulesOnce, [this] { readModules(*this, *storage_); });
    const auto found = storage_->moduleTypes.find(std::string(path));
    return found == storage_->moduleTypes.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace pt2

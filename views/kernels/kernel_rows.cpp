#include "views/kernels/kernel_rows.h"

#include <QObject>
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

const QString kCall = QStringLiteral("call:");

bool isNumber(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "layers.0" of "layers.0.attn.q_proj": the outermost part that repeats, else the first name.
std::string_view blockOf(std::string_view path) {
    std::size_t begin = 0;
    while (begin < path.size()) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        if (isNumber(path.substr(begin, end - begin))) return path.substr(0, end);
        begin = end + 1;
    }
    return path.substr(0, path.find('.'));
}

/// Where a call's work stands in the model: the module paths of its nodes, each once.
std::vector<std::string> modulesOf(const LinkedKernels& kernels, std::size_t call) {
    std::vector<std::string> paths;
    for (const KernelLink& link : kernels.links[call]) {
        std::string path(kernels.program.entry->program->modulePath(link.node));
        if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    }
    return paths;
}

/// Whether `path` lies below `above`; everything lies below the model itself, the empty path.
bool isInside(std::string_view path, std::string_view above) {
    return above.empty() || (path.size() > above.size() && path.substr(0, above.size()) == above && path[above.size()] == '.');
}

/// The fewest modules that hold these: none beside one that holds it, and one module in place of more than two of its children.
std::vector<std::string> heldTogether(std::vector<std::string> paths, const std::string& block) {
    const auto parent = [](const std::string& path) { return path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.rfind('.')); };
    std::map<std::string, int> children;
    for (const std::string& path : paths) ++children[parent(path)];
    for (const auto& [above, count] : children) {
        if (count <= 2 || above == block || !isInside(above, block)) continue;
        const auto first = std::find_if(paths.begin(), paths.end(), [&, &above = above](const std::string& path) { return parent(path) == above; });
        *first = above;
    }
    std::vector<std::string> fewest;
    for (const std::string& path : paths) {
        const bool held = std::any_of(paths.begin(), paths.end(), [&](const std::string& other) { return !other.empty() && isInside(path, other); });
        if (!held && std::find(fewest.begin(), fewest.end(), path) == fewest.end()) fewest.push_back(path);
    }
    return fewest;
}

QString pathsBelow(const std::vector<std::string>& paths, const std::string& block) {
    QStringList parts;
    for (const std::string& path : paths) {
        if (path == block || path.empty()) continue;
        parts << shown(!block.empty() && isInside(path, block) ? std::string_view(path).substr(block.size() + 1) : std::string_view(path));
    }
    return parts.join(QStringLiteral(", "));
}

Cell fromCell(const LinkedKernels& kernels, std::size_t call, const std::string& block) {
    std::vector<std::string> paths = modulesOf(kernels, call);
    const QString all = pathsBelow(paths, block);
    paths.erase(std::remove(paths.begin(), paths.end(), block), paths.end());
    QString text = pathsBelow(heldTogether(std::move(paths), block), block);
    if (text.isEmpty()) {
        // Work of the block itself: its nodes say more than its name.
        QStringList parts;
        for (const KernelLink& link : kernels.links[call]) parts << shown(kernels.program.entry->program->displayName(link.node));
        if (parts.isEmpty() && !kernels.program) {
            for (const std::string& node : kernels.listing.calls[call].sourceNodes) parts << shown(node);
        }
        text = parts.join(QStringLiteral(", "));
    }
    Cell cell = text.isEmpty() ? Cell::missing(QObject::tr("unknown")) : Cell::muted(text);
    cell.cutLeft = true;
    if (all != text) cell.tooltip = all;
    return cell;
}

/// What the icon before a call stands for.
QString kindWords(KernelCall::Kind kind) {
    switch (kind) {
        case KernelCall::Kind::Fused: return QObject::tr("fused: C++ that Inductor generated");
        case KernelCall::Kind::Extern: return QObject::tr("extern: an operator of LibTorch");
        case KernelCall::Kind::Proxy: return QObject::tr("proxy: an operator called through the proxy executor");
        case KernelCall::Kind::Gpu: return QObject::tr("gpu: a launcher of a GPU kernel");
    }
    return {};
}

Row callRow(const LinkedKernels& kernels, std::size_t index, const std::string& block) {
    const KernelCall& call = kernels.listing.calls[index];
    Row row;
    row.address = rowOfCall(index);
    Cell number = Cell::fixed(QString::number(index + 1), Role::Muted);
    number.sort = static_cast<double>(index);
    Cell name = Cell::fixed(shortKernelName(call));
    name.icon = call.definition ? QStringLiteral("kernels") : QStringLiteral("library");
    name.iconColour = call.definition ? Role::Link : Role::Muted;
    name.tooltip = shown(call.name) + QLatin1Char('\n') + kindWords(call.kind);
    row.cells = {number, name, fromCell(kernels, index, block)};
    return row;
}

QString constantText(const LinkedKernels& kernels, std::size_t index) {
    const auto& constants = kernels.compiled.model->constants;
    if (index >= constants.size()) return {};
    return shown(constants[index].fqn.empty() ? constants[index].name : constants[index].fqn);
}

BufferUse use(const LinkedKernels& kernels, const std::string& name) {
    BufferUse made;
    made.name = shown(name);
    made.what = made.name;
    const auto input = kernels.listing.inputs.find(name);
    const auto constant = kernels.listing.constants.find(name);
    if (input != kernels.listing.inputs.end()) made.what = QObject::tr("input %1").arg(input->second);
    if (constant != kernels.listing.constants.end()) made.what = constantText(kernels, constant->second);
    return made;
}

bool contains(const std::vector<std::string>& names, const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); }

const KernelBuffer* bufferNamed(const LinkedKernels& kernels, const std::string& name) {
    const auto& buffers = kernels.listing.buffers;
    const auto found = std::find_if(buffers.begin(), buffers.end(), [&](const KernelBuffer& buffer) { return buffer.name == name; });
    return found == buffers.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Column> kernelColumns() {
    return {{QObject::tr("Call"), 72, false, false, {}}, {QObject::tr("Kernel"), 200, false, true, {}}, {QObject::tr("From"), 150, false, false, {}}};
}

std::vector<Row> kernelRows(const LinkedKernels& kernels) {
    std::vector<Row> groups;
    std::string block;
    bool any = false;
    for (std::size_t i = 0; i < kernels.listing.calls.size(); ++i) {
        // A call without nodes stands with the one before it.
        std::string own = any ? block : std::string();
        if (const std::vector<KernelLink>& links = kernels.links[i]; !links.empty()) {
            // torch lists the node that a kernel gives first and then what led to it; elsewhere they stand in the graph's order.
            const KernelLink& given = links.front().by == KernelLink::By::Provenance ? links.front() : links.back();
            own = std::string(blockOf(kernels.program.entry->program->modulePath(given.node)));
        }
        if (!any || own != block) {
            Row group;
            group.group = true;
            group.address = QStringLiteral("group:%1").arg(groups.size());
            group.cells = {Cell(own.empty() ? (kernels.program ? QObject::tr("The model itself") : QObject::tr("All calls")) : shown(own))};
            groups.push_back(std::move(group));
            block = own;
            any = true;
        }
        groups.back().children.push_back(callRow(kernels, i, block));
    }
    for (Row& group : groups) group.cells.front().second = counted(group.children.size(), QObject::tr("call"), QObject::tr("calls"));
    return groups;
}

QString rowOfCall(std::size_t call) { return kCall + QString::number(call); }

std::optional<std::size_t> callOfRow(const QString& address) {
    if (!address.startsWith(kCall)) return std::nullopt;
    bool ok = false;
    const qulonglong call = address.mid(kCall.size()).toULongLong(&ok);
    return ok ? std::optional<std::size_t>(call) : std::nullopt;
}

QString shortKernelName(const KernelCall& call) {
    std::string_view name = call.name;
    for (const std::string_view prefix : {"aoti_torch_cpu_", "aoti_torch_cuda_", "aoti_torch_xpu_", "aoti_torch_mps_", "aoti_torch_"}) {
        if (call.kind != KernelCall::Kind::Extern || name.substr(0, prefix.size()) != prefix) continue;
        name = name.substr(prefix.size());
        break;
    }
    return shown(name);
}

QString linkWords(KernelLink::By by) { return QString::fromLatin1(kernelLinkWords(by)); }

QString callNumbers(const std::vector<std::size_t>& calls) {
    constexpr std::size_t kMost = 6;
    QStringList numbers;
    for (std::size_t i = 0; i < std::min(calls.size(), kMost); ++i) numbers << QString::number(calls[i] + 1);
    if (calls.size() > kMost) numbers << QObject::tr("%1 more").arg(calls.size() - kMost);
    return (calls.size() == 1 ? QObject::tr("call %1") : QObject::tr("calls %1")).arg(numbers.join(QStringLiteral(", ")));
}

std::vector<BufferUse> readsOf(const LinkedKernels& kernels, std::size_t call) {
    const auto& calls = kernels.listing.calls;
    std::vector<BufferUse> uses;
    for (const std::string& name : calls[call].reads) {
        BufferUse made = use(kernels, name);
        made.inPlace = contains(calls[call].writes, name);
        // Back through the buffers whose memory it took over, to the last call that wrote there.
        std::string at = name;
        for (std::size_t step = 0; step <= kernels.listing.buffers.size() && made.calls.empty(); ++step) {
            for (std::size_t i = call; i-- > 0;) {
                if (!contains(calls[i].writes, at)) continue;
                made.calls.push_back(i);
                break;
            }
            const KernelBuffer* buffer = bufferNamed(kernels, at);
            if (buffer == nullptr || buffer->reuses.empty()) break;
            at = buffer->reuses;
        }
        uses.push_back(std::move(made));
    }
    return uses;
}

std::vector<BufferUse> writesOf(const LinkedKernels& kernels, std::size_t call) {
    const auto& calls = kernels.listing.calls;
    std::vector<BufferUse> uses;
    for (const std::string& name : calls[call].writes) {
        BufferUse made = use(kernels, name);
        const KernelBuffer* buffer = bufferNamed(kernels, name);
        made.isOutput = buffer != nullptr && !buffer->outputs.empty();
        for (std::size_t i = call + 1; i < calls.size(); ++i) {
            if (contains(calls[i].reads, name)) made.calls.push_back(i);
            if (contains(calls[i].writes, name)) break;
        }
        uses.push_back(std::move(made));
    }
    return uses;
}

}  // namespace pt2::views

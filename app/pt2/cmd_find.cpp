#include <algorithm>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/search/search.h"

namespace pt2 {
namespace {

struct FindArguments {
    std::string file, pattern;
};

/// More than anybody reads; a script that wants all of them has --json, which is not cut.
constexpr std::size_t kShownHits = 10000;

Result<int> find(const FindArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    const std::size_t limit = context.out.json() ? static_cast<std::size_t>(-1) : kShownHits + 1;
    std::vector<SearchHit> hits = findInDocument(*document, arguments.pattern, limit, context.cancel);
    if (context.cancel.requested()) return cancelled();
    if (context.out.json()) {
        Json json = Json::array();
        for (SearchHit& hit : hits)
            json.push_back({{"address", std::move(hit.address)}, {"kind", std::move(hit.kind)}, {"text", std::move(hit.text)}});
        context.out.document(json);
    } else {
        Table table({{"KIND"}, {"ADDRESS"}, {"TEXT"}});
        for (std::size_t i = 0; i < std::min(hits.size(), kShownHits); ++i) {
            table.row({{hits[i].kind, Style::Muted}, {hits[i].address, Style::Accent}, hits[i].text});
        }
        table.print(context.out);
        if (hits.size() > kShownHits) context.out.note("There is more; the first 10,000 are shown. --json lists all.");
        if (hits.empty())
            context.out.note("Nothing named \"" + arguments.pattern + "\" in nodes, weights, members, symbols, modules or source lines.");
    }
    return hits.empty() ? 1 : 0;
}

}  // namespace

void addFindCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<FindArguments>();
    CLI::App* command = registry.add("find", "Nodes, weights, members, symbols, modules and source lines by name",
                                     [arguments](Context& context) { return find(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("PATTERN", arguments->pattern, "Part of a name, or a pattern with * and ?")->required();
}

}  // namespace pt2

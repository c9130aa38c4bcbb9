#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "app/pt2/command.h"
#include "app/pt2/option_values.h"
#include "app/pt2/table.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/package/weight_carriage.h"
#include "core/package/weight_table.h"
#include "core/report/weight_table_json.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kMostValues = 1'000'000'000;

struct WeightsArguments {
    std::string file, model, save;
    std::vector<std::string> names;
    bool statistics = false, force = false;
    std::uint64_t values = 0;
};

/// Rows that the names choose, in table order; each name is an FQN or a pattern.
Result<std::vector<std::size_t>> chooseRows(const WeightTable& table, const std::vector<std::string>& names) {
    const auto& rows = table.rows();
    std::vector<bool> chosen(rows.size(), names.empty());
    for (const std::string& name : names) {
        if (const auto exact = table.find(name)) {
            chosen[*exact] = true;
            continue;
        }
        bool any = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!globMatch(name, rows[i].name)) continue;
            chosen[i] = any = true;
        }
        if (any) continue;
        const std::string near = nearestName(name, table.names());
        return fail(
            usageError("weight.unknown", "There is no weight \"" + name + "\" in the model \"" + table.model() + "\".",
                       rows.empty() ? "It has none." : "It has " + formatCount(rows.size()) + ".",
                       near.empty() ? "pt2 weights FILE lists them; a pattern such as '*.bias' chooses several." : "Did you mean \"" + near + "\"?"));
    }
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (chosen[i]) out.push_back(i);
    }
    return out;
}

std::string sharedText(const WeightTable& table, std::size_t row) {
    std::vector<std::string> tied, views;
    for (const SharedWith& other : table.sharing(row)) (other.tied ? tied : views).push_back(table.rows()[other.row].name);
    const auto some = [](const std::vector<std::string>& names) {
        return names.size() > 3 ? names[0] + ", " + names[1] + " and " + std::to_string(names.size() - 2) + " more" : join(names, ", ");
    };
    std::vector<std::string> parts;
    if (!tied.empty()) parts.push_back("tied with " + some(tied));
    if (!views.empty()) parts.push_back("shares storage with " + some(views));
    return join(parts, "; ");
}

Style carriageStyle(Carriage as) {
    switch (as) {
        case Carriage::Same: return Style::Good;
        case Carriage::BakedIn: return Style::Plain;
        case Carriage::Different: return Style::Bad;
        case Carriage::Absent: return Style::Warning;
        case Carriage::Unknown: return Style::Muted;
    }
    return Style::Plain;
}

void printRows(Context& context, const WeightTable& table, const std::vector<WeightFinding>& findings, const std::vector<CarriedBy>& carried) {
    Table out({{"NAME"}, {"KIND"}, {"DTYPE"}, {"SHAPE"}, {"STRIDE"}, {"BYTES", Table::Align::Right}, {"SHARED"}, {"STORED IN"}, {"COMPILED"}});
    for (const WeightFinding& finding : findings) {
        const WeightRow& row = table.rows()[finding.row];
        const bool tensor = row.layout.dtype != DType::Unknown;
        std::string kind = weightKindName(row.kind);
        if (row.isSubclass) kind += ", subclass";
        if (!row.used) kind += ", unused";
        const CarriedBy* by = finding.row < carried.size() ? &carried[finding.row] : nullptr;
        out.row({{row.name, Style::Bold},
                 kind,
                 tensor ? dtypeName(row.layout.dtype) : "",
                 tensor ? formatShape(row.layout.sizes) : "",
                 tensor && !row.layout.isContiguous() ? formatShape(row.layout.strides) : "",
                 tensor ? formatBytes(row.bytes) : "",
                 {sharedText(table, finding.row), Style::Muted},
                 {row.member.empty() ? (row.place.empty() ? std::string("nowhere") : row.place) : row.member,
                  row.member.empty() ? Style::Warning : Style::Muted},
                 {by ? carriageName(by->as) : "", by ? carriageStyle(by->as) : Style::Plain}});
    }
    out.print(context.out);
}

void printStatistics(Context& context, const WeightTable& table, const std::vector<WeightFinding>& findings) {
    using Align = Table::Align;
    Table out({{"NAME"},
               {"MIN", Align::Right},
               {"MAX", Align::Right},
               {"MEAN", Align::Right},
               {"STD", Align::Right},
               {"NAN", Align::Right},
               {"+INF", Align::Right},
               {"-INF", Align::Right},
               {"ZEROS", Align::Right},
               {"COUNT", Align::Right}});
    const auto add = [&](const std::string& name, const TensorStatistics& s) {
        const auto number = [&](double value) { return s.hasFinite ? formatFloat(value) : std::string("-"); };
        const auto odd = [](std::uint64_t n) { return Table::Cell(formatCount(n), n > 0 ? Style::Warning : Style::Plain); };
        out.row({{name, Style::Bold},
                 number(s.minimum),
                 number(s.maximum),
                 number(s.mean),
                 number(s.standardDeviation),
                 odd(s.nan),
                 odd(s.positiveInfinity),
                 odd(s.negativeInfinity),
                 formatCount(s.zeros),
                 formatCount(s.count)});
    };
    for (const WeightFinding& finding : findings) {
        const std::string& name = table.rows()[finding.row].name;
        if (finding.picture) add(name, finding.picture->statistics);
        for (const WeightPart& part : finding.parts) {
            if (const auto s = computeStatistics(part.tensor.view(), context.cancel)) add(name + "." + part.name, *s);
        }
    }
    if (out.empty()) return;
    context.out.line("");
    out.print(context.out);
}

void printValues(Context& context, const WeightTable& table, const std::vector<WeightFinding>& findings, std::uint64_t count) {
    const auto add = [&](const std::string& name, const TensorView& view, std::uint64_t all) {
        std::vector<std::string> parts;
        const std::uint64_t shown = std::min(count, view.layout.elementCount().value_or(0));
        for (std::uint64_t i = 0; i < shown; ++i) parts.push_back(elementText(view, i));
        context.out.line(context.out.paint(Style::Bold, escapeForDisplay(name)) + ": " + (parts.empty() ? "no elements" : join(parts, ", ")) +
                         (shown < all ? ", …" : ""));
    };
    context.out.line("");
    for (const WeightFinding& finding : findings) {
        const WeightRow& row = table.rows()[finding.row];
        if (finding.head) add(row.name, finding.head->view(), row.elements);
        for (const WeightPart& part : finding.parts)
            add(row.name + "." + part.name, part.tensor.view(), part.tensor.layout.elementCount().value_or(0));
    }
}

/// What the columns have no room for: parts, quantization, why a weight is not carried, what could not be read.
void printRemarks(Context& context, const WeightTable& table, const std::vector<WeightFinding>& findings, const std::vector<CarriedBy>& carried,
                  const std::vector<QuantizedWeight>& quantized) {
    std::vector<std::pair<std::string, std::string>> remarks;
    std::vector<std::pair<std::vector<std::string>, std::string>> problems;
    for (const WeightFinding& finding : findings) {
        const WeightRow& row = table.rows()[finding.row];
        std::vector<std::string> parts;
        for (const WeightPart& part : finding.parts) parts.push_back(part.name + " " + tensorTypeText(part.tensor.layout));
        if (!parts.empty()) remarks.emplace_back(row.name, "Made of " + join(parts, ", ") + ".");
        for (const QuantizedWeight& one : quantized) {
            if (one.weight != finding.row) continue;
            const auto side = [&](const char* what, const std::optional<std::size_t>& at, const std::optional<double>& value) {
                if (at) return std::string(what) + " \"" + table.rows()[*at].name + "\"";
                return value ? std::string(what) + " " + formatFloat(*value) : std::string("no ") + what;
            };
            remarks.emplace_back(row.name, "Quantized: " + side("scale", one.scale, one.scaleValue) + ", " +
                                               side("zero point", one.zeroPoint, one.zeroPointValue) + (one.inferred ? " (inferred). " : ". ") +
                                               one.why);
        }
        if (finding.row < carried.size() && carried[finding.row].as != Carriage::Same) {
            remarks.emplace_back(row.name, "Compiled model, " + std::string(carriageName(carried[finding.row].as)) + ": " + carried[finding.row].why);
        }
        if (finding.error) remarks.emplace_back(row.name, "It cannot be read: " + finding.error->what + " " + finding.error->why);
        if (row.problem.empty()) continue;
        const auto same = std::find_if(problems.begin(), problems.end(), [&row](const auto& problem) { return problem.second == row.problem; });
        if (same == problems.end()) {
            problems.push_back({{row.name}, row.problem});
        } else {
            same->first.push_back(row.name);
        }
    }
    // What holds for many weights alike is said once.
    for (const auto& [names, text] : problems) {
        remarks.emplace_back(names.size() > 3 ? names[0] + ", " + names[1] + " and " + formatCount(names.size() - 2) + " more" : join(names, ", "),
                             text);
    }
    if (remarks.empty()) return;
    context.out.line("");
    for (const auto& [name, text] : remarks) context.out.line(context.out.paint(Style::Bold, escapeForDisplay(name)) + ": " + oneLine(text));
}

void printTotals(Context& context, const WeightTable& table) {
    const WeightTotals& totals = table.totals();
    std::string text = formatCount(totals.weights) + (totals.weights == 1 ? " weight, " : " weights, ") + formatCount(totals.elements) +
                       " elements, " + formatBytes(totals.bytes);
    bool shared = false;
    for (std::size_t i = 0; i < table.rows().size() && !shared; ++i) shared = !table.sharing(i).empty();
    if (shared) {
        text += "; stored as " + formatBytes(totals.storedBytes) + " in " + formatCount(totals.storages) +
                (totals.storages == 1 ? " storage" : " storages");
    }
    context.out.line("");
    context.out.line(context.out.paint(Style::Muted, text + (table.ofProgram() ? "." : "; these are the compiled model's constants.")));
}

Result<int> weights(const WeightsArguments& arguments, Context& context) {
    if (!arguments.save.empty()) {
        // Before anything is read: a name that cannot be written is said at once.
        if (Status place = checkOutputPlace(arguments.save, arguments.force); !place) return fail(place.error());
    }
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    auto model = document->resolveModel(arguments.model);
    if (!model) return fail(model.error());
    if (arguments.model.empty() && document->modelNames().size() > 1) {
        context.out.note("This is \"" + *model + "\" of " + join(document->modelNames(), ", ") + "; --model chooses another.");
    }
    auto table = WeightTable::make(*document, *model);
    if (!table) return fail(table.error());
    auto rows = chooseRows(**table, arguments.names);
    if (!rows) return fail(rows.error());
    std::vector<std::string> notes;
    if (!arguments.save.empty()) {
        const Status saved = saveWeights(**table, *rows, arguments.save, arguments.force, notes, context.cancel, context.out.progressSink());
        if (!saved) return fail(saved.error());
    }
    const bool compare = arguments.statistics || (*table)->totals().bytes <= kComparedUnasked;
    auto carried = compareWithCompiled(**table, *document, compare, context.cancel, context.out.progressSink());
    if (!carried) return fail(carried.error());
    std::vector<QuantizedWeight> quantized;
    if (const auto program = document->program(*model)) quantized = quantizedWeights(**table, *program.entry->program);
    const WeightRequest request{*rows, arguments.statistics, arguments.values};
    auto findings = findOutWeights(**table, request, context.cancel, context.out.progressSink());
    if (!findings) return fail(findings.error());
    if (context.out.json()) {
        Json json = weightTableJson(**table, request, *findings, *carried, quantized);
        if (!arguments.save.empty()) json["saved"] = {{"path", arguments.save}, {"notes", notes}};
        context.out.document(json);
        return 0;
    }
    if ((*table)->rows().empty()) {
        context.out.line("No weights.");
    } else if (arguments.save.empty() || arguments.statistics || arguments.values > 0) {
        printRows(context, **table, *findings, *carried);
        if (arguments.statistics) printStatistics(context, **table, *findings);
        if (arguments.values > 0) printValues(context, **table, *findings, arguments.values);
        printRemarks(context, **table, *findings, *carried, quantized);
        printTotals(context, **table);
        if (!compare && !carried->empty()) context.out.note("Values were not compared with the compiled model's; --stats reads and compares them.");
    }
    for (const std::string& note : notes) context.out.note(note);
    if (!arguments.save.empty())
        context.out.line("Saved " + formatCount(rows->size()) + (rows->size() == 1 ? " weight to " : " weights to ") + arguments.save);
    return 0;
}

}  // namespace

void addWeightsCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<WeightsArguments>();
    CLI::App* command = registry.add("weights", "Weights, buffers and constants: how they are stored, statistics, values, saving",
                                     [arguments](Context& context) { return weights(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("NAME", arguments->names, "Only these: full names, or patterns with * and ?");
    command->add_flag("--stats", arguments->statistics,
                      "Read the values: count, min, max, mean, std, NaN, Inf, zeros; compare with the compiled model");
    command->add_option("--values", arguments->values, "Show the first N values of each")->check(wholeNumber(0, kMostValues))->type_name("N");
    command
        ->add_option("--save", arguments->save,
                     "Save them: .safetensors, .npz, .npy or .pt. numpy lacks bfloat16, float8 and complex32: .npz and "
                     ".npy hold their bits as unsigned integers of the same width")
        ->type_name("OUT");
    command->add_flag("--force", arguments->force, "Replace OUT when it exists");
    command->add_option("--model", arguments->model, "Which model, where there are several")->type_name("NAME");
}

}  // namespace pt2

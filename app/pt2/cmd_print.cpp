#include "app/pt2/command.h"
#include "core/program/printed_form.h"

namespace pt2 {
namespace {

struct PrintArguments {
    std::string file, model;
};

Result<int> print(const PrintArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    auto chosen = chooseProgram(context, *document, arguments.model);
    if (!chosen) return fail(chosen.error());
    const std::string text = printProgram(chosen->program());
    if (context.out.json()) {
        context.out.document({{"format", 1}, {"model", chosen->model}, {"text", text}});
    } else {
        context.out.exact(text);
    }
    return 0;
}

}  // namespace

void addPrintCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<PrintArguments>();
    CLI::App* command = registry.add("print", "The program as torch prints it: graph, signature, range constraints",
                                     [arguments](Context& context) { return print(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("--model", arguments->model, "Which program, where there are several")->type_name("NAME");
}

}  // namespace pt2

#include <QFile>
#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/compiled/wrapper_source.h"
#include "core/contract/assert_text.h"
#include "core/contract/call_changes.h"
#include "core/contract/call_text.h"
#include "core/contract/contract_notes.h"
#include "core/contract/coverage.h"
#include "core/contract/program_asserts.h"
#include "tests/core/contract/contract_corpus.h"
#include "tests/places.h"

using namespace pt2;

namespace {

using InCode = ProgramAssert::InCode;
using Kind = ProgramAssert::Kind;

QStringList texts(const std::vector<std::string>& notes) {
    QStringList list;
    for (const std::string& note : notes) list << QString::fromStdString(note);
    return list;
}

/// A wrapper source as torch 2.13 writes it for inputs of two dimensions, the second of three elements; `asserted` is the first size of each as the
/// assertion at first use names it, or empty for older generators.
std::string wrapperOf(const std::vector<std::pair<int, int>>& bounds, const std::vector<std::string>& asserted) {
    const std::string count = std::to_string(bounds.size());
    std::string source = "M::M() : AOTInductorModelBase(" + count + ", 1, 0, d) {\n";
    for (std::size_t i = 0; i < bounds.size(); ++i) source += "inputs_info_[" + std::to_string(i) + "].name = \"arg" + std::to_string(i) + "_1\";\n";
    source += "}\n";
    std::string run;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        const std::string k = std::to_string(i);
        source += "static void check_input_" + k + "(AtenTensorHandle* input_handles) {\nConstantHandle a = ConstantHandle(input_handles[" + k +
                  "]);\nint32_t t;\naoti_torch_get_dtype(a, &t);\nint32_t e = aoti_torch_dtype_float32();\nif (e != t) { throw 1; }\n"
                  "auto n = a.sizes();\nif (n[0] < " +
                  std::to_string(bounds[i].first) + ") { throw 1; }\nif (n[0] > " + std::to_string(bounds[i].second) +
                  ") { throw 1; }\nif (3 != n[1]) { throw 1; }\nauto s = a.strides();\nif (3 != s[0]) { throw 1; }\nif (1 != s[1]) { throw 1; }\n}\n";
        if (!asserted[i].empty()) run += "assert_size_stride(arg" + k + ", {" + asserted[i] + ", 3L}, {3L, 1L}, \"input\");\n";
    }
    source +=
        "void M::run_impl(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles) {\n"
        "auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, " +
        count + ");\n";
    for (std::size_t i = 0; i < bounds.size(); ++i) source += "auto arg" + std::to_string(i) + " = std::move(inputs[" + std::to_string(i) + "]);\n";
    return source + run + "getenv(\"AOTI_RUNTIME_CHECK_INPUTS\");\n}\n";
}

CompiledModel modelOf(const std::string& source) {
    WrapperFacts facts = readWrapperSource(source);
    CompiledModel model;
    model.inputCount = facts.inputCount;
    model.outputCount = facts.outputCount;
    model.inputs = std::move(facts.inputs);
    model.outputs = std::move(facts.outputs);
    model.checks = std::move(facts.checks);
    model.asserts = std::move(facts.asserts);
    model.checksCompiledIn = facts.checksCompiledIn;
    model.sourceRead = facts.foundRunImpl;
    return model;
}

const ProgramAssert* find(const std::vector<ProgramAssert>& asserts, const std::string& condition) {
    const auto found = std::find_if(asserts.begin(), asserts.end(), [&](const ProgramAssert& a) { return a.condition == condition; });
    return found == asserts.end() ? nullptr : &*found;
}

}  // namespace

class ContractNotesTest : public QObject {
    Q_OBJECT

    Document open(const char* name) const { return tests::opened(tests::corpus() + "/" + name); }
    static const Program& programOf(const Document& document) { return *document.primary->programs().front().program; }

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
    }

    void equalInputsGetANoteOnTheirOrder() {
        const Result<Contract> nested = buildContract(open("2.13.0/aoti/nested_inputs"), "");
        QVERIFY(nested);
        const QStringList notes = texts(orderNotes(*nested));
        QCOMPARE(notes.size(), qsizetype{1});
        QCOMPARE(notes[0],
                 QString("Inputs \"arg0.b.c\", \"arg0.a\", \"arg1[0]\", \"arg1[1]\" and \"bias\" have the same type and shape (float32 [2, 3]); "
                         "nothing notices when they are swapped."));
        QVERIFY(orderNotes(*buildContract(open("2.13.0/tiny"), "")).empty());
        // Two inputs of which nothing is known are not called equal.
        Contract unknown;
        unknown.inputs.resize(2);
        QVERIFY(orderNotes(unknown).empty());
    }

    void equalitiesAndGuardsAreSentences() {
        const Result<Contract> equal = buildContract(open("2.13.0/equal_syms"), "");
        QVERIFY(equal);
        QCOMPARE(texts(equalityNotes(*equal)), QStringList({"a dimension 0, b dimension 0 and c dimension 0 must be equal (s20)."}));
        QCOMPARE(QString::fromStdString(guardSentence(*equal, equal->guards[0])), QString("a dimension 0 must equal b dimension 0."));
        const Result<Contract> derived = buildContract(open("2.13.0/dyn_derived"), "");
        QVERIFY(derived);
        const std::string first = derived->inputs[0].name;
        QCOMPARE(
            texts(equalityNotes(*derived)),
            QStringList({QString::fromStdString(derived->inputs[1].name + " dimension 0 must be 2*s6, where s6 is " + first + " dimension 0."),
                         QString::fromStdString(derived->inputs[2].name + " dimension 0 must be s6 + 1, where s6 is " + first + " dimension 0.")}));
        for (const std::string& guard : derived->guards) {
            const std::string sentence = guardSentence(*derived, guard);
            QVERIFY2(sentence.find("flat_args") == std::string::npos && sentence.find(" must equal ") != std::string::npos, sentence.c_str());
        }
        const Result<Contract> scalars = buildContract(open("2.13.0/sym_scalars"), "");
        QVERIFY(scalars);
        QCOMPARE(QString::fromStdString(guardSentence(*scalars, "(L['x'].size()[0] % 2) == 0")), QString("x dimension 0 must be a multiple of 2."));
        const std::vector<std::pair<std::string, std::string>> cases = {
            {"L['x'].size()[2] >= 3", "x dimension 2 must be at least 3."},
            {"(L['x'].size()[3] // 2) != 1", "x dimension 3 // 2 must not be 1."},
            {"2*(L['x'].size()[2] // 2) < 1 + L['x'].size()[2]", "2*(x dimension 2 // 2) must be less than 1 + x dimension 2."},
            {"L['x'].size()[0] == 1 or L['x'].size()[0] == 4", "It must hold that x dimension 0 == 1 or x dimension 0 == 4."},
            {"((1 + L['x'].size()[0]) % 4) == 0", "(1 + x dimension 0) must be a multiple of 4."},
            {"not L['x'].size()[0] == 1", "It must hold that not x dimension 0 == 1."},
        };
        for (const auto& [guard, sentence] : cases) QCOMPARE(guardSentence(*scalars, guard), sentence);
        // What is not understood stays as it is written.
        QVERIFY(guardSentence(*scalars, "L['x'].stride()[0] == 1").find("L['x'].stride()[0]") != std::string::npos);
        QVERIFY(!guardSentence(*scalars, std::string(5000, '(')).empty());
    }

    /// What an equality says already is not said again by a guard; a guard that says more is.
    void eachConditionIsSaidOnce() {
        const auto sentencesOf = [](const Contract& contract) {
            QStringList lines;
            for (const ConditionNote& note : conditionNotes(contract)) lines << QString::fromStdString(note.sentence);
            return lines;
        };
        Result<Contract> equal = buildContract(open("2.13.0/equal_syms"), "");
        QVERIFY(equal);
        QCOMPARE(sentencesOf(*equal), QStringList({"a dimension 0, b dimension 0 and c dimension 0 must be equal (s20)."}));
        QCOMPARE(conditionNotes(*equal)[0].guards.size(), std::size_t{2});
        equal->guards.emplace_back("L['a'].size()[0] >= 3");
        equal->guards.emplace_back("L['a'].size()[0] == 12");
        equal->guards.emplace_back("L['a'].size()[0] == 12");
        QCOMPARE(sentencesOf(*equal).mid(1), QStringList({"a dimension 0 must be at least 3.", "a dimension 0 must equal 12."}));
        const Result<Contract> scalars = buildContract(open("2.13.0/sym_scalars"), "");
        QVERIFY(scalars);
        QCOMPARE(sentencesOf(*scalars), QStringList({"x dimension 0 must be a multiple of 2 (2*s44)."}));
        QCOMPARE(conditionNotes(*scalars)[0].guards.size(), scalars->guards.size());
        const Result<Contract> derived = buildContract(open("2.13.0/dyn_derived"), "");
        QVERIFY(derived);
        std::size_t guards = 0;
        for (const ConditionNote& note : conditionNotes(*derived)) {
            QVERIFY(!note.isGuard);
            guards += note.guards.size();
        }
        QCOMPARE(guards, derived->guards.size());
    }

    void sizesThatStartAtTwoAreExplained() {
        const QStringList automatic = texts(sizeOneNotes(*buildContract(open("2.13.0/dyn_auto"), "")));
        QCOMPARE(automatic.size(), qsizetype{1});
        QVERIFY2(automatic[0].startsWith("s77, s17 and s94 start at 2: torch takes sizes of 0 and 1 for constants"), qPrintable(automatic[0]));
        QCOMPARE(texts(sizeOneNotes(*buildContract(open("2.13.0/aoti/mlp2"), ""))).size(), qsizetype{1});
        QVERIFY(sizeOneNotes(*buildContract(open("2.13.0/tiny"), "")).empty());           // 1 is allowed
        QVERIFY(sizeOneNotes(*buildContract(open("2.13.0/aoti/combined"), "")).empty());  // said where the two differ
        Contract one = *buildContract(open("2.13.0/tiny"), "");
        one.symbols.clear();
        one.inputs[0].sizes[0] = {};
        one.inputs[0].sizes[0].fixed = 1;
        one.inputs[0].sizes[0].text = "1";
        const QStringList fixed = texts(sizeOneNotes(one));
        QVERIFY2(fixed.size() == 1 && fixed[0].startsWith("x dimension 0 is fixed at 1. Where that was meant to be dynamic"),
                 qPrintable(fixed.value(0)));
    }

    /// A side that the code does not test is never said to have no limit, and what nothing says is not said to be none.
    void whatIsNotKnownIsNotSaidToBeFine() {
        QCOMPARE(testedRangeText({2, 1024}), std::string("2 to 1024"));
        QCOMPARE(testedRangeText({2, std::nullopt}), std::string("2 or more, upper bound not checked"));
        QCOMPARE(testedRangeText({std::nullopt, 9}), std::string("at most 9, lower bound not checked"));
        QCOMPARE(testedRangeText({}), std::string("not checked"));
        for (const char* name : {"2.13.0/tiny", "2.13.0/aoti/combined", "2.13.0/aoti/mlp2", "2.13.0/equal_syms"}) {
            const Result<Contract> contract = buildContract(open(name), "");
            QVERIFY2(contract && contractCoverage(*contract).complete() && !contractCoverage(*contract).checked.empty(), name);
            QVERIFY2(outputsKnown(*contract) && sizesKnown(*contract), name);
        }
        const Result<Document> bare = Document::open((tests::corpus() + "/eras/2.4/aoti/tiny.so").toStdString());
        QVERIFY(bare);
        const Result<Contract> nothing = buildContract(*bare, "");
        QVERIFY(nothing && !outputsKnown(*nothing) && !sizesKnown(*nothing));
        QVERIFY(contractCoverage(*nothing).checked.empty() && contractCoverage(*nothing).notChecked.size() == 1);
        const Result<Contract> old = buildContract(open("eras/2.6/aoti/mlp2"), "");
        QVERIFY(old && outputsKnown(*old) && !sizesKnown(*old));
        const ContractCoverage partly = contractCoverage(*old);
        QCOMPARE(texts(partly.checked), QStringList({"the number of inputs"}));
        QCOMPARE(texts(partly.notChecked),
                 QStringList({"Neither program nor wrapper source says the type and shape of input \"arg0\", so it was not checked."}));
        Contract odd = *buildContract(open("2.13.0/tiny"), "");
        odd.guards.emplace_back("L['x'].stride()[0] == 1");
        QVERIFY(!contractCoverage(odd).complete());
    }

    void conditionsOfTorchAreSentences() {
        const Result<Contract> contract = buildContract(open("2.13.0/tiny"), "");
        QVERIFY(contract);
        const std::vector<std::pair<std::string, std::string>> cases = {
            {"s77 >= 2", "x dimension 0 must be at least 2."},
            {"Eq(s77, 2*u0)", "x dimension 0 must equal 2*u0."},
            {"Ne(u0, 0)", "u0 must not be 0."},
            {"Eq(Mod(s77, 8), 0)", "x dimension 0 must be a multiple of 8."},
            {"Eq(PythonMod(u0 + 1, 4), 0)", "(u0 + 1) must be a multiple of 4."},
            {"Eq(s77, ((u1 + 1)//2))", "x dimension 0 must equal (u1 + 1)//2."},
            {"u0 < FloorDiv(s77, 2)", "u0 must be less than x dimension 0 // 2."},
            {"Or(Eq(u0, 1), Eq(u0, 4))", "It must hold that (u0 == 1) or (u0 == 4)."},
            {"(u0 >= 1) & (u0 <= 4)", "It must hold that (u0 >= 1) and (u0 <= 4)."},
            {"Not(Eq(u0, 1))", "It must hold that not (u0 == 1)."},
            {"Eq(", "Eq(."},
        };
        for (const auto& [condition, sentence] : cases) {
            if (condition == "Eq(") {
                QVERIFY(!assertSentence(*contract, condition).empty());
                continue;
            }
            QCOMPARE(assertSentence(*contract, condition), sentence);
        }
        QVERIFY(!assertSentence(*contract, std::string(3000, '(')).empty());
        std::string deep;
        for (int i = 0; i < 600; ++i) deep += "Eq(";
        QVERIFY(!assertSentence(*contract, deep).empty());
    }

    void assertsAreGroupedByWhatTheCodeDoes() {
        const Document document = open("2.13.0/unbacked_item");
        const Result<Contract> contract = buildContract(document, "");
        QVERIFY(contract);
        std::vector<ProgramAssert> asserts = programAsserts(programOf(document), *contract, nullptr);
        std::vector<AssertGroup> groups = assertGroups(asserts, false);
        QCOMPARE(groups.size(), std::size_t{1});
        QCOMPARE(groups[0].lines.size(), std::size_t{2});
        QCOMPARE(groups[0].lines[0].sentence, std::string("u0 must be at least 2, where u0 is made by item."));
        QVERIFY(groups[0].remark.empty() && !groups[0].warns);
        // With a compiled model each is in the group of its state, equal ones once.
        asserts[0].inCode = InCode::Kept;
        asserts[1].inCode = InCode::Lost;
        asserts.push_back(asserts[1]);
        groups = assertGroups(asserts, true);
        QCOMPARE(groups.size(), std::size_t{2});
        QVERIFY(groups[0].warns && groups[0].lines.size() == 1 && groups[0].lines[0].sentence == asserts[1].sentence);
        QVERIFY(!groups[1].warns && groups[1].lines.size() == 1 && groups[1].lines[0].sentence == asserts[0].sentence);
    }

    /// An assert about a type that the program itself fixes tells a caller nothing; one about an input does.
    void assertsAboutTypesOfTheProgramItselfAreOnlyCounted() {
        const Document inner = open("foreign/snntorch_leaky");
        const Result<Contract> contract = buildContract(inner, "");
        QVERIFY(contract);
        const std::vector<ProgramAssert> asserts = programAsserts(programOf(inner), *contract, nullptr);
        std::size_t fixed = 0;
        for (const ProgramAssert& found : asserts) {
            if (found.kind != Kind::Metadata) continue;
            QVERIFY2(found.fixedByProgram, found.condition.c_str());
            ++fixed;
        }
        QVERIFY(fixed > 10);
        const std::vector<AssertGroup> groups = assertGroups(asserts, false);
        QCOMPARE(groups.size(), std::size_t{1});
        QCOMPARE(groups[0].leftOut, fixed);
        for (const AssertGroup::Line& line : groups[0].lines) QVERIFY2(line.sentence.find("bool") == std::string::npos, line.sentence.c_str());
        const Document outer = open("2.13.0/args_kinds");
        const Result<Contract> given = buildContract(outer, "");
        QVERIFY(given);
        const std::vector<ProgramAssert> ofInput = programAsserts(programOf(outer), *given, nullptr);
        const ProgramAssert* found = find(ofInput, "x is torch.float32");
        QVERIFY(found != nullptr && !found->fixedByProgram);
        QCOMPARE(found->sentence, std::string("Input \"x\" must be float32."));
    }

    /// What a training graph writes to in place, which its signature does not say, with the name that people know and the node.
    void changesInPlaceAreNamed() {
        const auto changesOf = [&](const char* name) {
            const Document document = open(name);
            return callChanges(programOf(document), *buildContract(document, ""));
        };
        const std::vector<CallChange> input = changesOf("2.13.0/input_mutation");
        QVERIFY(!input.empty());
        QVERIFY(input[0].what == CallChange::What::Input && input[0].inPlace && input[0].certain);
        QVERIFY2(input[0].sentence == "Input \"" + input[0].name + "\" is changed in place by add_ (aten.add_.Tensor).", input[0].sentence.c_str());
        QCOMPARE(input[0].nodes, std::vector<std::string>{"node/add_"});
        const std::vector<CallChange> norm = changesOf("2.13.0/conv_bn_train");
        QStringList names;
        for (const CallChange& change : norm) {
            QVERIFY(change.what == CallChange::What::Buffer && change.inPlace && change.certain && change.nodes.size() == 1);
            names << QString::fromStdString(change.name).section('.', -1);
        }
        names.sort();
        QCOMPARE(names, QStringList({"num_batches_tracked", "running_mean", "running_var"}));
        QVERIFY(!changesOf("2.13.0/state_wide").empty());
        QVERIFY(changesOf("2.13.0/tiny").empty());
    }

    void differingBoundsStandSideBySide() {
        const Result<Contract> combined = buildContract(open("2.13.0/aoti/combined"), "");
        QVERIFY(combined);
        const QStringList notes = texts(boundNotes(*combined));
        QCOMPARE(notes.size(), qsizetype{1});
        QVERIFY2(notes[0].startsWith("x dimension 0 (s77): the program allows 1 to 1024, the compiled code tests 2 to 1024. torch compiles"),
                 qPrintable(notes[0]));
        QVERIFY(boundNotes(*buildContract(open("2.13.0/tiny"), "")).empty());
    }

    void whatTheCodeDoesNotTestIsSaid() {
        QVERIFY(uncheckedNotes(*buildContract(open("2.13.0/aoti/combined"), "")).empty());
        QVERIFY(uncheckedNotes(*buildContract(open("2.13.0/tiny"), "")).empty());  // no compiled model, nothing to say
        const QStringList older = texts(uncheckedNotes(*buildContract(open("eras/2.8/aoti/mlp2"), "")));
        QCOMPARE(older, QStringList({"The number of dimensions of \"arg0\" is not tested."}));
        QCOMPARE(texts(uncheckedNotes(*buildContract(open("eras/2.6/aoti/mlp2"), ""))),
                 QStringList({"The compiled code tests nothing of its inputs but their number."}));
    }

    /// A size that mark_dynamic marked before export, and that the program fixes: the marks are in the stored sample (written by torch 2.13).
    void dynamicInTheSampleAndFixedInTheProgram() {
        const Result<Document> document = Document::open(pt2::tests::sourceFile("tests/data/marked_dynamic.pt2").toStdString());
        QVERIFY(document);
        const Result<Contract> contract = buildContract(*document, "");
        QVERIFY(contract);
        const QStringList notes = texts(fixedSizeNotes(*document, *contract));
        QCOMPARE(notes.size(), qsizetype{1});
        QVERIFY2(notes[0].startsWith("y dimension 0 was marked as dynamic on the sample input, and the program fixes it at 3."),
                 qPrintable(notes[0]));
        for (const char* name : {"2.13.0/tiny", "2.13.0/dyn_auto", "2.13.0/mlp2", "2.13.0/equal_syms", "2.13.0/dyn_derived"}) {
            const Document plain = open(name);
            QVERIFY2(fixedSizeNotes(plain, *buildContract(plain, "")).empty(), name);
        }
    }

    void assertsOfTheProgramThatTheCodeKept() {
        QFile file(pt2::tests::sourceFile("tests/data/unbacked_wrapper.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string source = file.readAll().toStdString();
        const Document document = open("2.13.0/unbacked_item");
        const Result<Contract> contract = buildContract(document, "");
        QVERIFY(contract);
        const CompiledModel whole = modelOf(source);
        const std::vector<ProgramAssert> kept = programAsserts(programOf(document), *contract, &whole);
        QCOMPARE(kept.size(), std::size_t{2});
        for (const ProgramAssert& held : kept) {
            QVERIFY(held.kind == Kind::Scalar && held.inCode == InCode::Kept && held.source.line > 0);
            QVERIFY(programOf(document).nodeFromAddress(held.node).has_value());
        }
        QVERIFY(find(kept, "u0 >= 2") != nullptr && find(kept, "u0 <= 8") != nullptr);
        // Without the lines that test the upper bound it is lost; without a source nothing is claimed.
        QString cut = QString::fromStdString(source);
        cut.remove(QRegularExpression("    if \\(!\\(u0 <= 8L\\)\\)[^\\n]*\\n"));
        const CompiledModel partial = modelOf(cut.toStdString());
        const std::vector<ProgramAssert> lost = programAsserts(programOf(document), *contract, &partial);
        QVERIFY(find(lost, "u0 >= 2")->inCode == InCode::Kept);
        QVERIFY(find(lost, "u0 <= 8")->inCode == InCode::Lost && find(lost, "u0 <= 8")->source.line == 0);
        for (const ProgramAssert& unknown : programAsserts(programOf(document), *contract, nullptr))
            QVERIFY(unknown.inCode == InCode::Unknown && !unknown.why.empty());
    }

    /// A guard is kept when the code's own tests leave no size that breaks it, and lost when one such size can be named.
    void guardsThatTheCodeKept() {
        const auto judged = [&](const char* name, const std::string& source) {
            Document document = open(name);
            const CompiledModel model = modelOf(source);
            Result<Contract> contract = buildContract(document, "");
            return programAsserts(programOf(document), *contract, &model);
        };
        const std::string equalBounds = "a dimension 0 == b dimension 0";
        const auto together = judged("2.13.0/equal_syms", wrapperOf({{2, 64}, {2, 64}, {2, 64}}, {"s20", "s20", "s20"}));
        QVERIFY(find(together, equalBounds) != nullptr);
        QVERIFY(find(together, equalBounds)->inCode == InCode::Kept);
        const auto apart = judged("2.13.0/equal_syms", wrapperOf({{2, 64}, {2, 64}, {2, 64}}, {"", "", ""}));
        QVERIFY(find(apart, equalBounds)->inCode == InCode::Lost);
        QCOMPARE(QString::fromStdString(find(apart, equalBounds)->why),
                 QString("The generated code takes a dimension 0 = 3, b dimension 0 = 2, for which it does not hold."));
        const auto derived = judged("2.13.0/dyn_derived", wrapperOf({{2, 32}, {4, 64}, {3, 33}}, {"s6", "2L*s6", "1L + s6"}));
        int guards = 0;
        for (const ProgramAssert& found : derived) {
            if (found.kind != Kind::Guard) continue;
            QVERIFY2(found.inCode == InCode::Kept, found.condition.c_str());
            ++guards;
        }
        QCOMPARE(guards, 3);
        // Without bounds not every size can be tried, and nothing is claimed.
        const auto open = judged("2.13.0/equal_syms", wrapperOf({{2, 1000000}, {2, 1000000}, {2, 1000000}}, {"s20", "s20", "s20"}));
        QVERIFY(find(open, equalBounds)->inCode == InCode::Unknown);
    }

    void boundsThatTheCodeDoesNotTest() {
        Document document = open("2.13.0/aoti/combined");
        const Result<Contract> contract = buildContract(document, "");
        const Document::CompiledRef compiled = document.compiled("model");
        const std::vector<ProgramAssert> asserts = programAsserts(programOf(document), *contract, compiled.model);
        QVERIFY(find(asserts, "s77 >= 1")->inCode == InCode::Kept && find(asserts, "s77 <= 1024")->inCode == InCode::Kept);
        QVERIFY(find(asserts, "s77 <= 1024")->source.line > find(asserts, "s77 >= 1")->source.line);
        Contract loose = *contract;
        loose.inputs[0].sizes[0].compiled = {};
        loose.inputs[0].sizes[0].testedAtRuntime = false;
        const std::vector<ProgramAssert> lost = programAsserts(programOf(document), loose, compiled.model);
        QVERIFY(find(lost, "s77 >= 1")->inCode == InCode::Lost && find(lost, "s77 <= 1024")->inCode == InCode::Lost);
    }

    void theCallAsCode() {
        const Result<Contract> tiny = buildContract(open("2.13.0/tiny"), "");
        QCOMPARE(QString::fromStdString(callInPython(*tiny, "tiny.pt2")),
                 QString("import torch\n\nmodel = torch.export.load(\"tiny.pt2\").module()\nx = torch.randn((4, 16))  # s77: 1 to 1024\n"
                         "result = model(x)\n"));
        QVERIFY(callInCpp(*tiny, "tiny.pt2").find("recompile") != std::string::npos);
        const Result<Contract> second = buildContract(open("2.13.0/aoti/two_models"), "model2");
        const QString python = QString::fromStdString(callInPython(*second, "a\"b.pt2"));
        QVERIFY2(python.contains("from torch._inductor.package import load_package\n\nmodel = load_package(\"a\\\"b.pt2\", model_name=\"model2\")"),
                 qPrintable(python));
        QVERIFY2(python.contains("arg0 = torch.randn((2, 10))  # s77: 2 to 1024"), qPrintable(python));
        const QString cpp = QString::fromStdString(callInCpp(*second, "a.pt2"));
        QVERIFY2(cpp.contains("AOTIModelPackageLoader model(\"a.pt2\", \"model2\");") && cpp.contains("at::randn({2, 10}, at::kFloat)"),
                 qPrintable(cpp));
        const QString nested = QString::fromStdString(callInPython(*buildContract(open("2.13.0/pytree_inputs"), ""), "p.pt2"));
        QVERIFY2(nested.contains("result = model({'a': d_a, 'b': {'c': d_b_c}}, [seq_0, (seq_1_0,)], 3, 0.5, 'add', True, None)"),
                 qPrintable(nested));
        const QString kwargs = QString::fromStdString(callInPython(*buildContract(open("2.13.0/kwargs"), ""), "k.pt2"));
        QVERIFY2(kwargs.contains("result = model(x, shift=shift, scale=scale, mask=mask)"), qPrintable(kwargs));
        const QString own = QString::fromStdString(callInPython(*buildContract(open("2.13.0/namedtuple_inputs"), ""), "n.pt2"));
        QVERIFY2(own.contains("is a class of the model's author") && own.contains("collections.OrderedDict({'u': od_u, 'v': od_v})"),
                 qPrintable(own));
        const QString strided = QString::fromStdString(callInCpp(*buildContract(open("2.13.0/aoti/conv_channels_last"), ""), "c.pt2"));
        QVERIFY2(strided.contains("at::empty_strided({2, 3, 16, 16}, {768, 1, 48, 3}, at::kFloat).copy_(at::randn({2, 3, 16, 16}, at::kFloat))"),
                 qPrintable(strided));
    }

    /// Names that are no identifiers, that repeat, or that the language keeps for itself.
    void namesInCodeAreIdentifiers() {
        Contract contract;
        contract.model = "model";
        for (const char* name : {"for", "a.b", "a[b]", "0", "gr\xc3\xbc\xc3\x9f", "", "x__y"}) {
            ContractInput input;
            input.name = name;
            input.tensorIndex = contract.inputs.size();
            input.dtype = DType::Float32;
            input.rankKnown = true;
            input.flatIndex = contract.inputs.size();
            contract.inputs.push_back(std::move(input));
        }
        const QString code = QString::fromStdString(callInPython(contract, "m.pt2"));
        QVERIFY2(code.contains("result = model(for_1, a_b, a_b_2, input_0, gr, input, x_y)"), qPrintable(code));
    }
};

QTEST_GUILESS_MAIN(ContractNotesTest)
#include "tst_contract_notes.moc"

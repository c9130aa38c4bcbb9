#include <QRegularExpression>
#include <QtTest>
#include <ctime>

#include "core/compiled/source_tokens.h"
#include "core/compiled/wrapper_source.h"
#include "tests/core/compiled/compiled_corpus.h"
#include "tests/core/compiled/rewritten_wrapper.h"
#include "tests/places.h"

using namespace pt2;

namespace {

/// All that a wrapper says, as text, with the library's variable names left out (they are in no field).
QString described(const WrapperFacts& facts) {
    QStringList lines;
    const auto number = [](const std::optional<std::int64_t>& value) { return value ? QString::number(*value) : QStringLiteral("-"); };
    lines << QString("%1 %2 %3").arg(facts.inputCount.value_or(-1)).arg(facts.outputCount.value_or(-1)).arg(facts.constantCount.value_or(-1));
    lines << QString::fromStdString(facts.inSpec) << QString::fromStdString(facts.outSpec);
    for (const CompiledInput& input : facts.inputs) {
        QString line = QString("in %1 %2").arg(QString::fromStdString(input.name), dtypeName(input.dtype.value));
        for (std::size_t d = 0; d < input.sizes.value.size(); ++d) {
            const CompiledDim& dim = input.sizes.value[d];
            line += QString(" [%1 %2 %3 %4]").arg(number(dim.fixed), number(dim.minimum), number(dim.maximum)).arg(dim.tested);
            if (d < input.strideTexts.value.size()) {
                line += QString("%1%2").arg(QString::fromStdString(input.strideTexts.value[d])).arg(bool(input.strideTested[d]));
            }
        }
        lines << line + QString(" %1 %2 %3").arg(QString::fromStdString(input.device.value)).arg(input.checkedAtRuntime).arg(input.assertedAtRuntime);
    }
    for (const CompiledOutput& output : facts.outputs) {
        QString line = QString("out %1 %2").arg(QString::fromStdString(output.name), dtypeName(output.dtype.value));
        for (const std::string& size : output.sizes.value) line += " " + QString::fromStdString(size);
        for (const std::string& stride : output.strides.value) line += " s" + QString::fromStdString(stride);
        lines << line;
    }
    for (const CompiledConstant& constant : facts.constants) {
        lines << QString("c %1 %2 %3 %4 %5")
                     .arg(QString::fromStdString(constant.name), QString::fromStdString(constant.fqn), dtypeName(constant.dtype.value),
                          QString::fromStdString(constant.kind))
                     .arg(constant.dataSize);
    }
    lines << QString("kernels %1 checks %2 %3 %4")
                 .arg(facts.kernels.size())
                 .arg(facts.checksCompiledIn)
                 .arg(facts.checksSwitched)
                 .arg(facts.asserts.size());
    for (const RuntimeCheck& check : facts.checks) {
        // The layout's text names sizes by symbols, which are variables like others.
        if (check.what == RuntimeCheck::What::Layout) continue;
        lines << QString("check %1 %2 %3 %4")
                     .arg(runtimeCheckName(check.what))
                     .arg(check.input)
                     .arg(check.dimension ? static_cast<int>(*check.dimension) : -1)
                     .arg(QString::fromStdString(check.expected));
    }
    return lines.join('\n');
}

/// A fact of `some` that is known and not the same in `all`; empty when there is none.
QString contradiction(const WrapperFacts& some, const WrapperFacts& all) {
    for (std::size_t i = 0; i < some.inputs.size() && i < all.inputs.size(); ++i) {
        const CompiledInput& a = some.inputs[i];
        const CompiledInput& b = all.inputs[i];
        const QString where = QString("input %1 ").arg(i);
        if (a.dtype.known() && b.dtype.known() && a.dtype.value != b.dtype.value) return where + "dtype";
        if (a.device.known() && a.device.value != b.device.value) return where + "device";
        if (!a.sizes.known()) continue;
        if (a.sizes.value.size() != b.sizes.value.size()) return where + "rank";
        for (std::size_t d = 0; d < a.sizes.value.size(); ++d) {
            const CompiledDim& x = a.sizes.value[d];
            const CompiledDim& y = b.sizes.value[d];
            if (x.fixed && x.fixed != y.fixed) return where + "size";
            if (x.minimum && x.minimum != y.minimum) return where + "minimum";
            if (x.maximum && x.maximum != y.maximum) return where + "maximum";
            if (a.strides.known() && b.strides.known() && a.strides.value[d] && a.strides.value[d] != b.strides.value[d]) return where + "stride";
        }
    }
    for (std::size_t i = 0; i < some.outputs.size() && i < all.outputs.size(); ++i) {
        const QString where = QString("output %1 ").arg(i);
        if (some.outputs[i].dtype.known() && all.outputs[i].dtype.known() && some.outputs[i].dtype.value != all.outputs[i].dtype.value)
            return where + "dtype";
        if (some.outputs[i].sizes.known() && all.outputs[i].sizes.known() && some.outputs[i].sizes.value.size() != all.outputs[i].sizes.value.size())
            return where + "rank";
    }
    for (std::size_t i = 0; i < some.constants.size() && i < all.constants.size(); ++i) {
        if (!some.constants[i].fqn.empty() && some.constants[i].fqn != all.constants[i].fqn) return QString("constant %1").arg(i);
        if (some.constants[i].dtype.known() && some.constants[i].dtype.value != all.constants[i].dtype.value)
            return QString("constant %1 dtype").arg(i);
    }
    return {};
}

QString replaceWords(QString text, const QString& pattern, const QString& with) {
    return text.replace(QRegularExpression("\\b" + pattern + "\\b"), with);
}

}  // namespace

class WrapperSourceTest : public QObject {
    Q_OBJECT

    QStringList packages_;

private slots:
    void initTestCase() {
        if (!pt2::tests::corpus().isEmpty()) packages_ = pt2::tests::compiledPackages();
    }

    void tokensOfEveryKind() {
        const std::string source =
            "#define X \\\n ignored(\nint a = 8L; // no\n/* no */ auto s = R\"x(a\")\"b)x\" \"c\\n\\x41\\101\"; b != 1'000; e = 1e-5f;";
        const std::vector<SourceToken> tokens = tokenizeSource(source);
        QStringList texts;
        for (const SourceToken& token : tokens) texts << QString::fromUtf8(token.text.data(), static_cast<qsizetype>(token.text.size()));
        QCOMPARE(texts, QStringList({"int", "a", "=", "8L", ";", "auto", "s", "=", "R\"x(a\")\"b)x\"", "\"c\\n\\x41\\101\"", ";", "b", "!=", "1'000",
                                     ";", "e", "=", "1e-5f", ";"}));
        QCOMPARE(decodeStringToken(tokens[8]), std::string("a\")\"b"));
        QCOMPARE(decodeStringToken(tokens[9]), std::string("c\nAA"));
        QCOMPARE(integerOfToken(tokens[3]).value_or(-1), std::int64_t{8});
        QCOMPARE(integerOfToken(tokens[13]).value_or(-1), std::int64_t{1000});
        QVERIFY(!integerOfToken(tokens[17]));
    }

    void cutTextEndsQuietly() {
        for (const char* text :
             {"", "\"", "R\"(", "/*", "#", "f(", "a[", "x = {", "'", "R\"toolongtagtoolongtagtoolong(", "constants_info_[0", "if ("}) {
            const WrapperFacts facts = readWrapperSource(text);
            QVERIFY(!facts.isWrapper);
        }
    }

    /// Text made to cost much: long runs without an end, brackets within brackets, lists that never close.
    void hostileTextTakesNoTime() {
        const auto repeated = [](const std::string& piece, std::size_t count) {
            std::string text;
            for (std::size_t i = 0; i < count; ++i) text += piece;
            return text;
        };
        const std::string head = "void M::run_impl(AtenTensorHandle* a, AtenTensorHandle* b) { ";
        const std::clock_t begin = std::clock();
        for (const char* piece :
             {"x = ", "if (", "a[0] = b[0] ", "assert_size_stride(x, {", "cpp_fused_0((float*)(", "constants_info_[0].shape = {", "{", "(", "[",
              "f() {", "constants_info_[7].type = a ", "extern \"C\" void ", "in_spec_ = \"a\" ", "RAIIAtenTensorHandle x(y); "}) {
            readWrapperSource(head + repeated(piece, 30000));
            readWrapperSource(repeated(piece, 30000));
        }
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 20, qPrintable(QString::number(seconds)));
    }

    /// Any byte of a real wrapper may be something else.
    void mutatedWrappersEndQuietly() {
        if (packages_.isEmpty()) QSKIP("The corpus of real packages is not here.");
        const tests::OpenedModels opened = tests::openModels(tests::corpus() + "/2.13.0/aoti/dyn_two.pt2");
        const std::string whole = tests::sourceOf(opened, opened.models.at("model"));
        const std::string source = whole.substr(whole.find("class AOTInductorModelKernels"));
        quint32 state = 12345;
        const auto random = [&state](std::size_t below) {
            state = state * 1664525U + 1013904223U;
            return static_cast<std::size_t>(state >> 8U) % below;
        };
        for (int round = 0; round < 300; ++round) {
            std::string text = source;
            for (int k = 0; k < 20; ++k) {
                const std::size_t at = random(text.size());
                switch (random(4)) {
                    case 0: text[at] = static_cast<char>(random(256)); break;
                    case 1: text.erase(at, random(40)); break;
                    case 2: text.insert(at, text.substr(random(text.size()), random(60))); break;
                    default: text[at] = "(){}[];\"=<>"[random(11)]; break;
                }
            }
            const WrapperFacts facts = readWrapperSource(text);
            for (const CompiledInput& input : facts.inputs) QVERIFY(!input.strides.known() || input.strideTested.size() == input.sizes.value.size());
        }
    }

    void absurdNumbersAreNotBelieved() {
        const WrapperFacts facts = readWrapperSource(
            "M::M() : AOTInductorModelBase(99999999999, 1, 1, d) { inputs_info_[99999999999].name = \"a\"; inputs_info_[-1].name = \"b\"; "
            "constants_info_[4294967296].name = \"c\"; }");
        QVERIFY(facts.inputs.empty());
        QVERIFY(facts.constants.empty());
        QVERIFY(!facts.inputCount);
    }

    void adjacentRawStringsAreOneSpec() {
        const WrapperFacts facts = readWrapperSource("void f() { in_spec_ = R\"([1, )\"\n  R\"(2])\"; out_spec_ = \"[\\\"a\\\"]\"\n\"b\"; }");
        QCOMPARE(facts.inSpec, std::string("[1, 2]"));
        QCOMPARE(facts.outSpec, std::string("[\"a\"]b"));
    }

    /// torch 2.7 has all checks in one function, and no device test. Its generator always tests a lower bound.
    void allChecksInOneFunction() {
        const WrapperFacts facts = readWrapperSource(R"src(
AOTInductorModel::AOTInductorModel() : AOTInductorModelBase(2, 1, 0, device_str, std::move(cubin_dir), true) {
    inputs_info_[0].name = "arg0_1"; inputs_info_[1].name = "arg1_1"; outputs_info_[0].name = "output0"; }
void AOTInductorModel::__check_inputs_outputs(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles) {
    ConstantHandle arg0_1 = ConstantHandle(input_handles[0]);
    int32_t arg0_1_dtype;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(arg0_1, &arg0_1_dtype));
    int32_t arg0_1_expected_dtype = aoti_torch_dtype_bfloat16();
    if (arg0_1_expected_dtype != arg0_1_dtype) { throw 1; }
    auto arg0_1_size = arg0_1.sizes();
    if (arg0_1_size[0] < 2) { throw 1; }
    if (arg0_1_size[0] > 9223372036854775807L) { throw 1; }
    if (4 != arg0_1_size[1]) { throw 1; }
    auto arg0_1_stride = arg0_1.strides();
    if (4 != arg0_1_stride[0]) { throw 1; }
    if (1 != arg0_1_stride[1]) { throw 1; }
    ConstantHandle arg1_1 = ConstantHandle(input_handles[1]);
    int32_t arg1_1_dtype;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(arg1_1, &arg1_1_dtype));
    int32_t arg1_1_expected_dtype = aoti_torch_dtype_int64();
    if (arg1_1_expected_dtype != arg1_1_dtype) { throw 1; }
    auto arg1_1_size = arg1_1.sizes();
}
void AOTInductorModel::run_impl(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 2);
    auto arg0_1 = std::move(inputs[0]);
    auto arg1_1 = std::move(inputs[1]);
    auto arg0_1_size = arg0_1.sizes();
    int64_t s0 = arg0_1_size[0];
    output_handles[0] = arg0_1.release();
}
)src");
        QVERIFY(facts.checksCompiledIn);
        QCOMPARE(facts.inputs.size(), std::size_t{2});
        QVERIFY(facts.inputs[0].dtype.value == DType::BFloat16);
        QVERIFY(facts.inputs[0].sizes.origin == Origin::Inferred);
        QCOMPARE(facts.inputs[0].sizes.value.size(), std::size_t{2});
        QCOMPARE(facts.inputs[0].sizes.value[0].symbol, std::string("s0"));
        QCOMPARE(facts.inputs[0].sizes.value[0].maximum.value_or(0), INT64_MAX);
        QCOMPARE(facts.inputs[0].sizes.value[0].minimum.value_or(0), std::int64_t{2});
        QVERIFY(!facts.inputs[0].device.known());
        QVERIFY(facts.inputs[1].dtype.value == DType::Int64);
        QVERIFY(facts.inputs[1].sizes.known());
        QVERIFY(facts.inputs[1].sizes.value.empty());
        QVERIFY(facts.outputs[0].dtype.value == DType::BFloat16);
        QCOMPARE(facts.outputs[0].sizes.value, std::vector<std::string>({"s0", "4"}));
    }

    /// Where lower bounds are not tested (check_lowerbound, torch 2.10 and later) a symbolic size may leave no trace, so that (s0, s1) with strides
    /// (1, s0) would look like one dimension: the rank is not guessed from traces then, only read where the code asserts it.
    void withoutLowerBoundsTheRankIsNotGuessed() {
        const std::string head =
            "M::M() : AOTInductorModelBase(1, 1, 0, d) { inputs_info_[0].name = \"a\"; }\n"
            "static void check_input_0(AtenTensorHandle* input_handles) {\n"
            "    ConstantHandle a = ConstantHandle(input_handles[0]);\n    auto n = a.sizes();\n"
            "    auto t = a.strides();\n    if (1 != t[0]) { throw 1; }\n}\n"
            "void M::run_impl(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles) {\n"
            "    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);\n    auto a = std::move(inputs[0]);\n"
            "    auto n = a.sizes();\n    int64_t s0 = n[0];\n";
        const WrapperFacts guessed = readWrapperSource(head + "}\n");
        QVERIFY(guessed.checksCompiledIn && !guessed.inputs[0].sizes.known() && !guessed.inputs[0].strides.known());
        const WrapperFacts asserted = readWrapperSource(head + "    assert_size_stride(a, {s0, s1}, {1L, s0}, \"input\");\n}\n");
        QCOMPARE(asserted.inputs[0].sizes.value.size(), std::size_t{2});
        QVERIFY(asserted.inputs[0].sizes.origin == Origin::WrapperSource);
        QCOMPARE(asserted.inputs[0].sizes.line, std::uint32_t{13});
        QVERIFY(!asserted.inputs[0].sizes.value[0].minimum && !asserted.inputs[0].sizes.value[0].maximum);
    }

    /// A composite size is bound to a helper first, from which its symbol is solved; the helper is no symbol.
    void helpersOfCompositeSizesAreNoSymbols() {
        const WrapperFacts facts = readWrapperSource(R"src(
M::M() : AOTInductorModelBase(1, 1, 0, d) {}
static void check_input_0(AtenTensorHandle* input_handles) {
    ConstantHandle arg0_1 = ConstantHandle(input_handles[0]);
    auto arg0_1_size = arg0_1.sizes();
    if (arg0_1_size[0] < 4) { throw 1; }
}
void M::run_impl(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);
    auto arg0_1 = std::move(inputs[0]);
    auto arg0_1_size = arg0_1.sizes();
    int64_t arg0_1_size_0 = arg0_1_size[0];
    int64_t s44 = (1.0/2.0)*arg0_1_size_0;
}
)src");
        QCOMPARE(facts.inputs[0].sizes.value.size(), std::size_t{1});
        QVERIFY(facts.inputs[0].sizes.value[0].symbol.empty());
        QCOMPARE(facts.inputs[0].sizes.value[0].minimum.value_or(0), std::int64_t{4});
    }

    /// Conditions of the program that the code tests while it runs (torch 2.13), each with its line.
    void assertsOfTheProgram() {
        QFile file(pt2::tests::sourceFile("tests/data/unbacked_wrapper.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string source = file.readAll().toStdString();
        const WrapperFacts facts = readWrapperSource(source);
        QStringList found;
        for (const CompiledAssert& held : facts.asserts) {
            found << QString::fromStdString(held.condition);
            const std::vector<std::string> lines = tests::linesOf(source);
            QVERIFY(lines.at(held.line - 1).find("if (!(") != std::string::npos);
        }
        QCOMPARE(found, QStringList({"u0 >= 2", "u0 <= 8", "u0 >= 2", "u0 <= 8"}));
        QCOMPARE(facts.asserts[0].message, std::string("Expected u0 >= 2 but received "));
    }

    /// Sizes that leave no trace (a gap) are not guessed, nor is what a fallback returns.
    void whatIsNotSaidIsUnknown() {
        const WrapperFacts facts = readWrapperSource(R"src(
M::M() : AOTInductorModelBase(1, 2, 0, d) {}
static void check_input_0(AtenTensorHandle* input_handles) {
    ConstantHandle a = ConstantHandle(input_handles[0]);
    auto n = a.sizes();
    if (4 != n[2]) { throw 1; }
}
void M::run_impl(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles) {
    AtenTensorHandle b_handle;
    aoti_torch_cpu_sort(x, &b_handle);
    RAIIAtenTensorHandle b(b_handle);
    output_handles[0] = b.release();
    output_handles[1] = output_handles[0];
}
)src");
        QVERIFY(facts.checksCompiledIn);
        QVERIFY(!facts.inputs[0].sizes.known());
        QVERIFY(!facts.inputs[0].dtype.known());
        QVERIFY(!facts.outputs[0].dtype.known());
        QVERIFY(!facts.outputs[0].sizes.known());
        QVERIFY(!facts.outputs[1].sizes.known());
        QCOMPARE(facts.kernels.size(), std::size_t{1});
    }

    void buildCommandsOfEverySource() {
        std::string compile, link;
        readBuildCommands("// Compile cmd\n// g++ a \\\n//  b\r\n// Link cmd\n// g++ c\n", compile, link);
        QCOMPARE(compile, std::string("g++ a \\ b"));
        QCOMPARE(link, std::string("g++ c"));
        readBuildCommands("int main() {}", compile, link);
        QVERIFY(compile.empty() && link.empty());
    }

    /// The meaning does not hang on names, line breaks or the order of functions: renamed and shuffled wrappers read the same.
    void renamedAndShuffledWrappersReadTheSame() {
        if (packages_.isEmpty()) QSKIP("The corpus of real packages is not here.");
        int seen = 0;
        for (const QString& package : packages_) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                const QString original = QString::fromStdString(tests::sourceOf(opened, model));
                if (original.isEmpty()) continue;
                const QString expected = described(readWrapperSource(original.toStdString()));

                QString text = original;
                for (int k = 0; k < 64; ++k) {
                    const QString argument = QString("arg%1_1").arg(k);
                    if (!text.contains(argument)) continue;
                    text.replace(argument + "_size", QString("extent_of_%1").arg(k)).replace(argument + "_stride", QString("pitch_of_%1").arg(k));
                    text.replace(argument + "_expected_dtype", QString("want_%1").arg(k)).replace(argument + "_dtype", QString("kind_%1").arg(k));
                    text.replace(argument + "_expected_device_type", QString("wantdev_%1").arg(k))
                        .replace(argument + "_device_type", QString("dev_%1").arg(k));
                    text.replace(QRegularExpression("(?<!\")\\b" + argument + "\\b(?!\")"), QString("given%1").arg(k));
                }
                text = replaceWords(text, "int_array_(\\d+)", "numbers\\1");
                text = replaceWords(text, "buf(\\d+)_handle", "raw\\1");
                text = replaceWords(text, "buf(\\d+)", "storage\\1");
                text = replaceWords(text, "inputs", "taken");
                text = replaceWords(text, "input_handles", "ins");
                text = replaceWords(text, "output_handles", "outs");
                QVERIFY(text != original);
                QCOMPARE(described(readWrapperSource(text.toStdString())), expected);

                // The check functions behind everything else.
                QString checks, rest = original;
                const QRegularExpression function("AOTI_NOINLINE static void check_input_\\d+\\(.*?\\n\\}\\n",
                                                  QRegularExpression::DotMatchesEverythingOption);
                for (QRegularExpressionMatch match = function.match(rest); match.hasMatch(); match = function.match(rest)) {
                    checks += match.captured();
                    rest.remove(match.capturedStart(), match.capturedLength());
                }
                QCOMPARE(described(readWrapperSource((rest + "\n" + checks).toStdString())), expected);

                // Line breaks wherever the language allows them; comments and strings stay as they are.
                QStringList lines = original.split('\n');
                for (QString& line : lines) {
                    if (line.contains("//") || line.contains('"') || line.startsWith('#') || line.endsWith('\\')) continue;
                    line.replace(", ", ",\n        ").replace(" = ", "\n    =\n").replace("(input", "(\ninput").replace(" != ", "\n!=\n");
                }
                const QString broken = lines.join('\n');
                const WrapperFacts relaid = readWrapperSource(broken.toStdString());
                QCOMPARE(described(relaid), expected);
                ++seen;
            }
        }
        QVERIFY(seen > 20);
    }

    /// Every fact names the line it was read from: the text that it states stands there.
    void everyFactStandsInTheLineItNames() {
        if (packages_.isEmpty()) QSKIP("The corpus of real packages is not here.");
        int checks = 0;
        for (const QString& package : packages_) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                const std::string source = tests::sourceOf(opened, model);
                if (source.empty()) continue;
                const std::vector<std::string> lines = tests::linesOf(source);
                const WrapperFacts facts = readWrapperSource(source);
                const auto holds = [&](std::uint32_t line, const std::string& text) {
                    return line >= 1 && line <= lines.size() && lines[line - 1].find(text) != std::string::npos;
                };
                const QByteArray where = (package + " " + QString::fromStdString(name)).toUtf8();
                QVERIFY2(holds(facts.countsLine, "AOTInductorModelBase("), where);
                QVERIFY2(holds(facts.inSpecLine, "in_spec_") && holds(facts.outSpecLine, "out_spec_"), where);
                for (const CompiledConstant& constant : facts.constants) QVERIFY2(holds(constant.line, "\"" + constant.name + "\""), where);
                for (const CompiledOutput& output : facts.outputs) {
                    QVERIFY2(holds(output.nameLine, "\"" + output.name + "\""), where);
                    QVERIFY2(!output.sizes.known() || output.sizes.line > 0, where);
                }
                for (const CompiledInput& input : facts.inputs) {
                    QVERIFY2(holds(input.nameLine, "\"" + input.name + "\""), where);
                    QVERIFY2(!input.sizes.known() || input.sizes.line > 0, where);
                    QVERIFY2(input.dtype.origin != Origin::WrapperSource || input.dtype.line > 0, where);
                }
                for (const RuntimeCheck& check : facts.checks) {
                    QVERIFY2(check.input < facts.inputs.size() && check.line >= 1 && check.line <= lines.size(), where);
                    ++checks;
                    using What = RuntimeCheck::What;
                    if (check.what == What::DType || check.what == What::Device || check.what == What::Layout) continue;
                    QVERIFY2(holds(check.line, check.expected) && holds(check.line, "[" + std::to_string(*check.dimension) + "]"), where);
                }
            }
        }
        QVERIFY(checks > 300);
    }

    /// Real sources made over into the forms that other versions of torch write (format.md 4.3, 4.4): the facts that the form states are the same,
    /// and those that it does not are unknown.
    void formsOfOtherVersions() {
        if (packages_.isEmpty()) QSKIP("The corpus of real packages is not here.");
        const QRegularExpression checkFunction("AOTI_NOINLINE static void check_input_\\d+\\([^)]*\\) \\{\\n(.*?)\\n\\}\\n",
                                               QRegularExpression::DotMatchesEverythingOption);
        const QRegularExpression deviceTest("    int32_t \\w+_device_type;\\n.*?throw[^\\n]*\\n    \\}\\n?",
                                            QRegularExpression::DotMatchesEverythingOption);
        const QRegularExpression rawSpec("(in_spec_|out_spec_) = R\"\\((.*?)\\)\";");
        int models = 0;
        for (const QString& package : packages_) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                const QString source = QString::fromStdString(tests::sourceOf(opened, model));
                const WrapperFacts whole = readWrapperSource(source.toStdString());
                if (!whole.checksCompiledIn) continue;
                ++models;
                // 2.9 to 2.12: no assertion at first use; long specs in several raw strings; from 2.11 on constants without a cast.
                QString text = source;
                text.remove(QRegularExpression("    if \\(_check_aoti_runtime_check_inputs_env\\(\\)\\) \\{ assert_size_stride[^\\n]*\\n"));
                text.replace(rawSpec, "\\1 = R\"(\\2)\"\n        R\"()\";");
                text.replace(QRegularExpression("dtype = (cached_torch_dtype_\\w+);"), "dtype = static_cast<int32_t>(\\1);");
                const WrapperFacts middle = readWrapperSource(text.toStdString());
                QVERIFY2(contradiction(middle, whole).isEmpty(), qPrintable(package + ": " + contradiction(middle, whole)));
                QCOMPARE(middle.inSpec, whole.inSpec);
                QCOMPARE(middle.outSpec, whole.outSpec);
                for (std::size_t i = 0; i < whole.inputs.size(); ++i) {
                    QVERIFY2(middle.inputs[i].sizes.known() && !middle.inputs[i].assertedAtRuntime, qPrintable(package));
                    QVERIFY(middle.inputs[i].sizes.origin == Origin::Inferred);
                    QCOMPARE(middle.inputs[i].sizes.value.size(), whole.inputs[i].sizes.value.size());
                }
                for (std::size_t i = 0; i < whole.constants.size(); ++i) QCOMPARE(middle.constants[i].dtype.value, whole.constants[i].dtype.value);
                // 2.7: one function for all tests, none of the device; specs as escaped texts.
                QString bodies;
                for (auto match = checkFunction.match(text); match.hasMatch(); match = checkFunction.match(text)) {
                    bodies += match.captured(1) + "\n";
                    text.remove(match.capturedStart(), match.capturedLength());
                }
                QVERIFY2(!bodies.isEmpty(), qPrintable(package));
                text.replace(QRegularExpression("    check_input_\\d+\\(input_handles\\);\\n"), "");
                bodies.remove(deviceTest);
                text.replace(QRegularExpression("(static void __check_inputs_outputs\\([^)]*\\) ?\\{\\n)"), "\\1" + bodies);
                text.replace("\n        R\"()\";", ";");
                for (auto match = rawSpec.match(text); match.hasMatch(); match = rawSpec.match(text)) {
                    QString escaped = match.captured(2);
                    escaped.replace("\\", "\\\\").replace("\"", "\\\"");
                    text.replace(match.capturedStart(), match.capturedLength(), match.captured(1) + " = \"" + escaped + "\";");
                }
                const WrapperFacts single = readWrapperSource(text.toStdString());
                QVERIFY2(contradiction(single, whole).isEmpty(), qPrintable(package + ": " + contradiction(single, whole)));
                for (std::size_t i = 0; i < whole.inputs.size(); ++i) {
                    QVERIFY2(single.inputs[i].checkedAtRuntime && !single.inputs[i].device.known(), qPrintable(package));
                    QVERIFY(single.inputs[i].dtype.value == whole.inputs[i].dtype.value);
                    QCOMPARE(single.inputs[i].sizes.value.size(), whole.inputs[i].sizes.value.size());
                }
                // 2.6: no tests at all. What is left of the inputs is their number and names; dtypes at most as kernels read them.
                text.remove(bodies);
                const WrapperFacts none = readWrapperSource(text.toStdString());
                QVERIFY(!none.checksCompiledIn && none.checks.empty());
                QVERIFY2(contradiction(none, whole).isEmpty(), qPrintable(package + ": " + contradiction(none, whole)));
                QCOMPARE(none.inputs.size(), whole.inputs.size());
                for (const CompiledInput& input : none.inputs) {
                    QVERIFY(!input.sizes.known() && !input.strides.known() && !input.device.known() && !input.name.empty());
                    QVERIFY(!input.dtype.known() || input.dtype.origin == Origin::Inferred);
                }
            }
        }
        QVERIFY(models > 20);
    }

    /// Names of every kind, order of all functions, at random: what is read is the same. Taking one statement away leaves facts unknown, never
    /// others.
    void rewrittenWrappersAreNeverReadWrongly() {
        if (packages_.isEmpty()) QSKIP("The corpus of real packages is not here.");
        quint32 state = 4711;
        const auto random = [&state](std::size_t below) {
            state = state * 1664525U + 1013904223U;
            return static_cast<std::size_t>(state >> 8U) % below;
        };
        int rewritten = 0, cut = 0;
        for (const QString& package : packages_) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                const std::string source = tests::sourceOf(opened, model);
                if (source.empty()) continue;
                const std::string own = source.substr(source.find("AOTInductorModel::AOTInductorModel("));
                const WrapperFacts expected = readWrapperSource(own);
                const std::string renamed = tests::renamedWrapper(own, random);
                QVERIFY(renamed != own);
                QCOMPARE(described(readWrapperSource(renamed)), described(expected));
                const std::string shuffled = tests::shuffledFunctions(renamed, random);
                QVERIFY(shuffled != renamed);
                QCOMPARE(described(readWrapperSource(shuffled)), described(expected));
                ++rewritten;
                for (int round = 0; round < 12; ++round) {
                    const QString wrong = contradiction(readWrapperSource(tests::withoutOneStatement(own, random)), expected);
                    QVERIFY2(wrong.isEmpty(), qPrintable(package + ": " + wrong));
                    ++cut;
                }
            }
        }
        QVERIFY(rewritten > 20 && cut > 250);
    }
};

QTEST_GUILESS_MAIN(WrapperSourceTest)
#include "tst_wrapper_source.moc"

#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/compiled/kernel_calls.h"
#include "core/compiled/kernel_operators.h"
#include "tests/core/compiled/compiled_corpus.h"

using namespace pt2;

namespace {

const char* const kWrapper = R"(
extern "C" void cpp_fused_add_relu_1(float* in_out_ptr0, const float* in_ptr0, const int64_t ks0);
void AOTInductorModel::run_impl(AtenTensorHandle* input_handles, AtenTensorHandle* output_handles, DeviceStreamType stream) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);
    auto arg0_1 = std::move(inputs[0]);
    [[maybe_unused]] auto& fc_weight = constants_->at(3);
    const int64_t int_array_0[] = {4L, 8L};
    const int64_t int_array_1[] = {8L, 1L};
    AtenTensorHandle buf0_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_0, int_array_1, cached_torch_dtype_float32, cached_torch_device_type_cpu, this->device_idx_, &buf0_handle));
    RAIIAtenTensorHandle buf0(buf0_handle);
    // Topologically Sorted Source Nodes: [norm, linear], Original ATen: [aten.t, aten.mm]
    // [Provenance debug handles] aoti_torch_cpu_mm_out:7
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_mm_out(buf0, arg0_1, wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(fc_weight, 2, int_array_0, int_array_1, 0L))));
    auto buf1 = wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(buf0, 2, int_array_0, int_array_1, 0L)); buf0.reset();  // reuse
    cpp_fused_add_relu_1((float*)(buf1.data_ptr()), (const float*)(arg0_1.data_ptr()), 4L);
    AtenTensorHandle buf2_handle;  // output buffer
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_new_uninitialized_tensor(&buf2_handle));
    RAIIAtenTensorHandle buf2(buf2_handle);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_proxy_executor_call_function(proxy_executor, 1, 0, std::vector<int64_t>{}.data(), 2, std::vector<AtenTensorHandle>{buf1, buf2}.data()));
    output_handles[0] = buf2.release();
    output_handles[1] = buf1.release();
}
)";
const char* const kKernels = R"(
#include <x.h>
extern "C"  void  cpp_fused_add_relu_1(float* in_out_ptr0,
                       const float* in_ptr0,
                       const int64_t ks0)
{
    in_out_ptr0[0] = in_ptr0[0];
}
)";

QString described(const KernelListing& listing) {
    QStringList lines;
    const auto joined = [](const std::vector<std::string>& names) {
        QStringList list;
        for (const std::string& name : names) list << QString::fromStdString(name);
        return list.join(',');
    };
    for (const KernelCall& call : listing.calls) {
        lines << QString("%1 %2 nodes %3 aten %4 reads %5 writes %6")
                     .arg(QString::fromStdString(call.name), kernelKindName(call.kind), joined(call.sourceNodes), joined(call.aten),
                          joined(call.reads), joined(call.writes));
    }
    return lines.join('\n');
}

}  // namespace

/// What run_impl calls, from its text alone.
class KernelCallsTest : public QObject {
    Q_OBJECT

    struct Source {
        QString package;
        std::string wrapper, kernels;
        CompiledModel model;
    };
    static std::vector<Source> sources() {
        std::vector<Source> found;
        for (const QString& package : tests::compiledPackages()) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                Source source{package, tests::sourceOf(opened, model), {}, model};
                if (source.wrapper.empty()) continue;
                if (!model.kernelSources.empty() && model.wrapperSource) {
                    const auto bytes = opened.archive->read(model.kernelSources.front(), 1U << 30);
                    if (bytes) source.kernels = std::string(asText(*bytes));
                }
                found.push_back(std::move(source));
            }
        }
        return found;
    }

private slots:
    void callsAreListedWithWhatTheyReadAndWrite() {
        const KernelListing listing = listKernels({5, kWrapper}, {{6, kKernels}}, {"a::b", "corpus::scale"});
        QCOMPARE(described(listing), QString("aoti_torch_cpu_mm_out extern nodes norm,linear aten aten.t,aten.mm reads arg0_1,fc_weight writes buf0\n"
                                             "cpp_fused_add_relu_1 fused nodes  aten aten.add,aten.relu reads buf1,arg0_1 writes buf1\n"
                                             "corpus::scale proxy nodes  aten  reads buf1 writes buf2"));
        QCOMPARE(listing.calls[0].handle, std::string("aoti_torch_cpu_mm_out:7"));
        QCOMPARE(listing.inputs.at("arg0_1"), std::size_t{0});
        QCOMPARE(listing.constants.at("fc_weight"), std::size_t{3});
        QCOMPARE(listing.calls[0].call.member, MemberIndex{5});
        QCOMPARE(listing.calls[0].call.first, 14U);
        QVERIFY(!listing.calls[0].definition);
        QVERIFY(listing.calls[1].definition);
        QCOMPARE(listing.calls[1].definition->member, MemberIndex{6});
        QCOMPARE(listing.calls[1].definition->first, 3U);
        QCOMPARE(listing.calls[1].definition->last, 8U);
    }

    void buffersSayTheirTypeAndWhoseMemoryTheyTakeOver() {
        const KernelListing listing = listKernels({0, kWrapper}, {{0, kKernels}}, {});
        QCOMPARE(listing.buffers.size(), std::size_t{3});
        QCOMPARE(listing.buffers[0].name, std::string("buf0"));
        QCOMPARE(listing.buffers[0].dtype, DType::Float32);
        QCOMPARE(listing.buffers[0].sizes, (std::vector<std::string>{"4", "8"}));
        QVERIFY(listing.buffers[0].reuses.empty());
        QCOMPARE(listing.buffers[1].reuses, std::string("buf0"));
        QCOMPARE(listing.buffers[1].firstCall.value(), std::size_t{1});
        QCOMPARE(listing.buffers[1].lastCall.value(), std::size_t{2});
        QCOMPARE(listing.buffers[1].outputs, std::vector<std::size_t>{1});
        QCOMPARE(listing.buffers[2].outputs, std::vector<std::size_t>{0});
    }

    void namesAreTakenApartIntoOperators_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QStringList>("operators");
        const auto row = [](const char* name, KernelCall::Kind kind, const QStringList& operators) {
            QTest::newRow(name) << QString(name) << static_cast<int>(kind) << operators;
        };
        using Kind = KernelCall::Kind;
        row("cpp_fused_0", Kind::Fused, {});
        row("cpp_fused_add_relu_1", Kind::Fused, {"add", "relu"});
        row("cpp_fused__softmax_add_native_layer_norm_view_12", Kind::Fused, {"_softmax", "add", "native_layer_norm", "view"});
        row("cpp_fused__to_copy__unsafe_view_mul_3", Kind::Fused, {"_to_copy", "_unsafe_view", "mul"});
        row("call_triton_poi_fused_add_relu_0", Kind::Gpu, {"add", "relu"});
        row("aoti_torch_cpu_addmm_out", Kind::Extern, {"addmm_out", "addmm"});
        row("aoti_torch_cuda_bmm_out", Kind::Extern, {"bmm_out", "bmm"});
        row("corpus::scale_shift", Kind::Proxy, {"scale_shift"});
        row("corpus::scale_shift.default", Kind::Proxy, {"scale_shift"});
    }
    void namesAreTakenApartIntoOperators() {
        QFETCH(QString, name);
        QFETCH(int, kind);
        QFETCH(QStringList, operators);
        KernelCall call;
        call.name = name.toStdString();
        call.kind = static_cast<KernelCall::Kind>(kind);
        QStringList found;
        for (const std::string& one : operatorsOfKernel(call)) found << QString::fromStdString(one);
        QCOMPARE(found, operators);
    }

    void everyPackageReadsOnlyWhatIsThere() {
        const std::vector<Source> all = sources();
        if (all.empty()) QSKIP("The corpus of real packages is not here.");
        for (const Source& source : all) {
            const KernelListing listing = listKernels({0, source.wrapper}, {{1, source.kernels}}, {});
            QVERIFY2(!listing.calls.empty(), qPrintable(source.package));
            QCOMPARE(listing.calls.size(), source.model.kernels.size());
            std::set<std::string> there;
            for (const auto& [name, index] : listing.inputs) there.insert(name);
            for (const auto& [name, index] : listing.constants) {
                there.insert(name);
                QVERIFY2(index < source.model.constants.size(), name.c_str());
                QCOMPARE(source.model.constants[index].name, name);
            }
            for (std::size_t i = 0; i < listing.calls.size(); ++i) {
                const KernelCall& call = listing.calls[i];
                QVERIFY2(call.kind == KernelCall::Kind::Proxy || call.name == source.model.kernels[i], call.name.c_str());
                QVERIFY2(!call.writes.empty(), (source.package.toStdString() + ": " + call.name).c_str());
                QVERIFY2(call.definition.has_value() == (call.kind == KernelCall::Kind::Fused), call.name.c_str());
                for (const std::string& name : call.reads) {
                    if (std::find(call.writes.begin(), call.writes.end(), name) != call.writes.end()) continue;  // parts of one buffer
                    // A buffer that takes over another's memory holds what that one held.
                    std::string at = name;
                    for (std::size_t step = 0; step < listing.buffers.size() && there.count(at) == 0; ++step) {
                        const auto buffer = std::find_if(listing.buffers.begin(), listing.buffers.end(),
                                                         [&at](const KernelBuffer& candidate) { return candidate.name == at; });
                        if (buffer == listing.buffers.end() || buffer->reuses.empty()) break;
                        at = buffer->reuses;
                    }
                    QVERIFY2(there.count(at) != 0, (source.package.toStdString() + ": " + call.name + " reads " + name).c_str());
                }
                there.insert(call.writes.begin(), call.writes.end());
            }
        }
    }

    /// The meaning does not hang on the names of variables or the order of functions.
    void renamedWrappersReadTheSame() {
        const std::vector<Source> all = sources();
        if (all.empty()) QSKIP("The corpus of real packages is not here.");
        for (const Source& source : all) {
            const auto renamed = [](QString text) {
                text.replace(QRegularExpression("\\bbuf(\\d+)_handle\\b"), "raw\\1");
                text.replace(QRegularExpression("\\bbuf(\\d+)\\b"), "storage\\1");
                text.replace(QRegularExpression("\\bint_array_(\\d+)\\b"), "numbers\\1");
                text.replace(QRegularExpression("\\binput_handles\\b"), "ins");
                text.replace(QRegularExpression("\\boutput_handles\\b"), "outs");
                return text;
            };
            const QString expected = renamed(described(listKernels({0, source.wrapper}, {{1, source.kernels}}, {})));
            const std::string text = renamed(QString::fromStdString(source.wrapper)).toStdString();
            QCOMPARE(described(listKernels({0, text}, {{1, source.kernels}}, {})), expected);
        }
    }

    void cutTextEndsQuietly() {
        const std::string whole = kWrapper;
        for (std::size_t length = 0; length < whole.size(); length += 7) {
            const KernelListing listing = listKernels({0, std::string_view(whole).substr(0, length)}, {{1, kKernels}}, {});
            QVERIFY(listing.calls.size() <= 3);
        }
        QVERIFY(listKernels({}, {}, {}).calls.empty());
    }
};

QTEST_GUILESS_MAIN(KernelCallsTest)
#include "tst_kernel_calls.moc"

#include <QTest>

#include "core/program/operator_family.h"

#include <string>

using namespace pt2;

class TestOperatorFamily : public QObject {
    Q_OBJECT

private slots:
    void knowsEachFamily_data() {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QByteArray>("tag");
        const auto row = [](const char* target, const char* tag) { QTest::newRow(target) << QByteArray(target) << QByteArray(tag); };
        for (const char* t : {"mm.default", "bmm.default", "addmm.default", "linear.default", "einsum.default", "lstm.input"})
            row(qPrintable(QString("torch.ops.aten.") + t), "MM");
        for (const char* t : {"convolution.default", "max_pool2d.default", "upsample_bilinear2d.vec", "conv2d.padding", "grid_sampler.default"})
            row(qPrintable(QString("torch.ops.aten.") + t), "CV");
        for (const char* t : {"scaled_dot_product_attention.default", "_scaled_dot_product_flash_attention_for_cpu.default"})
            row(qPrintable(QString("torch.ops.aten.") + t), "AT");
        for (const char* t : {"native_layer_norm.default", "batch_norm.default", "rms_norm.default", "_native_batch_norm_legit.no_stats"})
            row(qPrintable(QString("torch.ops.aten.") + t), "NM");
        for (const char* t : {"add.Tensor", "mul.Scalar", "relu.default", "gelu.default", "silu.default", "where.self", "add_.Tensor",
                              "clamp_min.default", "dropout.default"})
            row(qPrintable(QString("torch.ops.aten.") + t), "PW");
        for (const char* t :
             {"sum.default", "mean.dim", "amax.default", "softmax.int", "topk.default", "linalg_vector_norm.default", "cumsum.default"})
            row(qPrintable(QString("torch.ops.aten.") + t), "RD");
        for (const char* t : {"embedding.default", "index.Tensor", "gather.default", "scatter_add_.default", "slice.Tensor", "index_put.default"})
            row(qPrintable(QString("torch.ops.aten.") + t), "IX");
        for (const char* t : {"view.default", "permute.default", "cat.default", "_to_copy.default", "full.default", "sym_size.int", "copy_.default",
                              "detach_.default"})
            row(qPrintable(QString("torch.ops.aten.") + t), "SH");
        for (const char* t : {"torch.ops.higher_order.cond", "torch.ops.higher_order.while_loop", "torch.ops.corpus.scale_shift.default",
                              "torch.ops.aten._assert_scalar.default", "torch.ops.aten._assert_tensor_metadata.default",
                              "torch._functorch.predispatch._add_batch_dim", "torch.ops.torchvision.nms.default", ""}) {
            row(t, "CT");
        }
        row("_operator.add", "PW");
        row("torch.sym_max", "PW");
        row("executorch.exir.dialects.edge._ops.aten.convolution.default", "CV");
    }
    void knowsEachFamily() {
        QFETCH(QByteArray, target);
        QFETCH(QByteArray, tag);
        QCOMPARE(QByteArray(operatorFamilyTag(operatorFamily(target.toStdString()))), tag);
    }

    void splitsNames() {
        const auto split = [](const char* target) {
            const OperatorName name = splitOperatorName(target);
            return QString::fromStdString(std::string(name.ns) + "|" + std::string(name.name) + "|" + std::string(name.overload));
        };
        QCOMPARE(split("torch.ops.aten.linear.default"), QString("aten|linear|default"));
        QCOMPARE(split("torch.ops.higher_order.cond"), QString("higher_order|cond|"));
        QCOMPARE(split("_operator.add"), QString("_operator|add|"));
        QCOMPARE(split("math.trunc"), QString("math|trunc|"));
        QCOMPARE(split("#namespace:op"), QString("namespace|op|"));
        QCOMPARE(split("executorch.exir.dialects.edge._ops.aten.add.Tensor"), QString("aten|add|Tensor"));
        QCOMPARE(split("odd"), QString("|odd|"));
        QCOMPARE(split(""), QString("||"));
        QCOMPARE(split("torch.ops."), QString("||"));
    }

    void everyFamilyHasATagAndAName() {
        for (int i = 0; i < kOperatorFamilyCount; ++i) {
            QCOMPARE(QByteArray(operatorFamilyTag(static_cast<OperatorFamily>(i))).size(), 2);
            QVERIFY(QByteArray(operatorFamilyName(static_cast<OperatorFamily>(i))).size() > 5);
        }
    }
};

QTEST_GUILESS_MAIN(TestOperatorFamily)
#include "tst_operator_family.moc"

#include <QtTest>

#include "core/package/address.h"

using namespace pt2;

class AddressTest : public QObject {
    Q_OBJECT
private slots:
    void everyAddressReadsBackAsItWasWritten_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"program/model", "program/model/node/relu", "program/model/graph/true_graph_0", "program/model/graph/true_graph_0/node/add",
              "program/model/graph/a/b/value/x", "program/b%2Fc%25/symbol/s77", "weights/fc.weight", "weights/a/b", "file/data/weights/weight_0",
              "compiled/model", "compiled/model/kernel/cpp_fused_0", "page/overview"}) {
            QTest::newRow(text) << QString(text);
        }
    }
    void everyAddressReadsBackAsItWasWritten() {
        QFETCH(QString, text);
        const Result<Address> address = Address::parse(text.toStdString());
        QVERIFY(address);
        QCOMPARE(QString::fromStdString(address->text()), text);
    }
    void modelNamesMayHoldSlashes() {
        Address address;
        address.kind = Address::Kind::Node;
        address.model = "b/c%2F";
        address.name = "relu";
        QCOMPARE(*Address::parse(address.text()), address);
    }
    void whatIsNoAddressIsRefused() {
        for (const char* text : {"", "relu", "program", "program//node/x", "program/m/nodes/x", "weights/", "compiled/m/x", "program/m/graph/"}) {
            QVERIFY2(!Address::parse(text), text);
        }
    }
};

QTEST_GUILESS_MAIN(AddressTest)
#include "tst_address.moc"

#include <QtTest>
#include <string>
#include <vector>

#include "core/program/json_tokens.h"

using namespace pt2;

/// Offsets of tokens are packed; whatever the distances in a text are, each token is found where it begins.
class JsonTokensTest : public QObject {
    Q_OBJECT
private slots:
    void everyTokenIsFoundWhereItBegins_data() {
        QTest::addColumn<std::vector<std::size_t>>("lengths");
        QTest::newRow("one") << std::vector<std::size_t>{3};
        QTest::newRow("short") << std::vector<std::size_t>(1000, 5);
        for (const std::size_t length : {65'500, 65'530, 65'531, 65'532, 65'533, 65'534, 65'535, 65'536, 200'000}) {
            std::vector<std::size_t> lengths(200, 2);
            for (std::size_t i = 0; i < lengths.size(); i += 7) lengths[i] = length + i;
            QTest::newRow(qPrintable(QString::number(length))) << lengths;
        }
        std::vector<std::size_t> mixed;
        for (std::size_t i = 0; i < 3000; ++i) mixed.push_back(i % 97 == 0 ? i * 40 : i % 11);
        QTest::newRow("mixed") << mixed;
    }
    void everyTokenIsFoundWhereItBegins() {
        QFETCH(std::vector<std::size_t>, lengths);
        std::string text = "[";
        std::vector<std::uint32_t> offsets = {0}, ends = {1};
        const auto token = [&](const std::string& piece) {
            offsets.push_back(static_cast<std::uint32_t>(text.size()));
            text += piece;
            ends.push_back(static_cast<std::uint32_t>(text.size()));
        };
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            if (i > 0) {
                token(",");
                text.append(i % 3, ' ');
            }
            token("\"" + std::string(lengths[i], 'x') + "\"");
        }
        text.append(70'000, ' ');
        token("]");
        const Result<JsonTokens> tokens = JsonTokens::scan(text);
        QVERIFY(tokens);
        QCOMPARE(tokens->count(), static_cast<std::uint32_t>(offsets.size()));
        for (std::uint32_t i = 0; i < tokens->count(); ++i) {
            QCOMPARE(tokens->offset(i), offsets[i]);
            QCOMPARE(tokens->end(i), ends[i]);
            QCOMPARE(tokens->first(i), text[offsets[i]]);
        }
        QCOMPARE(tokens->offset(tokens->count()), static_cast<std::uint32_t>(text.size()));
        QCOMPARE(tokens->first(tokens->count()), '\0');

        TextStore store;
        JsonReader skipping(*tokens, store);
        QVERIFY(skipping.skip() && skipping.atEnd());
        JsonReader reader(*tokens, store);
        std::size_t at = 0;
        const bool read = reader.readArray([&] {
            std::string_view value;
            return reader.readString(value) && value.size() == lengths[at++];
        });
        QVERIFY(read && reader.atEnd() && at == lengths.size());
    }
};

QTEST_GUILESS_MAIN(JsonTokensTest)
#include "tst_json_tokens.moc"

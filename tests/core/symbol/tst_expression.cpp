#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/symbol/expression.h"
#include "tests/places.h"

using pt2::SymExpr;

namespace {

nlohmann::json golden() {
    std::ifstream file(pt2::tests::sourceFile("tests/data/expressions.json").toStdString());
    return nlohmann::json::parse(file);
}

std::optional<SymExpr::Value> assigned(int which, std::string_view symbol) {
    static const char* names[] = {"s0", "s1", "s6", "s53", "s77", "u0", "u1"};
    static const std::int64_t values[2][7] = {{2, 3, 5, 7, 11, 4, 6}, {9, 2, 8, 3, 64, 1, 13}};
    for (int i = 0; i < 7; ++i)
        if (symbol == names[i]) return SymExpr::Value(values[which][i]);
    return std::nullopt;
}

bool equals(const std::optional<SymExpr::Value>& found, const nlohmann::json& wanted) {
    if (!found) return false;
    if (wanted.is_boolean()) return std::holds_alternative<bool>(*found) && std::get<bool>(*found) == wanted.get<bool>();
    if (wanted.is_number_integer() && std::holds_alternative<std::int64_t>(*found))
        return std::get<std::int64_t>(*found) == wanted.get<std::int64_t>();
    if (std::holds_alternative<bool>(*found)) return false;
    const double value = std::holds_alternative<double>(*found) ? std::get<double>(*found) : static_cast<double>(std::get<std::int64_t>(*found));
    return std::fabs(value - wanted.get<double>()) <= 1e-9 * std::max(1.0, std::fabs(value));
}

std::string printed(const char* text) {
    const auto parsed = SymExpr::parse(text);
    return parsed ? parsed->print() : "error: " + parsed.error().why;
}

}  // namespace

class TestExpression : public QObject {
    Q_OBJECT

private slots:
    void printsAsTorchPrints_data() {
        QTest::addColumn<QString>("srepr");
        QTest::addColumn<QString>("text");
        int row = 0;
        for (const auto& entry : golden()) {
            QTest::newRow(qPrintable(QString::number(row++)))
                << QString::fromStdString(entry["srepr"].get<std::string>()) << QString::fromStdString(entry["text"].get<std::string>());
        }
    }
    void printsAsTorchPrints() {
        QFETCH(QString, srepr);
        QFETCH(QString, text);
        const auto parsed = SymExpr::parse(srepr.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().why.c_str());
        QCOMPARE(QString::fromStdString(parsed->print()), text);
    }

    void evaluatesAsPythonDoes() {
        int compared = 0;
        for (const auto& entry : golden()) {
            const auto parsed = SymExpr::parse(entry["srepr"].get<std::string>());
            QVERIFY(parsed);
            for (int which = 0; which < 2; ++which) {
                if (entry["values"][static_cast<std::size_t>(which)].is_null()) continue;
                const auto value = parsed->evaluate([&](std::string_view symbol) { return assigned(which, symbol); });
                QVERIFY2(equals(value, entry["values"][static_cast<std::size_t>(which)]), entry["text"].get<std::string>().c_str());
                ++compared;
            }
        }
        QVERIFY(compared > 500);
    }

    void infixMeansTheSameAsCalls() {
        // The printed form of any expression is itself readable, and has the same values.
        for (const auto& entry : golden()) {
            const auto parsed = SymExpr::parse(entry["text"].get<std::string>());
            QVERIFY2(parsed, entry["text"].get<std::string>().c_str());
            for (int which = 0; which < 2; ++which) {
                if (entry["values"][static_cast<std::size_t>(which)].is_null()) continue;
                const auto value = parsed->evaluate([&](std::string_view symbol) { return assigned(which, symbol); });
                QVERIFY2(equals(value, entry["values"][static_cast<std::size_t>(which)]), entry["text"].get<std::string>().c_str());
            }
        }
    }

    void readsInfixOfOlderTorch() {
        QCOMPARE(printed("2*s0 + 1"), "2*s0 + 1");
        QCOMPARE(printed("s0*s1**2"), "s0*s1**2");
        QCOMPARE(printed("((2*s0 + 1)//2)"), "((2*s0 + 1)//2)");
        QCOMPARE(printed("1 + s0 - 2*s1"), "s0 - 2*s1 + 1");
        QCOMPARE(printed("3 - 2*s0"), "3 - 2*s0");
        QCOMPARE(printed("s0/2"), "s0/2");
        QCOMPARE(printed("-s0**2"), "-s0**2");
        QCOMPARE(printed("2**-s0"), "2**(-s0)");
        QCOMPARE(printed("u1 <= 9223372036854775806"), "u1 <= 9223372036854775806");
        QCOMPARE(printed("(u0 >= 2) & (u0 <= 8)"), "(u0 >= 2) & (u0 <= 8)");
        QCOMPARE(printed("Max(1, s0 + u1)"), "Max(1, s0 + u1)");
    }

    void printsTheNumbersOfTheReference() {  // format.md 2.8
        QCOMPARE(printed("Float('1.5', precision=53)*x"), "1.5*x");
        QCOMPARE(printed("Float('1e-05', precision=53)*x"), "1.0e-5*x");
        QCOMPARE(printed("Float('1e20', precision=53)*x"), "1.0e+20*x");
        QCOMPARE(printed("Rational(1, 2)"), "1/2");
        QCOMPARE(printed("Mul(Integer(-1), Integer(2), Symbol('s0'))"), "-2*s0");
        QCOMPARE(printed("Piecewise(ExprCondPair(Symbol('a'), GreaterThan(Symbol('b'), Integer(0))), ExprCondPair(Integer(1), true))"),
                 "Piecewise((a, b >= 0), (1, True))");
    }

    void findsSymbolsAndSubexpressions() {
        const auto parsed = SymExpr::parse("Add(Mul(Integer(2), Symbol('s6', positive=True, integer=True)), Symbol('u0', integer=True), Integer(1))");
        QVERIFY(parsed);
        QCOMPARE(parsed->symbols(), (std::vector<std::string>{"s6", "u0"}));
        const auto parts = parsed->printedSubexpressions();
        for (const char* part : {"2*s6 + u0 + 1", "2*s6", "s6", "u0"}) QVERIFY2(std::find(parts.begin(), parts.end(), part) != parts.end(), part);
        const auto relation = SymExpr::parse("u0 >= 2");
        QVERIFY(relation);
        QCOMPARE(relation->printedSubexpressions(), (std::vector<std::string>{"u0 >= 2"}));
        QCOMPARE(SymExpr::parse("Symbol('s77', positive=True)")->asSymbol(), std::optional<std::string>("s77"));
        QCOMPARE(SymExpr::parse("Integer(-3)")->asInteger(), std::optional<std::int64_t>(-3));
    }

    void solvesLinearForms() {
        QCOMPARE(SymExpr::parse("2*s0 + 1")->solveFor("s0", 9), std::optional<std::int64_t>(4));
        QCOMPARE(SymExpr::parse("2*s0 + 1")->solveFor("s0", 8), std::nullopt);
        QCOMPARE(SymExpr::parse("s0 - s0 + 3*(s0 + 2)")->solveFor("s0", 12), std::optional<std::int64_t>(2));
        QCOMPARE(SymExpr::parse("s0 + s1")->solveFor("s0", 12), std::nullopt);
        QCOMPARE(SymExpr::parse("s0**2")->solveFor("s0", 4), std::nullopt);
        QCOMPARE(SymExpr::integer(4).solveFor("s0", 4), std::nullopt);
    }

    void claimsNothingItCannotKnow() {
        const auto value = [](const char* text) {
            const auto parsed = SymExpr::parse(text);
            return parsed ? parsed->evaluate([](std::string_view) { return std::optional<SymExpr::Value>(); }) : std::nullopt;
        };
        QVERIFY(!value("s0 + 1"));
        QVERIFY(!value("9**9**9**9"));
        QVERIFY(!value("1//0"));
        QVERIFY(!value("9223372036854775807 + 1"));
        QVERIFY(!value("170141183460469231731687303715884105727*2"));
        QVERIFY(!value("1 << 1000"));
        QVERIFY(value("And(false, GreaterThan(Symbol('u0'), Integer(0)))"));
        QVERIFY(value("Where(true, Integer(3), FloorDiv(Integer(1), Integer(0)))"));
        QCOMPARE(std::get<std::int64_t>(*value("-7//2")), -4);
        QCOMPARE(std::get<std::int64_t>(*value("-7 % 3")), 2);
    }

    void refusesWhatIsNoExpression_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"",
                                 "   ",
                                 "s77 +* 2",
                                 "Max(s77, (2",
                                 "Wibble(s77, 3)",
                                 "__import__('os').system('x')",
                                 "s0 s1",
                                 "(1, 2, 3)",
                                 "f(",
                                 ")",
                                 "s0)",
                                 "Symbol(s0)",
                                 "Symbol()",
                                 "Integer('x')",
                                 "Float('one')",
                                 "Pow(2)",
                                 "Add()",
                                 "1..2",
                                 "'text'",
                                 "s0 =",
                                 "Not(1, 2)",
                                 "Rational(1, 0)",
                                 "s0[0]",
                                 "lambda: 1",
                                 "\"",
                                 "0x10",
                                 "Symbol('a\\n')"}) {
            QTest::newRow(text) << QByteArray(text);
        }
        QTest::newRow("deep brackets") << QByteArray(20'000, '(') + "s0" + QByteArray(20'000, ')');
        QTest::newRow("deep signs") << QByteArray(100'000, '-') + "s0";
        QTest::newRow("deep calls") << QByteArray("Identity(").repeated(20'000) + "s0" + QByteArray(20'000, ')');
        QTest::newRow("long") << QByteArray("s0+").repeated(200'000) + "s0";
    }
    void refusesWhatIsNoExpression() {
        QFETCH(QByteArray, text);
        const auto parsed = SymExpr::parse(text.toStdString());
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().kind, pt2::ErrorKind::Unreadable);
        QVERIFY(!parsed.error().why.empty());
        QVERIFY(parsed.error().what.size() < 300);
    }

    void survivesDeepAndWideExpressions() {
        const QByteArray deep = QByteArray("Max(1, 2*s0 + ").repeated(3000) + "s0" + QByteArray(3000, ')');
        const auto parsed = SymExpr::parse(deep.toStdString());
        QVERIFY(parsed);
        QVERIFY(parsed->print().size() > 10'000);
        QByteArray wide = "s0";
        for (int i = 0; i < 5000; ++i) wide += "*x" + QByteArray::number(i % 977);
        QVERIFY(SymExpr::parse(wide.toStdString()));
    }
};

QTEST_GUILESS_MAIN(TestExpression)
#include "tst_expression.moc"

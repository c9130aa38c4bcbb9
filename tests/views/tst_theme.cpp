#include <QtTest>
#include <cmath>
#include <vector>

#include "views/theme/fonts.h"
#include "views/theme/theme.h"

using namespace pt2;
using namespace pt2::views;

namespace {

struct Pair {
    Role text, ground;
    double least;
};

/// OKLab of an sRGB colour, for distances between families.
std::array<double, 3> oklab(const QColor& c) {
    const auto linear = [](double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); };
    const double r = linear(c.redF()), g = linear(c.greenF()), b = linear(c.blueF());
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(const QColor& a, const QColor& b) {
    const auto x = oklab(a), y = oklab(b);
    return std::sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

}  // namespace

class TestTheme : public QObject {
    Q_OBJECT
private slots:
    void everyRoleHasAColourInBothThemes() {
        for (const ThemeTable* table : {&lightTable(), &darkTable()}) {
            for (int i = 0; i < kRoleCount; ++i) {
                QVERIFY2(table->roles[static_cast<std::size_t>(i)].isValid(), roleName(static_cast<Role>(i)));
                QCOMPARE(table->roles[static_cast<std::size_t>(i)].alpha(), 255);
            }
        }
    }

    void theRatioIsThatOfWcag() {
        QVERIFY(std::abs(contrastRatio(Qt::black, Qt::white) - 21) < 0.001);
        QVERIFY(std::abs(contrastRatio(Qt::white, Qt::white) - 1) < 0.001);
        QVERIFY(std::abs(contrastRatio(lightTable().role(Role::Text), lightTable().role(Role::Window)) - 15.3) < 0.06);
        QVERIFY(std::abs(contrastRatio(darkTable().role(Role::Text), darkTable().role(Role::Window)) - 13.3) < 0.06);
    }

    void textReadsOnEveryGroundItStandsOn() {
        std::vector<Pair> pairs;
        for (Role ground : {Role::Window, Role::Base, Role::Alt, Role::Raised, Role::Card, Role::Canvas, Role::Group1, Role::Group2, Role::Group3,
                            Role::GroupRow, Role::TabBar}) {
            pairs.push_back({Role::Text, ground, 4.5});
            pairs.push_back({Role::Muted, ground, 4.5});
        }
        for (Role ground : {Role::OkGround, Role::InfoGround, Role::WarningGround, Role::ErrorGround, Role::AddedGround, Role::RemovedGround,
                            Role::ChangedGround}) {
            pairs.push_back({Role::Text, ground, 4.5});
        }
        pairs.insert(pairs.end(), {{Role::SelectionText, Role::Selection, 4.5},
                                   {Role::Muted, Role::Selection, 4.5},
                                   {Role::OnAccent, Role::Accent, 4.5},
                                   {Role::OnAccent, Role::AccentHover, 4.5},
                                   {Role::OnAccent, Role::AccentPressed, 4.5},
                                   {Role::Link, Role::Base, 4.5},
                                   {Role::Link, Role::Window, 4.5},
                                   {Role::Link, Role::Card, 4.5},
                                   {Role::Ok, Role::OkGround, 4.5},
                                   {Role::Info, Role::InfoGround, 4.5},
                                   {Role::Warning, Role::WarningGround, 4.5},
                                   {Role::Error, Role::ErrorGround, 4.5},
                                   {Role::Added, Role::AddedGround, 4.5},
                                   {Role::Removed, Role::RemovedGround, 4.5},
                                   {Role::Changed, Role::ChangedGround, 4.5},
                                   {Role::Ok, Role::Card, 4.5},
                                   {Role::Warning, Role::Card, 4.5},
                                   {Role::Error, Role::Card, 4.5},
                                   {Role::Info, Role::Card, 4.5},
                                   {Role::TooltipText, Role::Tooltip, 4.5}});
        for (Role code : {Role::CodeKeyword, Role::CodeType, Role::CodeString, Role::CodeNumber, Role::CodeFunction, Role::CodeComment}) {
            pairs.push_back({code, Role::Base, 4.5});
            pairs.push_back({code, Role::CurrentLine, 4.5});
        }
        for (const Pair& pair : pairs) {
            for (const ThemeTable* table : {&lightTable(), &darkTable()}) {
                const double ratio = contrastRatio(table->role(pair.text), table->role(pair.ground));
                QVERIFY2(ratio >= pair.least, qPrintable(QStringLiteral("%1 on %2, %3: %4")
                                                             .arg(QLatin1String(roleName(pair.text)), QLatin1String(roleName(pair.ground)),
                                                                  table == &darkTable() ? QStringLiteral("dark") : QStringLiteral("light"))
                                                             .arg(ratio)));
            }
        }
    }

    void outlinesAndFocusAreSeen() {
        for (const ThemeTable* table : {&lightTable(), &darkTable()}) {
            for (Role ground : {Role::Window, Role::Base}) {
                QVERIFY(contrastRatio(table->role(Role::Strong), table->role(ground)) >= 3);
                QVERIFY(contrastRatio(table->role(Role::Focus), table->role(ground)) >= 3);
                QVERIFY(contrastRatio(table->role(Role::Accent), table->role(ground)) >= 3);
            }
            QVERIFY(contrastRatio(table->role(Role::Edge), table->role(Role::Canvas)) >= 3);
        }
    }

    void familiesAreSeenOnTheirGrounds() {
        for (const QColor& family : lightTable().families) {
            QVERIFY(contrastRatio(family, Qt::white) >= 3);
            QVERIFY(contrastRatio(family, lightTable().role(Role::Canvas)) >= 3);
            QVERIFY(contrastRatio(family, lightTable().role(Role::Group1)) >= 3);
        }
        for (const QColor& family : darkTable().families) {
            for (Role ground : {Role::Base, Role::Canvas, Role::Raised}) QVERIFY(contrastRatio(family, darkTable().role(ground)) >= 3);
        }
    }

    void familiesDifferFromOneAnother() {
        const std::pair<const ThemeTable*, double> themes[] = {{&lightTable(), 0.118}, {&darkTable(), 0.130}};
        for (const auto& [table, least] : themes) {
            for (std::size_t i = 0; i < table->families.size(); ++i) {
                for (std::size_t k = i + 1; k < table->families.size(); ++k) {
                    QVERIFY2(distance(table->families[i], table->families[k]) >= least - 0.001,
                             qPrintable(QStringLiteral("families %1 and %2").arg(i).arg(k)));
                }
            }
        }
    }

    void seriesAndRampsRead() {
        for (const QColor& series : lightTable().series) QVERIFY(contrastRatio(series, Qt::white) >= 4.5);
        for (const QColor& series : darkTable().series) QVERIFY(contrastRatio(series, darkTable().role(Role::Base)) >= 4.5);
        for (ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            Theme::instance().apply(choice);
            for (double t = 0; t <= 1; t += 0.25) {
                QVERIFY(contrastRatio(rampColor(t), textOn(rampColor(t))) >= 4.5);
                QVERIFY(contrastRatio(divergingColor(2 * t - 1), textOn(divergingColor(2 * t - 1))) >= 4.5);
            }
        }
    }

    void applyingAThemeFillsThePalette() {
        Theme::instance().apply(ThemeChoice::Dark);
        QCOMPARE(QApplication::palette().color(QPalette::Base), darkTable().role(Role::Base));
        QVERIFY(Theme::instance().isDark());
        Theme::instance().apply(ThemeChoice::Light);
        QCOMPARE(QApplication::palette().color(QPalette::Text), lightTable().role(Role::Text));
        QCOMPARE(color(Role::Link), lightTable().role(Role::Link));
    }

    void sizesOfTextAreSix() {
        const double body = uiFont().pointSizeF();
        QVERIFY(std::abs(uiFont(TextSize::Caption).pointSizeF() / body - 0.85) < 0.01);
        QVERIFY(std::abs(uiFont(TextSize::Section).pointSizeF() / body - 1.15) < 0.01);
        QVERIFY(std::abs(uiFont(TextSize::Title).pointSizeF() / body - 1.4) < 0.01);
        QVERIFY(std::abs(uiFont(TextSize::Big).pointSizeF() / body - 2.0) < 0.01);
        QCOMPARE(uiFont(TextSize::Strong).weight(), QFont::DemiBold);
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"

#include <QFile>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QtTest>

#include "views/frame/page.h"

#include <cmath>
#include "views/pages.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"

using namespace pt2::views;

class TestIcons : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { Theme::instance().apply(ThemeChoice::Light); }

    void thereAreEnough() { QVERIFY(iconNames().size() >= 40); }

    void everyFileUsesThePlaceholderOnly() {
        static const QRegularExpression colours(QStringLiteral("(?:stroke|fill|color)=\"([^\"]+)\""));
        for (const QString& name : iconNames()) {
            QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(file.readAll());
            QVERIFY2(text.contains(QLatin1String("SPDX-License-Identifier")), qPrintable(name));
            auto matches = colours.globalMatch(text);
            while (matches.hasNext()) {
                const QString value = matches.next().captured(1);
                QVERIFY2(value == QLatin1String("none") || value == QLatin1String("#000000"), qPrintable(name + u' ' + value));
            }
            QVERIFY(!text.contains(QLatin1String("<text")));
            QVERIFY(!text.contains(QLatin1String("Gradient")));
        }
    }

    void everyIconDrawsInTheThemesColour() {
        for (ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            Theme::instance().apply(choice);
            for (const QString& name : iconNames()) {
                for (int size : {16, 32}) {
                    const QImage image = icon(name, Role::Link).pixmap(QSize(size, size)).toImage().convertToFormat(QImage::Format_ARGB32);
                    QVERIFY2(!image.isNull(), qPrintable(name));
                    int drawn = 0;
                    for (int y = 0; y < image.height(); ++y) {
                        for (int x = 0; x < image.width(); ++x) {
                            const QColor pixel = image.pixelColor(x, y);
                            if (pixel.alpha() < 250) continue;
                            ++drawn;
                            const QColor wanted = color(Role::Link);
                            QVERIFY2(std::abs(pixel.red() - wanted.red()) < 4 && std::abs(pixel.green() - wanted.green()) < 4 &&
                                         std::abs(pixel.blue() - wanted.blue()) < 4,
                                     qPrintable(name));
                        }
                    }
                    QVERIFY2(drawn >= 1 || size == 16, qPrintable(name + QString::number(size)));
                }
            }
        }
    }

    void statesDifferInOutline() {
        QStringList seen;
        for (State state : {State::Ok, State::Info, State::Warning, State::Error, State::Unknown}) {
            QVERIFY(iconNames().contains(stateIcon(state)));
            QVERIFY(!seen.contains(stateIcon(state)));
            seen << stateIcon(state);
        }
    }

    void everyPageHasAnIconAKeyAndADigitOfItsOwn() {
        PageRegistry registry;
        registerPages(registry);
        const QStringList keys{"overview", "graph", "signature", "weights", "kernels", "files", "run", "compare", "recompile", "problems"};
        QStringList found;
        QSet<int> digits;
        for (const PageInfo& page : registry.pages()) {
            found << page.key;
            QVERIFY2(iconNames().contains(page.icon), qPrintable(page.icon));
            QVERIFY(!digits.contains(page.digit));
            digits.insert(page.digit);
            QVERIFY(page.make);
        }
        QCOMPARE(found, keys);
    }
};

QTEST_MAIN(TestIcons)
#include "tst_icons.moc"

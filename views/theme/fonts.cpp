#include "views/theme/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <algorithm>

namespace pt2::views {

namespace {

double scale = 1.0;
double basePoints = 10.0;
QString codeFamily;
constexpr double kCodeShrink = 12.0 / 13.0;  // fixed fonts look larger than the interface font at the same size

bool desktopIsRunning() {
    return QGuiApplication::platformName() != QLatin1String("offscreen") && QGuiApplication::platformName() != QLatin1String("minimal") &&
           !qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP");
}

double factor(TextSize size) {
    switch (size) {
        case TextSize::Caption: return 0.85;
        case TextSize::Body:
        case TextSize::Strong: return 1.0;
        case TextSize::Section: return 1.15;
        case TextSize::Title: return 1.4;
        case TextSize::Big: return 2.0;
    }
    return 1.0;
}

QFont::Weight weight(TextSize size) {
    switch (size) {
        case TextSize::Caption:
        case TextSize::Body: return QFont::Normal;
        case TextSize::Strong:
        case TextSize::Section:
        case TextSize::Title: return QFont::DemiBold;
        case TextSize::Big: return QFont::Light;
    }
    return QFont::Normal;
}

}  // namespace

void installApplicationFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    const QStringList families = QFontDatabase::families();
    if (!desktopIsRunning() && families.contains(QStringLiteral("Inter"))) {
        font = QFont(QStringLiteral("Inter"));
        font.setPointSizeF(9.75);
    }
    basePoints = font.pointSizeF() > 0 ? font.pointSizeF() : 10.0;
    codeFamily = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    for (const char* preferred : {"JetBrains Mono", "Hack", "DejaVu Sans Mono"}) {
        if (families.contains(QLatin1String(preferred))) {
            codeFamily = QLatin1String(preferred);
            break;
        }
    }
    QApplication::setFont(font);
}

QFont uiFont(TextSize size) {
    QFont font = QApplication::font();
    font.setPointSizeF(basePoints * scale * factor(size));
    font.setWeight(weight(size));
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("calt", 0);  // Inter would draw the x of "win32 x86_64" as a multiplication sign
#endif
    return font;
}

QFont codeFont(TextSize size) {
    QFont font(codeFamily.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::FixedFont).family() : codeFamily);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPointSizeF(basePoints * scale * factor(size) * kCodeShrink);
    font.setWeight(weight(size));
    font.setStyleStrategy(QFont::PreferAntialias);
    return font;
}

void setFontScale(double value) {
    scale = std::clamp(value, 0.8, 2.0);
    QFont font = QApplication::font();
    font.setPointSizeF(basePoints * scale);
    QApplication::setFont(font);
}

double fontScale() { return scale; }

}  // namespace pt2::views

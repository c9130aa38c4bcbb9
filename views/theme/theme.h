#pragma once

#include <QColor>
#include <QObject>
#include <QPalette>

#include "views/theme/roles.h"

namespace pt2::views {

enum class ThemeChoice { System, Light, Dark };

/// The colours in force. One object for the application; a change fills the application's palette, so every widget gets a PaletteChange event
/// and paints anew with `color(Role)`.
class Theme : public QObject {
    Q_OBJECT
public:
    static Theme& instance();
    /// Installs style, fonts and palette; called once after QApplication is made, and again for another choice.
    void apply(ThemeChoice choice);
    ThemeChoice choice() const { return choice_; }
    bool isDark() const { return dark_; }
    const ThemeTable& table() const { return table_; }
    /// Changes with every switch; a part of cache keys.
    int generation() const { return generation_; }

signals:
    void changed();

private:
    Theme() = default;
    QPalette palette() const;
    ThemeChoice choice_ = ThemeChoice::System;
    bool dark_ = false, installed_ = false;
    int generation_ = 0;
    ThemeTable table_ = lightTable();
};

inline QColor color(Role role) { return Theme::instance().table().role(role); }
inline QColor familyColor(OperatorFamily family) { return Theme::instance().table().families[static_cast<std::size_t>(family)]; }
inline QColor seriesColor(int index) { return Theme::instance().table().series[static_cast<std::size_t>(index) % kSeriesCount]; }
/// Colour of a number in [0, 1] on the ramp; `t` in [-1, 1] on the diverging one.
QColor rampColor(double t);
QColor divergingColor(double t);
/// Text that reads on `ground`: the theme's dark or light text by computed contrast.
QColor textOn(const QColor& ground);
/// The palette role a state's word has: colour and ground.
enum class State { Neutral, Ok, Info, Warning, Error, Unknown };
Role stateRole(State state);
Role stateGround(State state);
/// Icon of a state, told apart by outline: "ok", "info", "warning", "error", "unknown".
QString stateIcon(State state);

}  // namespace pt2::views

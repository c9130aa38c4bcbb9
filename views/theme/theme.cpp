#include "views/theme/theme.h"

#include <QApplication>
#include <QStyleFactory>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/theme/fonts.h"
#include "views/theme/look_style.h"

namespace pt2::views {

namespace {

QColor mix(const QColor& a, const QColor& b, double t) {
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * t), static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * t),
                            static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * t));
}

QColor along(const std::array<QColor, kRampCount>& stops, double t) {
    const double place = std::clamp(t, 0.0, 1.0) * (kRampCount - 1);
    const int low = std::min(static_cast<int>(place), kRampCount - 2);
    return mix(stops[static_cast<std::size_t>(low)], stops[static_cast<std::size_t>(low) + 1], place - low);
}

/// A desktop palette made for high contrast: pure black or white with a ratio above 15.
bool isHighContrast(const QPalette& palette) {
    const QColor ground = palette.color(QPalette::Window), text = palette.color(QPalette::WindowText);
    const bool pure = ground.rgb() == 0xFF000000 || (ground.rgb() == 0xFFFFFFFF && text.rgb() == 0xFF000000);
    return pure && contrastRatio(ground, text) > 15;
}

/// Roles of a high-contrast desktop palette, where it has them; grounds collapse onto its window.
ThemeTable derivedTable(const QPalette& desktop, bool dark) {
    ThemeTable table = dark ? darkTable() : lightTable();
    const auto set = [&table](Role role, const QColor& value) { table.roles[static_cast<std::size_t>(role)] = value; };
    const QColor ground = desktop.color(QPalette::Window), text = desktop.color(QPalette::WindowText);
    for (Role role : {Role::Window, Role::Base, Role::Alt, Role::Raised, Role::Canvas, Role::Group1, Role::Group2, Role::Group3, Role::OkGround,
                      Role::InfoGround, Role::WarningGround, Role::ErrorGround, Role::TabBar, Role::GroupRow, Role::Card}) {
        set(role, ground);
    }
    for (Role role : {Role::Text, Role::Muted, Role::Border, Role::Strong, Role::Edge}) set(role, text);
    set(Role::Selection, desktop.color(QPalette::Highlight));
    set(Role::SelectionText, desktop.color(QPalette::HighlightedText));
    set(Role::Link, desktop.color(QPalette::Link));
    return table;
}

}  // namespace

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

void Theme::apply(ThemeChoice choice) {
    static const QPalette desktop = QApplication::palette();  // before the first palette of ours
    choice_ = choice;
    const bool desktopDark = desktop.color(QPalette::Window).lightness() < desktop.color(QPalette::WindowText).lightness();
    dark_ = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && desktopDark);
    table_ = choice == ThemeChoice::System && isHighContrast(desktop) ? derivedTable(desktop, dark_) : dark_ ? darkTable() : lightTable();
    ++generation_;
    if (!installed_) {
        installed_ = true;
        installApplicationFont();
        QApplication::setStyle(new LookStyle);
    }
    QApplication::setPalette(palette());
    QToolTip::setPalette(QApplication::palette());
    emit changed();
}

QPalette Theme::palette() const {
    QPalette p;
    const auto set = [&p, this](QPalette::ColorRole to, Role from) { p.setColor(to, table_.role(from)); };
    set(QPalette::Window, Role::Window);
    set(QPalette::WindowText, Role::Text);
    set(QPalette::Base, Role::Base);
    set(QPalette::AlternateBase, Role::Alt);
    set(QPalette::Text, Role::Text);
    set(QPalette::Button, Role::Raised);
    set(QPalette::ButtonText, Role::Text);
    set(QPalette::BrightText, Role::Error);
    set(QPalette::Highlight, Role::Selection);
    set(QPalette::HighlightedText, Role::SelectionText);
    set(QPalette::Link, Role::Link);
    set(QPalette::LinkVisited, Role::Link);
    set(QPalette::PlaceholderText, Role::Muted);
    set(QPalette::ToolTipBase, Role::Tooltip);
    set(QPalette::ToolTipText, Role::TooltipText);
    set(QPalette::Light, Role::Raised);
    set(QPalette::Midlight, Role::Border);
    set(QPalette::Mid, Role::Border);
    set(QPalette::Dark, Role::Strong);
    set(QPalette::Shadow, Role::Strong);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, table_.role(Role::Disabled));
    }
    return p;
}

QColor rampColor(double t) { return along(Theme::instance().table().ramp, t); }
QColor divergingColor(double t) { return along(Theme::instance().table().diverging, (t + 1) / 2); }

QColor textOn(const QColor& ground) {
    const QColor dark = lightTable().role(Role::Text), light(Qt::white);
    return contrastRatio(ground, dark) >= contrastRatio(ground, light) ? dark : light;
}

Role stateRole(State state) {
    switch (state) {
        case State::Ok: return Role::Ok;
        case State::Info: return Role::Info;
        case State::Warning: return Role::Warning;
        case State::Error: return Role::Error;
        case State::Neutral:
        case State::Unknown: break;
    }
    return Role::Muted;
}

Role stateGround(State state) {
    switch (state) {
        case State::Ok: return Role::OkGround;
        case State::Info: return Role::InfoGround;
        case State::Warning: return Role::WarningGround;
        case State::Error: return Role::ErrorGround;
        case State::Neutral:
        case State::Unknown: break;
    }
    return Role::Alt;
}

QString stateIcon(State state) {
    switch (state) {
        case State::Ok: return QStringLiteral("ok");
        case State::Info: return QStringLiteral("info");
        case State::Warning: return QStringLiteral("warning");
        case State::Error: return QStringLiteral("error");
        case State::Neutral:
        case State::Unknown: break;
    }
    return QStringLiteral("unknown");
}

}  // namespace pt2::views

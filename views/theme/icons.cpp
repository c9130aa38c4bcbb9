#include "views/theme/icons.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <cmath>
#include <memory>

#include "views/theme/theme.h"

// A macro of Qt that must stand outside of namespaces: the icons are in a static library and would not be linked without it.
static void registerIconFiles() { Q_INIT_RESOURCE(icons); }

namespace pt2::views {

namespace {

void needIconFiles() {
    static const bool once = [] {
        registerIconFiles();
        return true;
    }();
    Q_UNUSED(once)
}

constexpr int kLargeIcon = 32;  // logical pixels from which lines are drawn thinner: an empty state's picture is a line drawing

/// The file's drawing, with thin lines for the large sizes.
QSvgRenderer& renderer(const QString& name, bool thin) {
    static QHash<QString, std::shared_ptr<QSvgRenderer>> cache;
    needIconFiles();
    auto& entry = cache[thin ? name + QStringLiteral("/thin") : name];
    if (!entry) {
        QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
        QByteArray drawing = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        if (thin) drawing.replace("stroke-width=\"1.5\"", "stroke-width=\"0.8\"");
        entry = std::make_shared<QSvgRenderer>(drawing);
    }
    return *entry;
}

QPixmap render(const QString& name, const QSize& pixels, const QColor& colour, bool thin) {
    const QString key =
        QStringLiteral("pt2icon/%1/%5/%2x%3/%4").arg(name).arg(pixels.width()).arg(pixels.height()).arg(colour.rgba(), 0, 16).arg(thin ? 1 : 0);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    QImage image(pixels, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer(name, thin).render(&painter, QRectF(QPointF(0, 0), QSizeF(pixels)));
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(image.rect(), colour);
    painter.end();
    pixmap = QPixmap::fromImage(image);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class SvgIconEngine final : public QIconEngine {
public:
    SvgIconEngine(QString name, Role role) : name_(std::move(name)), role_(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        paintIcon(*painter, QRectF(rect), name_, mode == QIcon::Disabled ? color(Role::Disabled) : color(role_));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        return render(name_, size, mode == QIcon::Disabled ? color(Role::Disabled) : color(role_), false);
    }
    QIconEngine* clone() const override { return new SvgIconEngine(name_, role_); }
    QString key() const override { return QStringLiteral("pt2"); }

private:
    QString name_;
    Role role_;
};

}  // namespace

QIcon icon(const QString& name, Role role) { return QIcon(new SvgIconEngine(name, role)); }

void paintIcon(QPainter& painter, const QRectF& rect, const QString& name, Role role) { paintIcon(painter, rect, name, color(role)); }

void paintIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour) {
    const double ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1.0;
    const QSize pixels(static_cast<int>(std::lround(rect.width() * ratio)), static_cast<int>(std::lround(rect.height() * ratio)));
    if (pixels.isEmpty()) return;
    QPixmap pixmap = render(name, pixels, colour, rect.width() >= kLargeIcon);
    pixmap.setDevicePixelRatio(ratio);
    painter.drawPixmap(rect.topLeft(), pixmap);
}

QStringList iconNames() {
    needIconFiles();
    QStringList names;
    for (const QString& file : QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")}, QDir::Files, QDir::Name)) {
        names << file.chopped(4);
    }
    return names;
}

}  // namespace pt2::views

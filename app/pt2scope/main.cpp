#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QSettings>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "app/pt2scope/screenshot.h"
#include "core/run/resources.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/frame/main_window.h"
#include "views/frame/recent_files.h"
#include "views/pages.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace {

constexpr int kUsage = 2;
const char* const kPages[] = {"overview", "graph", "signature", "weights", "kernels", "files", "run", "compare", "recompile", "problems"};

int usage(const QString& what, const QString& help) {
    std::fprintf(stderr, "%s\n%s\n", qPrintable(what), qPrintable(help));
    return kUsage;
}

std::optional<QSize> parseSize(const QString& text) {
    const QStringList parts = text.split(u'x');
    if (parts.size() != 2) return std::nullopt;
    bool okWidth = false, okHeight = false;
    const int width = parts[0].toInt(&okWidth), height = parts[1].toInt(&okHeight);
    if (!okWidth || !okHeight || width < 200 || height < 200 || width > 16384 || height > 16384) return std::nullopt;
    return QSize(width, height);
}

bool asksFor(int argc, char** argv, const char* option) {
    const std::size_t length = std::strlen(option);
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], option, length) == 0 && (argv[i][length] == 0 || argv[i][length] == '=')) return true;
    }
    return false;
}

/// The bundled sample beside an installed program, or in the source tree it was built from.
QString samplePath() {
    if (const auto sample = pt2::findResource("sample/sample.pt2")) return pt2::views::pathText(*sample);
    return {};
}

/// On the command line, what Qt says to developers of a window (size hints, runtime folders) is no answer to what was asked.
void tellErrorsOnly(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtCriticalMsg || type == QtFatalMsg) std::fprintf(stderr, "%s\n", qPrintable(text));
}

}  // namespace

int main(int argc, char** argv) {
    using namespace pt2::views;
    const bool picture = asksFor(argc, argv, "--screenshot");
    const bool wordsOnly =
        asksFor(argc, argv, "--help") || asksFor(argc, argv, "--version") || asksFor(argc, argv, "-h") || asksFor(argc, argv, "-v");
    const bool noDisplay = qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
#if defined(Q_OS_LINUX)
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && (picture || wordsOnly)) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && noDisplay) {
        std::fprintf(stderr,
                     "There is no display to open a window on.\nNeither DISPLAY nor WAYLAND_DISPLAY is set.\n"
                     "\"pt2 inspect FILE\" does the same on the command line; \"pt2scope FILE --screenshot OUT.png\" renders a page.\n");
        return 6;
    }
#else
    Q_UNUSED(noDisplay)
    Q_UNUSED(wordsOnly)
#endif
    if (picture || wordsOnly) qInstallMessageHandler(tellErrorsOnly);
    QApplication app(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("pt2scope"));
    QApplication::setApplicationName(QStringLiteral("pt2scope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("pt2scope"));
    QApplication::setApplicationVersion(QStringLiteral(PT2SCOPE_VERSION));

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("A desktop inspector for PyTorch .pt2 archives."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 QStringLiteral("A .pt2 archive, an unpacked folder, a compiled .so, or - for standard input."),
                                 QStringLiteral("[FILE]"));
    const QCommandLineOption with(QStringLiteral("with"), QStringLiteral("A second file of the same document: program here, compiled model there."),
                                  QStringLiteral("FILE"));
    const QCommandLineOption page(
        QStringLiteral("page"),
        QStringLiteral("Page to show: overview, graph, signature, weights, kernels, files, run, compare, recompile or problems."),
        QStringLiteral("PAGE"));
    const QCommandLineOption select(QStringLiteral("select"), QStringLiteral("What to select, for example program/model/node/relu."),
                                    QStringLiteral("ADDRESS"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or system."), QStringLiteral("THEME"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Size of the window, for example 1440x900."), QStringLiteral("WxH"));
    const QCommandLineOption screenshot(QStringLiteral("screenshot"),
                                        QStringLiteral("Render the settled page into this picture and exit; needs no display."),
                                        QStringLiteral("OUT.png"));
    const QCommandLineOption force(QStringLiteral("force"), QStringLiteral("Replace a picture that exists."));
    parser.addOptions({with, page, select, theme, size, screenshot, force});
    QStringList arguments;  // QApplication::arguments() would lose what is no UTF-8
    for (int i = 0; i < argc; ++i) arguments << pathText(argv[i]);
    if (!parser.parse(arguments)) return usage(parser.errorText(), QStringLiteral("\"pt2scope --help\" lists the options."));
    if (parser.isSet(QStringLiteral("help"))) {
        std::printf("%s", qPrintable(parser.helpText()));
        return 0;
    }
    if (parser.isSet(QStringLiteral("version"))) {
        std::printf("pt2scope %s\n", PT2SCOPE_VERSION);
        return 0;
    }
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1 && picture)
        return usage(QStringLiteral("--screenshot takes one file."), QStringLiteral("A second file of the same document is given with --with."));
    if (parser.isSet(force) && !picture)
        return usage(QStringLiteral("--force belongs to --screenshot."), QStringLiteral("\"pt2scope --help\" lists the options."));
    const QString pictureFile = parser.value(screenshot);
    if (picture && pictureFile.isEmpty())
        return usage(QStringLiteral("--screenshot needs a name."), QStringLiteral("\"pt2scope FILE --screenshot OUT.png\""));
    if (picture && !parser.isSet(force) && pathExists(pictureFile))
        return usage(QStringLiteral("\"%1\" exists already.").arg(shownPath(pictureFile)), QStringLiteral("--force replaces it."));
    const QString wantedPage = parser.value(page);
    if (parser.isSet(page)) {
        if (wantedPage == QLatin1String("changes"))
            return usage(QStringLiteral("The page \"changes\" is not there yet."), QStringLiteral("It comes with the editor, in a later version."));
        const bool known =
            std::any_of(std::begin(kPages), std::end(kPages), [&wantedPage](const char* name) { return wantedPage == QLatin1String(name); });
        if (!known) return usage(QStringLiteral("There is no page \"%1\".").arg(wantedPage), QStringLiteral("\"pt2scope --help\" lists the pages."));
        if (files.isEmpty()) return usage(QStringLiteral("--page needs a FILE."), QStringLiteral("\"pt2scope FILE --page %1\"").arg(wantedPage));
    }
    QString themeName = parser.value(theme);
    if (parser.isSet(theme) && themeName != QLatin1String("light") && themeName != QLatin1String("dark") && themeName != QLatin1String("system")) {
        return usage(QStringLiteral("There is no theme \"%1\".").arg(themeName), QStringLiteral("Themes are light, dark and system."));
    }
    std::optional<QSize> wantedSize;
    if (parser.isSet(size)) {
        wantedSize = parseSize(parser.value(size));
        if (!wantedSize)
            return usage(QStringLiteral("\"%1\" is not a size.").arg(parser.value(size)),
                         QStringLiteral("A size is written 1440x900, each side 200 to 16384."));
    }
    std::optional<pt2::Address> selected;
    if (parser.isSet(select)) {
        auto parsed = pt2::Address::parse(parser.value(select).toStdString());
        if (!parsed) return usage(QString::fromStdString(parsed.error().what), QString::fromStdString(parsed.error().help));
        if (files.isEmpty()) return usage(QStringLiteral("--select needs a FILE."), QStringLiteral("\"pt2scope FILE --select ADDRESS\""));
        selected = *parsed;
    }

    setRecentFilesReadOnly(picture);
    ThemeChoice choice =
        picture ? ThemeChoice::Light : static_cast<ThemeChoice>(std::clamp(QSettings().value(QStringLiteral("theme"), 0).toInt(), 0, 2));
    if (themeName == QLatin1String("light")) choice = ThemeChoice::Light;
    if (themeName == QLatin1String("dark")) choice = ThemeChoice::Dark;
    if (themeName == QLatin1String("system")) choice = ThemeChoice::System;
    Theme::instance().apply(choice);
    QApplication::setWindowIcon(icon(QStringLiteral("archive"), Role::Accent));

    PageRegistry registry;
    registerPages(registry);
    MainWindow window(registry);
    window.setSample(samplePath());
    if (wantedSize) {
        window.setMinimumSize(QSize(0, 0));
        window.resize(*wantedSize);
    } else if (picture || !window.restoreGeometry(QSettings().value(QStringLiteral("geometry")).toByteArray())) {
        window.resize(1440, 900);
    }
    window.show();
    for (const QString& path : files) {
        DocumentView* view = window.openFile(path, parser.value(with));
        if (!wantedPage.isEmpty()) view->showPage(wantedPage);
        if (selected) {
            QObject::connect(
                &view->session(), &DocumentSession::stateChanged, view,
                [view, address = *selected, wantedPage] {
                    if (view->session().state() != DocumentSession::State::Ready) return;
                    QMetaObject::invokeMethod(
                        view,
                        [view, address, wantedPage] {
                            if (!wantedPage.isEmpty() && PageRegistry::pageOf(address) != wantedPage) {
                                view->session().select(address);
                                if (Page* shown = view->currentPage()) shown->showAddress(address);
                            } else {
                                view->navigate(address);
                            }
                        },
                        Qt::QueuedConnection);
                },
                Qt::SingleShotConnection);
        }
    }
    if (picture) new Screenshot(window, pictureFile, parser.isSet(force));
    const int code = QApplication::exec();
    EngineService::instance().stop();
    return code;
}

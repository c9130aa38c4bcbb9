#pragma once

#include <QHBoxLayout>
#include <QString>
#include <QVBoxLayout>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

class QGridLayout;
class QTimer;

namespace pt2::views {

/// A button or link of a panel.
struct PanelAction {
    QString text;
    std::function<void()> run;
};

/// Facts that belong together: title row 40 with links at its right end, then the content (look.md 5 "Cards").
class Card : public QWidget {
    Q_OBJECT
public:
    explicit Card(const QString& title, QWidget* parent = nullptr);
    void setSubtitle(const QString& text);  ///< muted, beside the title
    void setRightText(const QString& text);
    /// Before the links of the title row's right end.
    void addToTitle(QWidget* widget);
    /// A hairline below the title row, for cards that hold a table.
    void setTitleLine(bool line);
    /// Content; inset 16 at the sides unless `flush`.
    QVBoxLayout* content() const { return content_; }
    void setFlush(bool flush);
    TextLabel* titleLabel() const { return title_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextLabel *title_, *subtitle_, *right_;
    QHBoxLayout* titleRow_;
    QVBoxLayout* content_;
    bool line_ = false;
};

/// State ground, icon, title in the state's colour, one line of text, actions at the right.
class Banner : public QWidget {
    Q_OBJECT
public:
    explicit Banner(State state, const QString& title, const QString& text = {}, QWidget* parent = nullptr);
    void set(State state, const QString& title, const QString& text);
    /// Small banners stand in cards and forms: icon 16, title strong in text colour.
    void setCompact(bool compact);
    /// Full width without corners, hairline below: the head of a page.
    void setFlat(bool flat);
    void setRightText(const QString& text);
    void addAction(const PanelAction& action, bool asLink = true);
    void clearActions();
    State state() const { return state_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void place();
    State state_;
    QString words_, rightText_;
    class IconLabel* icon_;
    TextLabel *title_, *text_, *right_;
    QHBoxLayout *outer_, *actions_;
    bool compact_ = false, flat_ = false;
};

/// An Error in the place where the result would have been: what and where, why, what to do, details (look.md 9).
class ErrorPanel : public QWidget {
    Q_OBJECT
public:
    explicit ErrorPanel(const Error& error = {}, QWidget* parent = nullptr);
    void setError(const Error& error);
    /// One sentence of effect, when the file opens in spite of it.
    void setEffect(const QString& text);
    void setSeverity(State state);
    void addAction(const PanelAction& action, bool asLink = false);
    void clearActions();
    /// Further lines under "Details".
    void addDetail(const QString& text);
    const Error& error() const { return error_; }
    /// All parts as plain text, for the clipboard.
    QString report() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void rebuild();
    Error error_;
    State state_ = State::Error;
    QString effect_;
    QStringList details_;
    std::vector<std::pair<PanelAction, bool>> actions_;
    QWidget* body_ = nullptr;
    QWidget* head_ = nullptr;
};

/// What would be here, why it is not, what to do (look.md 8): icon 48, title, one or two sentences, at most one button.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& iconName, const QString& title, const QString& text, QWidget* parent = nullptr);
    void setButton(const PanelAction& action);
    void setLink(const PanelAction& action);

private:
    QVBoxLayout* column_;
};

/// Key and value lines: keys muted in a column of equal width, values selectable.
class KeyValueList : public QWidget {
    Q_OBJECT
public:
    explicit KeyValueList(QWidget* parent = nullptr);
    void setKeyWidth(int width) { keyWidth_ = width; }
    void setCodeKeys(bool code) { codeKeys_ = code; }
    /// Symbols in the value are set in italics.
    TextLabel* add(const QString& key, const QString& value, bool code = false, Role role = Role::Text);
    void addWidget(const QString& key, QWidget* value);
    void clear();

private:
    QGridLayout* grid_;
    int keyWidth_ = 108;
    bool codeKeys_ = false;
};

/// Few big numbers with unit and a muted line, in columns with hairlines between (Overview only).
class NumberStrip : public QWidget {
    Q_OBJECT
public:
    struct Item {
        QString value, unit, detail, tooltip;
    };
    explicit NumberStrip(QWidget* parent = nullptr);
    void setItems(std::vector<Item> items);
    const std::vector<Item>& items() const { return items_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    int columns() const;
    std::vector<Item> items_;
};

/// Shares of a whole: one bar in series colours over a list of name, amount and percent.
class ShareBar : public QWidget {
    Q_OBJECT
public:
    struct Part {
        QString name, amount, percent;
        double share = 0;
    };
    explicit ShareBar(QWidget* parent = nullptr);
    void setParts(std::vector<Part> parts);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Part> parts_;
};

/// A 2 px line at a page's top while something runs: a share done, or moving when the amount is unknown.
class ProgressLine : public QWidget {
    Q_OBJECT
public:
    explicit ProgressLine(QWidget* parent = nullptr);
    /// A line over the top edge of a page, as wide as the page; nothing moves when it comes and goes.
    static ProgressLine* over(QWidget* page);
    /// Share in [0, 1]; negative: amount unknown.
    void setShare(double share);
    void setRunning(bool running);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    double share_ = -1;
    int phase_ = 0;
    QTimer* timer_;
};

/// Stages of a long task: done with a tick and time, the running one strong with amount and bar, waiting ones dashed.
class StageList : public QWidget {
    Q_OBJECT
public:
    struct Stage {
        QString name;
        enum class Phase { Waiting, Running, Done, Failed } phase = Phase::Waiting;
        QString amount;     ///< "7.83 ms", "84 of 200", "waiting"
        double share = -1;  ///< of the running stage
    };
    explicit StageList(QWidget* parent = nullptr);
    void setStages(std::vector<Stage> stages);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Stage> stages_;
};

}  // namespace pt2::views

#pragma once

#include <QLabel>
#include <QString>
#include <string>
#include <string_view>

#include "views/theme/fonts.h"
#include "views/theme/roles.h"

class QPainter;

namespace pt2::views {

inline QString toQt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
inline std::string toStd(const QString& text) { return text.toStdString(); }

/// Text in one of the six sizes and one role; follows theme and font changes. Values are selectable on request.
class TextLabel : public QLabel {
    Q_OBJECT
public:
    explicit TextLabel(const QString& text = {}, TextSize size = TextSize::Body, Role role = Role::Text, QWidget* parent = nullptr);
    void setRole(Role role);
    void setCode(bool code);  ///< fixed font
    void setSelectable(bool selectable);
    /// Elides in the middle (paths, names) instead of demanding its whole width; the tooltip then gives all of it.
    void setElided(bool elided);
    bool elided() const { return elided_; }
    void setFullText(const QString& text);
    QString fullText() const { return full_; }
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    void elide();
    QString full_;
    TextSize size_;
    Role role_;
    bool code_ = false, elided_ = false, restyling_ = false;
};

/// A paragraph: wraps, prose line height.
/// A text whose very long words (hashed file names) may be broken where there is no room for them, by invisible marks.
QString breakable(const QString& text);
TextLabel* paragraph(const QString& text, TextSize size = TextSize::Body, Role role = Role::Text, QWidget* parent = nullptr);

/// Text with torch's symbols (s77, u0) as HTML, symbols in italics; the rest escaped.
QString symbolHtml(const QString& text);
/// Draws one line with symbols in italics; elides at the end when it does not fit. Returns the width used.
int drawSymbolText(QPainter& painter, const QRect& rect, const QString& text, const QFont& font, Qt::Alignment alignment);
int symbolTextWidth(const QString& text, const QFont& font);
/// "1 tensor", "2,048 tensors".
QString counted(std::uint64_t count, const QString& one, const QString& many);
/// Escapes control characters and bidirectional marks of a text that a file controls, ready to show.
QString shown(std::string_view fromFile);

}  // namespace pt2::views

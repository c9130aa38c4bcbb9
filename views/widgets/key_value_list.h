#pragma once

#include <QWidget>

#include "views/widgets/text.h"

class QGridLayout;

namespace pt2::views {

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

}  // namespace pt2::views

#pragma once

#include <QAbstractButton>
#include <QString>
#include <QWidget>

class QVBoxLayout;

namespace pt2::views {

/// A title with an arrow that folds what is below it.
class FoldingSection : public QWidget {
    Q_OBJECT
public:
    FoldingSection(const QString& title, int count, QWidget* parent = nullptr);
    QVBoxLayout* content() const { return content_; }
    void setOpen(bool open);
    bool isOpen() const;

signals:
    void toggled(bool open);

private:
    class Title;
    Title* title_;
    QWidget* body_;
    QVBoxLayout* content_;
};

/// A name in code that goes somewhere; elided in the middle when it does not fit.
class CodeLink : public QAbstractButton {
    Q_OBJECT
public:
    explicit CodeLink(const QString& text, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// One line of source with its number, on the ground of a marked line in a bordered box.
class SourceLine : public QWidget {
    Q_OBJECT
public:
    SourceLine(int number, QString code, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int number_;
    QString code_;
};

}  // namespace pt2::views

#pragma once

#include <QWidget>

namespace pt2::views {

/// What stands where a document would be when nothing is open: drop area, Open, recent files.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);
    void refresh();
    /// The bundled sample, offered when it is there.
    void setSample(const QString& path);

signals:
    void openRequested();
    void openFolderRequested();
    void fileRequested(const QString& path);

private:
    class DataTable* recent_;
    class RowModel* model_;
    class TextLabel* caption_;
    class LinkLabel* sample_;
    QString samplePath_;
};

}  // namespace pt2::views

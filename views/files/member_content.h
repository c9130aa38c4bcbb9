#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compiled/target.h"
#include "views/files/member_kind.h"
#include "views/frame/document_session.h"
#include "views/widgets/data_table.h"

class QStackedWidget;

namespace pt2 {
class WeightTable;
}

namespace pt2::views {

class Banner;
class WeightView;

/// A member taken apart: the tensor of a weight, the objects of a pickle, the headers of a library. Read in jobs.
class MemberContent : public QWidget {
    Q_OBJECT
public:
    explicit MemberContent(DocumentSession& session, QWidget* parent = nullptr);
    /// Whether this member can be taken apart here; only then may it be shown.
    bool canShow(const Package& package, MemberIndex member, MemberKind::Content content) const;
    void show(const std::shared_ptr<const Package>& package, MemberIndex member, MemberKind::Content content);
    void clear();
    bool settled() const;

signals:
    void settledChanged();
    void failed(const pt2::Error& error);

private:
    struct Parts {
        std::vector<Column> columns;
        std::vector<Row> rows;
        QString warning, warningText;
    };
    static Result<Parts> readPickleParts(const Package& package, MemberIndex member, const CancelToken& cancel);
    static Result<Parts> readLibraryParts(const Package& package, MemberIndex member, const Target& here);
    void showTensor(const Package& package, MemberIndex member);
    void showRow(const std::shared_ptr<const WeightTable>& table, const std::string& name);
    DocumentSession& session_;
    QStackedWidget* stack_;
    QWidget* tablePage_;
    Banner* banner_;
    DataTable* table_;
    RowModel* model_ = nullptr;
    WeightView* weight_;
    bool reading_ = false;
    std::shared_ptr<const Document> tablesOf_;                          ///< the document that tables_ are of
    std::map<std::string, std::shared_ptr<const WeightTable>> tables_;  ///< by program
};

}  // namespace pt2::views

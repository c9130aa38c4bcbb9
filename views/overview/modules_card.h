#pragma once

#include <vector>

#include "core/package/module_summary.h"
#include "views/frame/document_session.h"
#include "views/widgets/card.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// The program's modules as a tree with parameters, bytes, nodes and operators. Summed up in a job; hidden where there is no program or it has no
/// modules.
class ModulesCard : public Card {
    Q_OBJECT
public:
    explicit ModulesCard(DocumentSession& session, QWidget* parent = nullptr);
    void refresh();
    bool settled() const { return !reading_; }
    const RowModel& model() const { return *model_; }

signals:
    void settledChanged();

private:
    DocumentSession& session_;
    DataTable* table_;
    RowModel* model_;
    bool reading_ = false;
};

std::vector<Row> moduleRows(const ProgramSummary& summary);

}  // namespace pt2::views

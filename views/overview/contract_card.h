#pragma once

#include "views/frame/document_session.h"
#include "views/widgets/card.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// What a caller gives and gets, in one table: inputs, outputs, dynamic sizes, weights; then statements about buffers, guards and order.
class ContractCard : public Card {
    Q_OBJECT
public:
    explicit ContractCard(DocumentSession& session, QWidget* parent = nullptr);
    void refresh();
    const RowModel& model() const { return *model_; }

private:
    DocumentSession& session_;
    DataTable* table_;
    RowModel* model_;
    QWidget* statements_;
    QWidget* error_;
};

/// The rows of the table, for the card and its tests.
std::vector<Row> contractRows(const DocumentSession& session);

}  // namespace pt2::views

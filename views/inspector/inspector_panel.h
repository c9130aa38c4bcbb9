#pragma once

#include <QScrollArea>
#include <QWidget>

#include "views/inspector/inspector_facts.h"

class QVBoxLayout;

namespace pt2::views {

/// The inspector: facts of what is selected, the same on every page (look.md 1). Follows the session's selection; sections fold, and stay as they
/// were left; everything blue goes somewhere.
class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    explicit InspectorPanel(DocumentSession& session, QWidget* parent = nullptr);
    const InspectorFacts& facts() const { return facts_; }

private:
    void show(const Address& address);
    void rebuild();
    QWidget* head();
    QWidget* section(const InspectorSection& section);
    QWidget* row(const InspectorRow& row);

    DocumentSession& session_;
    InspectorFacts facts_;
    Address address_;
    QScrollArea* scroll_;
    QVBoxLayout* column_;
};

}  // namespace pt2::views

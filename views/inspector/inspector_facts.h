#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/package/address.h"
#include "core/program/operator_family.h"
#include "views/frame/document_session.h"

namespace pt2::views {

/// One entry of a section: a key at the left; at its right what it is, as a link if it has an address, and lines below.
struct InspectorRow {
    QString key;
    QString text;          ///< code
    QString address;       ///< not empty: a link
    bool missing = false;  ///< none, unknown: italic, muted
    QString right;         ///< muted, at the right end
    struct Line {
        QString text;
        bool code = false, muted = false;
    };
    std::vector<Line> lines;
    bool keyed = false;  ///< leaves the key's column free though there is no key: further values of a list
};

struct InspectorSection {
    QString title;
    int count = -1;  ///< behind the title; -1 none
    std::vector<InspectorRow> rows;
    bool openAtFirst = true;
    /// Source code: the line and its number, shown as a box before the rows.
    QString code;
    int codeLine = 0;
};

/// What the inspector says of one thing.
struct InspectorFacts {
    QString title;
    std::optional<OperatorFamily> family;     ///< swatch before the title
    QString icon;                             ///< else this icon
    QString mutedBefore, strong, mutedAfter;  ///< second line: "aten.", "matmul", ".default"
    QString right;                            ///< "node 65 of 78"
    std::vector<InspectorSection> sections;
    bool empty() const { return title.isEmpty(); }
};

/// Facts of an address of the document; empty when it names nothing here.
InspectorFacts inspectorFacts(const DocumentSession& session, const Address& address);

}  // namespace pt2::views

#pragma once

#include <vector>

#include "views/frame/document_session.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// What the Signature page shows, as rows and texts, without widgets.

/// "given by the caller" for USER_INPUT, "the module's parameter" for PARAMETER, ...: torch's kinds in plain words.
QString inputKindInWords(const InputSpec& spec);
QString outputKindInWords(OutputKind kind);

/// Every input and output spec, grouped by kind, in file order. Without a program the compiled model's inputs and outputs.
std::vector<Row> signatureRows(const DocumentSession& session);
std::vector<Column> signatureColumns();

/// The call as the caller writes it, a tree of arguments down to the tensors.
std::vector<Row> callRows(const DocumentSession& session);

/// One dynamic size with its range by the program and by the compiled code.
struct SizeFact {
    QString symbol, place, program, compiled;
    bool differs = false;
};
std::vector<SizeFact> sizeFacts(const DocumentSession& session);

/// What the contract means, in sentences under titles: what a call changes, conditions on sizes, bounds that differ, what the compiled code does not
/// test, asserts of the program and whether it kept them, sizes fixed though meant to be dynamic, and inputs that look alike. Reads the stored
/// samples: for a job.
struct NoteGroup {
    struct Note {
        QString text, tooltip;  ///< the tooltip says how it is known
    };
    QString title;
    bool warns = false;
    std::vector<Note> notes;
    QString remark;  ///< below them
};
std::vector<NoteGroup> contractNoteGroups(const Document& document, const Contract& contract);

/// The signature as torch prints it, with the range constraints; empty without a program.
QString signatureText(const DocumentSession& session);

}  // namespace pt2::views

#pragma once

#include <QObject>

#include "core/contract/inputs.h"
#include "core/run/run.h"
#include "views/frame/document_session.h"

namespace pt2::views {

/// What was last asked for on the Run page, kept with the document so that Compare can ask on the same inputs.
class RunSettings : public QObject {
    Q_OBJECT
public:
    static RunSettings& of(DocumentSession& session);
    InputRequest inputs;
    RunRequest run;
    bool used = false;  ///< the Run page has set them

private:
    explicit RunSettings(QObject* parent) : QObject(parent) {}
};

/// Whether the program holds sample inputs that can be asked for.
bool hasSample(const DocumentSession& session);

/// "s77 = 64, stored sample", "s77 = 4, seed 0": the sizes, and where the values came from.
std::string inputsInWords(const InputSet& set, const InputRequest& request);

}  // namespace pt2::views

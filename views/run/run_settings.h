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

}  // namespace pt2::views

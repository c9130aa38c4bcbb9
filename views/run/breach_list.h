#pragma once

#include <QWidget>

#include "core/contract/check.h"

namespace pt2::views {

/// The contract's breaches in the place of a result: found, allowed, whether the model's own checks would notice, and the mend.
class BreachList : public QWidget {
    Q_OBJECT
public:
    explicit BreachList(const CheckReport& report, QWidget* parent = nullptr);

signals:
    void mendRequested(const pt2::Breach& breach);
    void runAnywayRequested();
};

}  // namespace pt2::views

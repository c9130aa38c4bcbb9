#pragma once

#include <QWidget>
#include <cstddef>
#include <memory>

#include "core/package/linked_kernels.h"

class QBoxLayout;
class QVBoxLayout;

namespace pt2::views {

class DocumentSession;

/// Below a kernel's source: the ATen nodes it comes from and how that is known, the memory it reads and writes, and the Python that was recorded at
/// export.
class CallDetails : public QWidget {
    Q_OBJECT
public:
    explicit CallDetails(DocumentSession& session, QWidget* parent = nullptr);
    void show(std::shared_ptr<const LinkedKernels> kernels, std::size_t call);
    void clear();

signals:
    void callRequested(std::size_t call);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addNodes(QVBoxLayout* column);
    void addMemory(QVBoxLayout* column);
    void addPython(QVBoxLayout* column);
    DocumentSession& session_;
    QBoxLayout* row_;
    QWidget* body_ = nullptr;
    std::shared_ptr<const LinkedKernels> kernels_;
    std::size_t call_ = 0;
};

}  // namespace pt2::views

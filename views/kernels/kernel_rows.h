#pragma once

#include <QString>
#include <QStringList>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/package/linked_kernels.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

// The calls of a compiled model as rows, in call order; calls of one block of the model stand together.

std::vector<Column> kernelColumns();
std::vector<Row> kernelRows(const LinkedKernels& kernels);

/// Address of a call's row, "call:8", and back.
QString rowOfCall(std::size_t call);
std::optional<std::size_t> callOfRow(const QString& address);

/// "addmm_out" of "aoti_torch_cpu_addmm_out": what is left without what all of LibTorch's entry points begin with.
QString shortKernelName(const KernelCall& call);
/// How a link to a node is known: "recorded by torch".
QString linkWords(KernelLink::By by);
/// "call 7", "calls 8, 18, 27": calls are counted from 1, as people do.
QString callNumbers(const std::vector<std::size_t>& calls);

/// Where a call's reads come from and where its writes go.
struct BufferUse {
    QString name;                    ///< as run_impl has it
    QString what;                    ///< "input 0", "fc.weight", "buf3"
    std::vector<std::size_t> calls;  ///< that wrote it before, or read it next
    bool inPlace = false;
    bool isOutput = false;
};
std::vector<BufferUse> readsOf(const LinkedKernels& kernels, std::size_t call);
std::vector<BufferUse> writesOf(const LinkedKernels& kernels, std::size_t call);

}  // namespace pt2::views

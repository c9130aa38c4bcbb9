#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>
#include <map>

#include "core/contract/inputs.h"
#include "core/tensor/npy.h"

namespace pt2::tests {

/// Recorded inputs and outputs of one corpus file: NAME.facts.json and NAME.io.npz.
struct Recorded {
    QJsonArray samples;  ///< facts "io"
    std::map<std::string, Tensor> arrays;

    explicit Recorded(const QString& stem) {
        QFile facts(stem + ".facts.json");
        if (facts.open(QIODevice::ReadOnly)) samples = QJsonDocument::fromJson(facts.readAll()).object()["io"].toArray();
        if (auto tensors = readNpzFile((stem + ".io.npz").toStdString())) arrays = {tensors->begin(), tensors->end()};
    }
    /// With the dtype and strides of the facts, which .npz cannot hold.
    Tensor tensor(const QJsonObject& entry) const {
        Tensor t = arrays.at(entry["key"].toString().toStdString());
        t.layout.dtype = dtypeFromName(entry["dtype"].toString().toStdString()).value_or(DType::Unknown);
        std::vector<std::int64_t> strides;
        for (const auto& s : entry["stride"].toArray()) strides.push_back(s.toInteger());
        return withStrides(t, strides).value();
    }
    /// One MadeInput per contract input; recorded leaves count like the contract's flat indices.
    InputSet inputs(const Contract& contract, const QJsonObject& sample) const {
        InputSet set;
        const QJsonArray leaves = sample["inputs"].toArray();
        for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
            const QJsonObject leaf = leaves[static_cast<qsizetype>(contract.inputs[i].flatIndex)].toObject();
            MadeInput made;
            made.contractIndex = i;
            made.isTensor = leaf["key"].isString();
            if (made.isTensor) made.tensor = tensor(leaf);
            if (!made.isTensor) made.constantText = leaf["value"].toString().toStdString();
            set.inputs.push_back(std::move(made));
        }
        return set;
    }
};

}  // namespace pt2::tests

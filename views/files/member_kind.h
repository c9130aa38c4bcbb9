#pragma once

#include <QString>
#include <vector>

#include "core/package/package.h"
#include "views/widgets/syntax.h"

namespace pt2::views {

/// What a member is, from its place and name (format.md 1.3, 4): never from its bytes.
struct MemberKind {
    QString icon;     ///< name of the icon
    QString meaning;  ///< "exported program", "weight fc.weight"
    enum class View { Text, Hex } view = View::Hex;
    Language language = Language::Plain;
    bool indent = false;  ///< JSON that is stored on one line
    /// What it can be taken apart into.
    enum class Content { None, Tensor, Pickle, Library } content = Content::None;
};
MemberKind memberKind(const Package& package, MemberIndex member);

/// A weight or constant whose bytes a member holds; both point into the package.
struct HeldWeight {
    const ProgramEntry* program;
    const WeightEntry* weight;
};
std::vector<HeldWeight> heldWeights(const Package& package, MemberIndex member);
/// FQNs of the weights and constants whose bytes a member holds, with dtype and shape.
QStringList weightsInMember(const Package& package, MemberIndex member);

}  // namespace pt2::views

#pragma once

namespace pt2 {

/// Fills the descriptors 0, 1 and 2 where the caller closed them, so that no file, pipe or socket of ours lands on one of them. Reading and writing
/// there still fail, as they would on a closed one. For the first line of main().
void fillStandardDescriptors();

}  // namespace pt2

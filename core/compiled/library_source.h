#pragma once

#include "core/archive/archive.h"
#include "core/compiled/elf.h"

namespace pt2 {

/// A member as bytes to read in windows. A stored one is read where it lies; a deflated one is inflated into `held`, which must outlive the source.
Result<ByteSource> libraryBytes(const Archive& archive, MemberIndex member, ByteBuffer& held);

}  // namespace pt2

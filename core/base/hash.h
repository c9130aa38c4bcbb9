#pragma once

#include <memory>
#include <string>

#include "core/base/bytes.h"

namespace pt2 {

/// Streaming sha256 (OpenSSL's libcrypto, hardware speed).
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void update(Bytes bytes);
    /// 64 lower-case hex digits; the object is finished afterwards.
    std::string hex();

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

std::string sha256Hex(Bytes bytes);

}  // namespace pt2

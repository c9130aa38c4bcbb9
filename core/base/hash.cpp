#include "core/base/hash.h"

#include <openssl/evp.h>

#include <array>

namespace pt2 {

struct Sha256::Context {
    EVP_MD_CTX* md = EVP_MD_CTX_new();
    ~Context() { EVP_MD_CTX_free(md); }
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { EVP_DigestInit_ex(context_->md, EVP_sha256(), nullptr); }
Sha256::~Sha256() = default;

void Sha256::update(Bytes bytes) { EVP_DigestUpdate(context_->md, bytes.data(), bytes.size()); }

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context_->md, digest.data(), &length);
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * length);
    for (unsigned i = 0; i < length; ++i) {
        text.push_back(digits[digest[i] >> 4]);
        text.push_back(digits[digest[i] & 15]);
    }
    return text;
}

std::string sha256Hex(Bytes bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.hex();
}

}  // namespace pt2

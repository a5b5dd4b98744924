#include "net/digest.hpp"

#include "protocol/text/base_encodings.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string>

namespace troupe::net {

namespace {

using digest = std::array<unsigned char, 32>;

digest digest_of(std::string_view text) {
  digest result;
  // Fails only where OpenSSL has no SHA-256: nothing is safe to name then.
  if (EVP_Digest(text.data(), text.size(), result.data(), nullptr, EVP_sha256(), nullptr) != 1)
    std::abort();
  return result;
}

struct free_mac {
  void operator()(EVP_MAC_CTX* one) const { EVP_MAC_CTX_free(one); }
};
using mac = std::unique_ptr<EVP_MAC_CTX, free_mac>;

mac make_hmac() {
  auto kind = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  mac result{EVP_MAC_CTX_new(kind)};
  EVP_MAC_free(kind);
  std::string hash = "SHA256";
  const OSSL_PARAM with[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, hash.data(), 0),
                             OSSL_PARAM_construct_end()};
  if (!result || EVP_MAC_CTX_set_params(result.get(), with) != 1)
    std::abort();
  return result;
}

/// HMAC-SHA256, ready for a key. To look it up takes longer than most of its digests.
EVP_MAC_CTX* hmac() {
  thread_local const auto of_thread = make_hmac();
  return of_thread.get();
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

} // namespace

std::array<std::byte, 16> keyed_digest(std::string_view key, std::string_view text) {
  digest all;
  if (key.empty())
    key = ""; // OpenSSL takes no key for an error
  std::size_t size = 0;
  if (EVP_MAC_init(hmac(), bytes_of(key), key.size(), nullptr) != 1 ||
      EVP_MAC_update(hmac(), bytes_of(text), text.size()) != 1 ||
      EVP_MAC_final(hmac(), all.data(), &size, all.size()) != 1)
    std::abort();
  std::array<std::byte, 16> result;
  std::transform(all.begin(), all.begin() + result.size(), result.begin(), [](auto one) { return std::byte{one}; });
  return result;
}

std::string stretched_key(std::string_view secret) {
  constexpr std::string_view salt = "troupe";
  constexpr int rounds = 100'000;
  digest result;
  if (PKCS5_PBKDF2_HMAC(secret.data(), static_cast<int>(secret.size()), bytes_of(salt), static_cast<int>(salt.size()),
                        rounds, EVP_sha256(), static_cast<int>(result.size()), result.data()) != 1)
    std::abort();
  return {result.begin(), result.end()};
}

std::uint64_t digest_64(std::string_view text) {
  auto all = digest_of(text);
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < sizeof result; ++i)
    result = result << 8U | all[i];
  return result;
}

std::array<std::byte, 32> digest_256(std::string_view text) {
  return std::bit_cast<std::array<std::byte, 32>>(digest_of(text));
}

std::string digest_hex(std::string_view text) {
  auto all = digest_of(text);
  return protocol::hex(std::as_bytes(std::span{all}));
}

} // namespace troupe::net

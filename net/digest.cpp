#include "net/digest.hpp"

#include "protocol/text/hex.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

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

} // namespace

std::array<std::byte, 16> keyed_digest(std::string_view key, std::string_view text) {
  digest all;
  if (key.empty())
    key = ""; // OpenSSL takes no key for an error
  auto bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), all.data(), nullptr))
    std::abort();
  std::array<std::byte, 16> result;
  std::transform(all.begin(), all.begin() + result.size(), result.begin(), [](auto one) { return std::byte{one}; });
  return result;
}

std::string stretched_key(std::string_view secret) {
  constexpr std::string_view salt = "troupe";
  constexpr int rounds = 100'000;
  digest result;
  auto salt_bytes = reinterpret_cast<const unsigned char*>(salt.data());
  if (PKCS5_PBKDF2_HMAC(secret.data(), static_cast<int>(secret.size()), salt_bytes, static_cast<int>(salt.size()),
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

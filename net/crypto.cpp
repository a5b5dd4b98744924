#include "net/crypto.hpp"

#include "protocol/text/base_encodings.hpp"

#include <cjose/cjose.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace troupe::net {

namespace {

using digest = std::array<unsigned char, 32>;

digest digest_of(std::string_view text) {
  digest result;
  // Fails only where OpenSSL has no SHA-256; no name would be safe then.
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

/// Returns HMAC-SHA256, ready for a key. Fetching it takes longer than most of its digests.
EVP_MAC_CTX* hmac() {
  thread_local const auto of_thread = make_hmac();
  return of_thread.get();
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

/// Buffer of unused random bytes: fetching many from the generator costs little more than fetching a few.
class random_bytes {
public:
  std::array<std::byte, 16> next() {
    if (left_ == 0 || owner_ != ::getpid())
      fill();
    std::array<std::byte, 16> result;
    left_ -= result.size();
    std::ranges::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(left_), result.size(), result.begin());
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(left_), result.size(), std::byte{});
    return result;
  }

private:
  /// Aborts without randomness: no session id would be safe to hand out.
  void fill() {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes_.data()), static_cast<int>(bytes_.size())) != 1)
      std::abort();
    left_ = bytes_.size();
    owner_ = ::getpid();
  }

  std::array<std::byte, 512> bytes_;
  std::size_t left_ = 0;
  /// Process that filled the buffer; a forked process must not hand out the same bytes.
  pid_t owner_ = 0;
};

} // namespace

std::array<std::byte, 16> keyed_digest(std::string_view key, std::string_view text) {
  digest all;
  if (key.empty())
    key = ""; // OpenSSL treats a null key as an error
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

std::array<std::byte, 16> random_128() {
  static thread_local random_bytes bytes;
  return bytes.next();
}

std::uint64_t random_64() {
  std::uint64_t result = 0;
  auto bytes = random_128();
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

std::uint64_t quick_random_64() {
  static thread_local std::uint64_t state = random_64();
  static thread_local const std::uint64_t step = random_64() | 1;
  auto result = state += step; // SplitMix: Steele, Lea and Flood, 2014
  result = (result ^ (result >> 30)) * 0xBF58476D1CE4E5B9;
  result = (result ^ (result >> 27)) * 0x94D049BB133111EB;
  return result ^ (result >> 31);
}

std::array<std::byte, 16> quick_random_128() {
  return std::bit_cast<std::array<std::byte, 16>>(std::array{quick_random_64(), quick_random_64()});
}

bool is_signed_by(std::string_view token, const std::string& key) {
  cjose_err ignored;
  const std::unique_ptr<cjose_jws_t, void (*)(cjose_jws_t*)> signed_text{
      cjose_jws_import(token.data(), token.size(), &ignored), cjose_jws_release};
  const std::unique_ptr<cjose_jwk_t, bool (*)(cjose_jwk_t*)> by{cjose_jwk_import(key.data(), key.size(), &ignored),
                                                                cjose_jwk_release};
  return signed_text && by && cjose_jws_verify(signed_text.get(), by.get(), &ignored);
}

} // namespace troupe::net

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

// SHA-256 digests. All functions are callable from any thread.

/// Returns the first 128 bits of HMAC-SHA256 (RFC 2104), which only holders of the key can compute.
std::array<std::byte, 16> keyed_digest(std::string_view key, std::string_view text);

/// Derives a key of 32 bytes from a secret that people may have chosen: each guess at it costs tens of milliseconds
/// (PBKDF2, RFC 8018, 5.2, with HMAC-SHA256).
std::string stretched_key(std::string_view secret);

/// Returns the first 64 bits of a text's digest, the highest first: spreads texts evenly, and alike on every machine.
std::uint64_t digest_64(std::string_view text);

/// Returns the whole digest.
std::array<std::byte, 32> digest_256(std::string_view text);

/// Returns the whole digest in 64 lower-case hexadecimal digits, to name a text without revealing it.
std::string digest_hex(std::string_view text);

/// Returns 128 unguessable bits from OpenSSL's generator. Callable from any thread.
std::array<std::byte, 16> random_128();

/// Returns 64 of these bits, enough to tell things apart.
std::uint64_t random_64();

/// Returns bits from a far quicker generator, to tell requests and traces apart. Not for secrets: a few values reveal
/// the next, and a forked process repeats them. Callable from any thread.
std::uint64_t quick_random_64();
std::array<std::byte, 16> quick_random_128();

/// Whether a token in the compact form (RFC 7515, 3.1) carries the signature of a public key, given as a JSON Web Key
/// (RFC 7517). The token names the algorithm: check first that this algorithm and kind of key are allowed. Callable
/// from any thread. Takes tens of microseconds.
bool is_signed_by(std::string_view token, const std::string& key);

} // namespace troupe::net

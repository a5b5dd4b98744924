#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

// What a text digests to, by SHA-256. All are callable from any thread.

/// What only those can make who have the key: the first 128 bits of HMAC-SHA256 (RFC 2104).
std::array<std::byte, 16> keyed_digest(std::string_view key, std::string_view text);

/// A key of 32 bytes from a secret that people may have chosen: each guess at it costs tens of milliseconds (PBKDF2,
/// RFC 8018, 5.2, with HMAC-SHA256).
std::string stretched_key(std::string_view secret);

/// The first 64 bits of a text's digest, the highest first: spreads texts evenly, and alike on every machine.
std::uint64_t digest_64(std::string_view text);

/// The whole digest.
std::array<std::byte, 32> digest_256(std::string_view text);

/// The whole digest, in 64 lower-case hexadecimal digits: names a text to those who must not learn it.
std::string digest_hex(std::string_view text);

/// 128 bits that nobody can guess, from the system's generator. Callable from any thread.
std::array<std::byte, 16> random_128();

/// Enough to make things differ.
std::uint64_t random_64();

/// The same by a generator that is far quicker, to tell requests and traces apart. No secrets: who sees a few of
/// them can tell the next, and a process that is forked goes on with the same. Callable from any thread.
std::uint64_t quick_random_64();
std::array<std::byte, 16> quick_random_128();

/// Whether a token in the compact form (RFC 7515, 3.1) carries the signature of a public key, given as a JSON Web Key
/// (RFC 7517), by the algorithm that the token names: which algorithms and which kinds of keys may be used is for the
/// caller to decide before. Callable from any thread. Takes tens of microseconds.
bool is_signed_by(std::string_view token, const std::string& key);

} // namespace troupe::net

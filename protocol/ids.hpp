#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Random source of a session id: 128 bits, cryptographically secure, fresh for every session.
using random_bytes = std::array<std::byte, 16>;

/// Longest session id accepted from a client, in characters. Ours have 32; the specification sets no bound.
inline constexpr std::size_t longest_session_id = 128;

/// Number of characters of a session id in logs: enough to find its lines, useless to readers of the log.
inline constexpr std::size_t shown_length = 8;

/// Makes the id of a new session: 32 lower-case hexadecimal digits. 2025-11-25, transports, "Session Management" 1:
/// globally unique, cryptographically secure, visible ASCII.
std::string make_session_id(const random_bytes& bytes);

/// Whether a header value can be a session id: 1 to `longest_session_id` characters of 0x21 to 0x7E ("Session
/// Management" 1), so that it is safe as a key and in a log. Commas are refused: HTTP joins several header lines with
/// them, and a session has one id.
bool valid_session_id(std::string_view id);

/// Suffix for the part of a session id that logs hide.
inline constexpr std::string_view shown_rest = "…";

/// Longest session id as logs show it, in bytes.
inline constexpr std::size_t longest_shown_id = shown_length + shown_rest.size();

/// Returns a session id as logs show it: its first `shown_length` characters and "…". Foreign ids shorter than twice
/// that are shown by half, so never in full. Characters other than visible ASCII become `?`.
std::string shown(std::string_view id);
/// Writes `shown(id)` to a buffer of at least `longest_shown_id` bytes; returns its size.
std::size_t write_shown(std::string_view id, char* to);

/// Number of an HTTP exchange (a request and its answer) within its session. A stream keeps the number of the exchange
/// that opened it, even after another exchange resumed it.
using exchange_id = std::uint64_t;

/// Number of a user of a server, which is a session; a shared server has many users. Assigned by the server's upstream,
/// never reused.
using user_id = std::uint64_t;

/// Key of a lease: stateless (2026-07-28) requests with the same key reach the same processes. Derived from properties
/// of the request, so that anyone can make its text; not an id that the gateway issues and clients send back.
struct lease_key {
  std::string text = {};

  bool empty() const { return text.empty(); }
  friend bool operator==(const lease_key&, const lease_key&) = default;
  friend auto operator<=>(const lease_key&, const lease_key&) = default;
};

} // namespace troupe::protocol

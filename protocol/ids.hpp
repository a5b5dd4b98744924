#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a session id is made from: 128 bits of a cryptographically secure source, fresh for every session.
using random_bytes = std::array<std::byte, 16>;

/// The longest session id that a client may present, in characters. Ours have 32; the specification sets no bound.
inline constexpr std::size_t longest_session_id = 128;

/// How much of a session id a log shows, in characters: enough to find its lines, useless to whoever reads them.
inline constexpr std::size_t shown_length = 8;

/// The id of a new session: 32 lower-case hexadecimal digits. 2025-11-25, transports, "Session Management" 1: globally
/// unique, cryptographically secure, visible ASCII.
std::string make_session_id(const random_bytes& bytes);

/// Whether a header value can be a session id: 1 to `longest_session_id` characters of 0x21 to 0x7E ("Session
/// Management" 1), so that it is safe as a key and in a log. No comma: that is how HTTP joins several header lines, and
/// a session has one id.
bool valid_session_id(std::string_view id);

/// What stands for the rest of it.
inline constexpr std::string_view shown_rest = "…";

/// The longest session id as logs show it, in bytes.
inline constexpr std::size_t longest_shown_id = shown_length + shown_rest.size();

/// A session id as logs show it, whoever sent it: its first `shown_length` characters and "…". Of a foreign id shorter
/// than twice that only half, so never the whole; what is not visible ASCII becomes `?`.
std::string shown(std::string_view id);
/// The same where there is room for the longest; gives its size.
std::size_t write_shown(std::string_view id, char* to);

/// Numbers the HTTP exchanges (a request and its answer) of one session. A stream has the number of the exchange that
/// opened it, also after it was resumed by another exchange.
using exchange_id = std::uint64_t;

/// Identifies a user of a server: a session, of which a shared server has many. Given by the server's upstream, never
/// reused.
using user_id = std::uint64_t;

/// What requests of 2026-07-28 share a lease by: whoever has the same key meets the same processes. It is made of what
/// a request is, and anybody can make its text: it is no id, which a client gets from us and shows again.
struct lease_key {
  std::string text = {};

  bool empty() const { return text.empty(); }
  friend bool operator==(const lease_key&, const lease_key&) = default;
  friend auto operator<=>(const lease_key&, const lease_key&) = default;
};

} // namespace troupe::protocol

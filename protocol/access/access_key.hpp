#pragma once

#include "protocol/access/principal.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Prefix of every key, which distinguishes keys from tokens.
inline constexpr std::string_view key_prefix = "troupe_";

/// Key of a caller, stored only as its hash.
struct access_key {
  std::string name;
  /// SHA-256 of the key, in hexadecimal digits.
  std::string hash;
  std::vector<std::string> scopes = {};
  /// Time from which the key is invalid; empty when it never expires.
  std::optional<calendar_time> expires = {};

  friend bool operator==(const access_key&, const access_key&) = default;
};

/// Line of a key file that is no valid key: its number, counted from 1, and the reason.
struct bad_key_line {
  std::size_t line = 0;
  std::string why;
  friend bool operator==(const bad_key_line&, const bad_key_line&) = default;
};

/// Formats a key as a line of a key file: `NAME sha256:HASH SCOPE,… EXPIRY`, with `-` for no scopes and for no expiry.
std::string key_line(const access_key& key);

/// Parses a key file: one key a line, with empty lines and lines that begin with `#`. Names and hashes must be unique.
std::variant<std::vector<access_key>, bad_key_line> read_key_file(std::string_view text);

/// Parses a date, which means the end of that day, or a time: `2027-01-31`, `2027-01-31T12:00:00Z`.
std::optional<calendar_time> read_expiry(std::string_view text);

/// True if a text may be a key's name: letters, digits, `.`, `_`, `@` and `-`, up to 64 characters.
bool is_key_name(std::string_view name);
/// True if a text may be a scope (RFC 6749, 3.3) and has no comma.
bool is_scope(std::string_view scope);

} // namespace troupe::protocol

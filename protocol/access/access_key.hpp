#pragma once

#include "protocol/access/principal.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// What keys begin with, which tells them from tokens.
inline constexpr std::string_view key_prefix = "troupe_";

/// A key that callers may have, of which only the hash is known.
struct access_key {
  std::string name;
  /// SHA-256 of the key, in hexadecimal digits.
  std::string hash;
  std::vector<std::string> scopes = {};
  /// From then on it is none.
  std::optional<calendar_time> expires = {};

  friend bool operator==(const access_key&, const access_key&) = default;
};

/// A line of a file that is no key: its number, from 1 on, and why.
struct bad_key_line {
  std::size_t line = 0;
  std::string why;
  friend bool operator==(const bad_key_line&, const bad_key_line&) = default;
};

/// The line of a file that says all of a key: `NAME sha256:HASH SCOPE,… EXPIRY`, where `-` stands for no scopes, and
/// for no expiry.
std::string key_line(const access_key& key);

/// Reads a file of keys: a key a line, empty lines and those that begin with `#`. No name and no hash stands twice.
std::variant<std::vector<access_key>, bad_key_line> read_key_file(std::string_view text);

/// A date, the end of which is meant, or a time: `2027-01-31`, `2027-01-31T12:00:00Z`.
std::optional<calendar_time> read_expiry(std::string_view text);
std::string expiry_text(calendar_time time);

/// Whether it can be a key's name: letters, digits, `.`, `_`, `@` and `-`, at most 64.
bool is_key_name(std::string_view name);
/// Whether it can be a scope (RFC 6749, 3.3), without commas.
bool is_scope(std::string_view scope);

} // namespace troupe::protocol

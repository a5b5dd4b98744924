#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Which options of a server are valid that concern its callers and its tokens. What is wrong is said in words that
// follow the server's name.

/// What a server needs to know of its callers, and what of that there is.
struct caller_needs {
  /// Its headers or its environment say who asks.
  bool is_told = false;
  /// The callers' tokens are exchanged for others.
  bool exchanges = false;
  /// Each of its processes, or sessions with it, has one caller only.
  bool has_one_caller = true;
  /// Callers show keys, tokens or certificates; tokens.
  bool knows_callers = false;
  bool knows_tokens = false;
};
/// Empty when nothing is wrong.
std::string fault_of_needs(const caller_needs& of);

/// How tokens for a server are obtained, as far as it can be wrong.
struct grant_words {
  std::string_view issuer;
  std::string_view endpoint;
  std::string_view client_id;
  std::string_view client_secret;
  std::optional<std::string_view> resource = {};
  std::vector<std::string_view> scopes = {};
  /// `Authorization` is configured as well.
  bool has_own_header = false;
};
/// Empty when nothing is wrong.
std::string fault_of_grant(const grant_words& of);

// Which options of a server are valid. Checked for flags, for the configuration file and for hosts alike.

/// Most servers of a gateway, most processes in a pool, and most attempts to start a server.
inline constexpr std::size_t most_servers = 1000;
inline constexpr std::size_t largest_pool = 100;
inline constexpr std::size_t most_attempts = 1000;
/// Most connections to a remote server, as far as they are limited.
inline constexpr std::size_t most_connections = 10000;

/// Whether it is valid as the name of an environment variable.
bool is_variable_name(std::string_view name);

/// Whether it is a field name of HTTP (RFC 9110, 5.1).
bool is_header_name(std::string_view name);
/// Whether the gateway writes the field itself, or it belongs to the connection: it cannot be configured.
bool is_own_header(std::string_view name);
/// Whether it has no characters that could end the field.
bool is_header_value(std::string_view value);

/// Whether it can be a segment of a path and stand in logs: not empty, neither `.` nor `..`, without `/` and control
/// characters. Of any length.
bool is_path_segment(std::string_view name);
/// Whether it is valid as a server's name: such a segment of at most 64 characters.
bool is_server_name(std::string_view name);
/// Whether it is valid as the prefix of tool names, by their characters and length (64).
bool is_prefix(std::string_view text);

} // namespace troupe::protocol

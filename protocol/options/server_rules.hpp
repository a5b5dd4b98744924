#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Rules for the options of a server about its callers and its tokens. Errors are words that follow the server's name.

/// Data about callers that a server needs, and the data that is available.
struct caller_needs {
  /// Whether its headers or its environment contain data of the caller.
  bool is_told = false;
  /// Whether the callers' tokens are exchanged for others.
  bool exchanges = false;
  /// Whether each of its processes, or sessions with it, has one caller only.
  bool has_one_caller = true;
  /// Whether callers present keys, tokens or certificates; whether they present tokens.
  bool knows_callers = false;
  bool knows_tokens = false;
};
/// Returns the error; empty if there is none.
std::string fault_of_needs(const caller_needs& of);

/// Configuration of how tokens for a server are obtained, as far as it can be wrong.
struct grant_words {
  std::string_view issuer;
  std::string_view endpoint;
  std::string_view client_id;
  std::string_view client_secret;
  std::optional<std::string_view> resource = {};
  std::vector<std::string_view> scopes = {};
  /// Whether `Authorization` is configured as well.
  bool has_own_header = false;
};
/// Returns the error; empty if there is none.
std::string fault_of_grant(const grant_words& of);

// Rules for the options of a server. Checked for flags, for the configuration file and for hosts alike.

/// Maximum numbers of servers of a gateway, of processes in a pool, and of attempts to start a server.
inline constexpr std::size_t most_servers = 1000;
inline constexpr std::size_t largest_pool = 100;
inline constexpr std::size_t most_attempts = 1000;
/// Maximum number of connections to a remote server, if they are limited.
inline constexpr std::size_t most_connections = 10000;

/// Whether a text is valid as the name of an environment variable.
bool is_variable_name(std::string_view name);

/// Whether a text is a field name of HTTP (RFC 9110, 5.1).
bool is_header_name(std::string_view name);
/// Whether the gateway writes the field itself, or the field belongs to the connection: it cannot be configured.
bool is_own_header(std::string_view name);
/// Whether a text has no characters that could end the field.
bool is_header_value(std::string_view value);

/// Whether a name can be a segment of a path and stand in logs: not empty, neither `.` nor `..`, without `/` and
/// control characters. Of any length.
bool is_path_segment(std::string_view name);
/// Whether a name is valid for a server: such a segment of up to 64 characters.
bool is_server_name(std::string_view name);
/// Whether a text is valid as the prefix of tool names, by its characters and length (64).
bool is_prefix(std::string_view text);

} // namespace troupe::protocol

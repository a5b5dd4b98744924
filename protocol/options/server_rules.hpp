#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::protocol {

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

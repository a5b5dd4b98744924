#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::protocol {

// What the options of a server have to be, whoever gives them.

/// Servers of one gateway, processes that one keeps for sessions to come, and attempts to start one.
inline constexpr std::size_t most_servers = 1000;
inline constexpr std::size_t largest_pool = 100;
inline constexpr std::size_t most_attempts = 1000;

/// What an environment variable may be called.
bool is_variable_name(std::string_view name);

/// A field name of HTTP (RFC 9110, 5.6.2).
bool is_header_name(std::string_view name);
/// A field that the gateway writes itself, or that belongs to the connection.
bool is_own_header(std::string_view name);
/// Nothing that could end the field.
bool is_header_value(std::string_view value);

/// What a server may be called: it stands in paths and logs.
bool is_server_name(std::string_view name);
/// What may precede a tool's name: a tool's name has these characters, and 64 of them at most.
bool is_prefix(std::string_view text);

} // namespace troupe::protocol

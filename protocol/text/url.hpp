#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Longest URL that a peer may name.
inline constexpr std::size_t longest_url = 8192;

/// A URI reference as a peer wrote it, resolved against the URL where it stood (RFC 3986, 5.2), without its fragment.
/// Nothing unless that is an http or https URL without user and password.
std::optional<std::string> resolved(std::string_view base, std::string_view reference);

/// Whether two http or https URLs have one origin: scheme, host and port, written or not (RFC 6454, 5).
bool same_origin(std::string_view a, std::string_view b);

} // namespace troupe::protocol

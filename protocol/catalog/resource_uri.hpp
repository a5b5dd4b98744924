#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A resource's URI among those of several servers: `troupe://<server>/<the server's own URI>`.
///
/// The server stands where a URI has its authority and not in the scheme, whose alphabet is too small for names
/// (RFC 3986, section 3.1). What follows is left as it is: `troupe://files/file:///etc/motd` stays readable, can be
/// told from the server's own without a table, and the expressions of a URI template pass unharmed.
struct resource_uri {
  std::string server;
  std::string original;
};

std::string merged_uri(std::string_view server, std::string_view original);

/// The parts of a URI that `merged_uri` made; nothing when it is no such URI.
std::optional<resource_uri> read_merged_uri(std::string_view uri);

} // namespace troupe::protocol

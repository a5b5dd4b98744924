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
///
/// Hosts know the UI of a tool by its scheme `ui://` (MCP Apps 2026-01-26, "UI Resource Format"), which therefore stays
/// in front: the server's `ui://weather/view` is `ui://<server>/weather/view`.
struct resource_uri {
  std::string server;
  std::string original;
};

std::string merged_uri(std::string_view server, std::string_view original);

/// The parts of a URI that `merged_uri` made; nothing when it is no such URI. Any `ui://` URI with a slash in what
/// follows can be read as one.
std::optional<resource_uri> read_merged_uri(std::string_view uri);

/// Whether it is the URI of a UI, a server's own or a merged one.
bool is_ui_uri(std::string_view uri);

} // namespace troupe::protocol

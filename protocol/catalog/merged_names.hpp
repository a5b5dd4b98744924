#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Longest name of a tool or prompt that clients and the models behind them take, in bytes.
inline constexpr std::size_t longest_merged_name = 64;

/// A server's prefix as names may have it: what model providers refuse in names of tools is `_`.
std::string clean_prefix(std::string_view prefix);

/// The name under which a server's tool or prompt stands in a merged list: `<prefix>__<name>`, or its own name when
/// the prefix is empty. One that is too long is cut and ends in a hash, so that it stays the same from one session to
/// the next and differs from others that are cut alike. The prefix must be clean.
std::string merged_name(std::string_view server, std::string_view prefix, std::string_view original);

/// Whether the name may have been cut: what it was cannot be read from it.
bool may_be_cut(std::string_view name);

/// What every name under this prefix begins with, cut or not; empty when the prefix is.
std::string name_stem(std::string_view prefix);

/// Whether a tool could be named as another of which this is the stem: one begins the other. Neither is empty.
bool may_share_names(std::string_view stem, std::string_view other);

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

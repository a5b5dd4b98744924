#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Longest tool or prompt name that clients and the models behind them accept, in bytes.
inline constexpr std::size_t longest_merged_name = 64;

/// Separator of a server's prefix and a tool's or prompt's own name.
inline constexpr std::string_view prefix_separator = "__";

/// Returns a server's prefix with `_` for characters that model providers refuse in tool names.
std::string clean_prefix(std::string_view prefix);

/// Returns the name of a server's tool or prompt in a merged list: `<prefix>__<name>`, or its own name if the prefix is
/// empty. A name that is too long is cut and ends in a hash. It stays the same between sessions and differs from others
/// cut alike. The prefix must be clean.
std::string merged_name(std::string_view server, std::string_view prefix, std::string_view original);

/// Returns the original in a name that `merged_name` made with this prefix and did not cut. Empty if the name does not
/// begin with the prefix.
std::optional<std::string_view> read_merged_name(std::string_view name, std::string_view prefix);

/// True if the name may have been cut, so that the original cannot be read from it.
bool may_be_cut(std::string_view name);

/// Returns the common beginning of all names under this prefix, cut or not; empty for an empty prefix.
std::string name_stem(std::string_view prefix);

/// True if servers with these stems could give tools the same name: one stem begins the other. Neither may be empty.
bool may_share_names(std::string_view stem, std::string_view other);

/// Resource URI among those of several servers: `troupe://<server>/<the server's own URI>`.
///
/// The server is the URI's authority, not its scheme, whose alphabet is too small for names (RFC 3986, section 3.1).
/// The rest stays unchanged. `troupe://files/file:///etc/motd` stays readable, can be mapped back without a table, and
/// the expressions of a URI template are preserved.
///
/// Hosts recognise the UI of a tool by its scheme `ui://` (MCP Apps 2026-01-26, "UI Resource Format"), which therefore
/// stays in front: the server's `ui://weather/view` becomes `ui://<server>/weather/view`.
struct resource_uri {
  std::string server;
  std::string original;
};

std::string merged_uri(std::string_view server, std::string_view original);

/// Returns the parts of a URI made by `merged_uri`; empty for any other. Every `ui://` URI with a slash in its rest can
/// be read as one.
std::optional<resource_uri> read_merged_uri(std::string_view uri);

/// True for the URI of a UI, a server's own or a merged one.
bool is_ui_uri(std::string_view uri);

// Access rules apply to an item at its server. Before a request is forwarded, the rules of all servers that its name
// may mean are applied: only the catalog knows the servers' lists, and finds the one that gets the request.

/// Name of a merged server, and the clean prefix of its tools' and prompts' names.
struct prefixed_server {
  std::string name;
  std::string prefix;
};
/// Item that a name from a merged list may mean: the position of its server, and its name there.
struct meant_item {
  std::size_t server = 0;
  std::string original;
  friend bool operator==(const meant_item&, const meant_item&) = default;
};

/// Returns the tools or prompts that a name may mean. A cut name does not contain its original: then the server itself
/// reports that no such item exists.
std::vector<meant_item> items_of_name(std::string_view shown, const std::vector<prefixed_server>& servers);
/// Returns the resources that a URI may mean, among them that of `owner_of_uri`. A URI without a mark belongs to a
/// server without a prefix.
std::vector<meant_item> items_of_uri(std::string_view shown, const std::vector<prefixed_server>& servers);

} // namespace troupe::protocol

#pragma once

#include "protocol/catalog/catalog_members.hpp"
#include "protocol/message/splice.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Request that a result answers, which decides where resource URIs are in it.
enum class result_shape { other, tool, prompt, read };

/// Maps a server's own URI to the one for clients.
using uri_map = std::function<std::string(std::string_view)>;

/// Returns the edits that map every resource URI in a response.
std::vector<edit> result_uris(std::string_view response, result_shape shape, const uri_map& map);

/// Returns the edits that map the UI's URI in a listed tool.
std::vector<edit> tool_uris(std::string_view tool, const uri_map& map);

// Resource URIs contain their server (see `resource_uri`). URIs of the one server without a prefix need no mark, unless
// they look like marked ones. URIs of UIs are marked unless that server is alone: no server may supply the UI of
// another's tools. The exception is a client that kept a UI's URI from when the other server was alone.

/// Returns the server in a client's URI, and the URI at that server; empty if the URI names no server.
std::optional<owned_name> owner_of_uri(catalog_members& members, std::string_view uri);
/// Returns the URI of a server's resource for clients.
std::string client_uri(const catalog_members& members, const catalog_member& of, std::string_view original);
/// Returns a server's `notifications/resources/updated` with the URI for clients.
message with_client_uri(const catalog_members& members, const catalog_member& of, message from);
/// Returns a server's answer with the URIs for clients.
message with_client_uris(const catalog_members& members, const catalog_member& of, message from, result_shape shape);

} // namespace troupe::protocol

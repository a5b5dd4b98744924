#pragma once

#include "protocol/catalog/catalog_members.hpp"
#include "protocol/message/splice.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a result is the answer to, which says where it has URIs of resources.
enum class result_shape { other, tool, prompt, read };

/// A URI as its server has it, turned into the one that clients see.
using uri_map = std::function<std::string(std::string_view)>;

/// The edits that map every URI of a resource in a response.
std::vector<edit> result_uris(std::string_view response, result_shape shape, const uri_map& map);

/// The edits that map the URI of its UI in a tool of a list.
std::vector<edit> tool_uris(std::string_view tool, const uri_map& map);

// URIs of resources say themselves whose they are (see `resource_uri`). Where one server has no prefix, its URIs need
// no mark, unless they look like marked ones. Those of UIs are marked unless that server is alone: no server can supply
// the UI of another's tools, unless a client kept its URI from when the other was alone.

/// The server in a client's URI, and the URI there; nothing when the URI names no server.
std::optional<owned_name> owner_of_uri(catalog_members& members, std::string_view uri);
/// The URI under which clients know a server's resource.
std::string client_uri(const catalog_members& members, const catalog_member& of, std::string_view original);
/// A server's `notifications/resources/updated` with the URI that clients know.
message with_client_uri(const catalog_members& members, const catalog_member& of, message from);
/// A server's answer with the URIs that clients know.
message with_client_uris(const catalog_members& members, const catalog_member& of, message from, result_shape shape);

} // namespace troupe::protocol

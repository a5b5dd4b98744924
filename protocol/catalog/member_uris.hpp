#pragma once

#include "protocol/catalog/owned_name.hpp"
#include "protocol/catalog/result_uris.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

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

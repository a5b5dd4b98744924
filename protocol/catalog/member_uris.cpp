#include "protocol/catalog/member_uris.hpp"

#include "protocol/catalog/resource_uri.hpp"

#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// Whether the server without a prefix has a URI that bears no mark.
bool is_unmarked(const catalog_members& members, std::string_view uri) {
  return is_ui_uri(uri) ? members.all().size() == 1 : !read_merged_uri(uri);
}

} // namespace

std::optional<owned_name> owner_of_uri(catalog_members& members, std::string_view uri) {
  if (members.sole_unprefixed() && is_unmarked(members, uri))
    return owner_of_unmarked(members, uri);
  if (auto known = read_merged_uri(uri))
    if (auto server = members.find_named(known->server))
      return owned_name{server, std::move(known->original)};
  return is_ui_uri(uri) ? std::nullopt : owner_of_unmarked(members, uri);
}

std::string client_uri(const catalog_members& members, const catalog_member& of, std::string_view original) {
  if (members.sole_unprefixed() == &of && is_unmarked(members, original))
    return std::string{original};
  return merged_uri(of.server.name, original);
}

message with_client_uri(const catalog_members& members, const catalog_member& of, message from) {
  auto token = find_member(from.text, {"params", "uri"});
  auto uri = token ? string_value(*token) : std::nullopt;
  if (!uri)
    return from;
  auto edits = std::vector{replacing(from.text, *token, quoted(client_uri(members, of, *uri)))};
  return spliced(std::move(from), std::move(edits));
}

message with_client_uris(const catalog_members& members, const catalog_member& of, message from, result_shape shape) {
  auto edits = result_uris(from.text, shape, [&](std::string_view uri) { return client_uri(members, of, uri); });
  return spliced(std::move(from), std::move(edits));
}

} // namespace troupe::protocol

#include "protocol/catalog/resource_calls.hpp"

#include "protocol/catalog/member_uris.hpp"
#include "protocol/message/splice.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

std::optional<std::string_view> uri_token(const message& of) {
  return of.is_method("completion/complete") ? find_member(of.text, {"params", "ref", "uri"})
                                             : find_member(of.text, {"params", "uri"});
}

/// 2025-11-25, resources, "Error Handling".
tell_client unknown_resource(const message& request, const std::optional<std::string>& uri) {
  if (!uri)
    return refused(request, error_code::invalid_params, "The URI is missing");
  if (request.is_method("resources/read"))
    return refused(request, error_code::resource_not_found, "Resource not found: " + *uri);
  return refused(request, error_code::invalid_params, "Unknown resource: " + *uri);
}

} // namespace

void resource_calls::call(message from, catalog_effects& out) {
  auto token = uri_token(from);
  auto uri = token ? string_value(*token) : std::nullopt;
  auto to = uri ? owner_of_uri(sender_.members(), *uri) : std::nullopt;
  if (!to)
    return out.push_back(unknown_resource(from, uri));
  auto edits = std::vector{replacing(from.text, *token, quoted(to->original))};
  auto shape = from.is_method("resources/read") ? result_shape::read : result_shape::other;
  sender_.call(*to->owner, spliced(std::move(from), std::move(edits)), shape, out);
}

} // namespace troupe::protocol

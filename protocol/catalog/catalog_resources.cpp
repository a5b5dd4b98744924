// Resources: whose they are, and what clients call them.

#include "protocol/catalog/catalog.hpp"
#include "protocol/catalog/resource_uri.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::optional<std::string_view> uri_token(const message& of) {
  return of.method == "completion/complete" ? find_member(of.text, {"params", "ref", "uri"})
                                            : find_member(of.text, {"params", "uri"});
}

} // namespace

void catalog::call_resource(message from, effects& out) {
  auto token = uri_token(from);
  auto uri = token ? string_value(*token) : std::nullopt;
  if (!uri)
    return refuse(from, error_code::invalid_params, "The URI is missing", out);
  auto reads = from.method == "resources/read";
  if (auto to = resource_target(*uri)) {
    auto edits = std::vector{replacing(from.text, *token, quoted(to->original))};
    auto shape = reads ? result_shape::read : result_shape::other;
    return call(*to->server, spliced(std::move(from), std::move(edits)), shape, out);
  }
  if (reads)
    return read_everywhere(from, std::move(*uri), out);
  refuse(from, error_code::invalid_params, "Unknown resource: " + *uri, out);
}

std::optional<catalog::target> catalog::resource_target(std::string_view uri) {
  if (auto known = read_merged_uri(uri)) {
    auto named = [&](auto& one) { return one.server.name == known->server; };
    auto found = std::find_if(members_.begin(), members_.end(), named);
    if (found != members_.end())
      return target{&*found, std::move(known->original)};
  }
  auto plain = sole_unprefixed();
  return plain ? std::optional{target{find(plain->id()), std::string{uri}}} : std::nullopt;
}

/// Where one server has no prefix its URIs need no mark either, unless they look like marked ones.
std::string catalog::client_uri(const catalog_member& of, std::string_view original) const {
  if (sole_unprefixed() == &of && !read_merged_uri(original))
    return std::string{original};
  return merged_uri(of.server.name, original);
}

message catalog::with_client_uris(const catalog_member& of, message from, result_shape shape) const {
  auto edits = result_uris(from.text, shape, [&](std::string_view uri) { return client_uri(of, uri); });
  return spliced(std::move(from), std::move(edits));
}

// -- reading what nobody is known to have --------------------------------------------

/// Hosts read `ui://` URIs that they find in `_meta`, which is not mapped. The server that has it answers.
void catalog::read_everywhere(const message& from, std::string uri, effects& out) {
  client_call call;
  for (auto& one : members_)
    if (one.may_list(list_group::resources))
      call.own_ids.push_back(ask(one, from, {.server = one.id(), .why = reason::read, .client_id = from.id}, out));
  if (call.own_ids.empty())
    return refuse(from, error_code::resource_not_found, "Resource not found: " + uri, out);
  call.what = read_round{std::move(uri), call.own_ids.size()};
  calls_[from.id] = std::move(call);
}

/// What was asked for unmapped is answered unmapped: the client looks for the URI that it knows.
void catalog::take_read_answer(const member_call& asked, message from, effects& out) {
  auto call = calls_.find(asked.client_id);
  auto& round = std::get<read_round>(call->second.what);
  auto found = has_result(from.text);
  if (!found && --round.unanswered != 0)
    return;
  auto not_found = "Resource not found: " + round.uri;
  auto others = std::move(call->second.own_ids);
  calls_.erase(call);
  for (auto own : others)
    withdraw(own, made(cancelled_text("0", "another server has it")), out);
  out.push_back(tell_client{found ? relayed(std::move(from), asked.client_id, {})
                                  : made(error_text(asked.client_id, error_code::resource_not_found, not_found))});
}

} // namespace troupe::protocol

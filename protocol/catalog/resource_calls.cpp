#include "protocol/catalog/resource_calls.hpp"

#include "protocol/catalog/list_page.hpp"
#include "protocol/catalog/member_uris.hpp"
#include "protocol/message/splice.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

std::optional<std::string_view> uri_token(const message& of) {
  return of.method == "completion/complete" ? find_member(of.text, {"params", "ref", "uri"})
                                            : find_member(of.text, {"params", "uri"});
}

std::string not_found(const std::string& uri) { return "Resource not found: " + uri; }

} // namespace

void resource_calls::call(message from, catalog_effects& out) {
  auto token = uri_token(from);
  auto uri = token ? string_value(*token) : std::nullopt;
  auto reads = from.method == "resources/read";
  auto to = uri ? owner_of_uri(sender_.members(), *uri) : std::nullopt;
  if (to) {
    auto edits = std::vector{replacing(from.text, *token, quoted(to->original))};
    auto shape = reads ? result_shape::read : result_shape::other;
    return sender_.call(*to->owner, spliced(std::move(from), std::move(edits)), shape, out);
  }
  if (uri && reads)
    return read_everywhere(from, std::move(*uri), out);
  auto why = uri ? "Unknown resource: " + *uri : "The URI is missing";
  out.push_back(refused(from, error_code::invalid_params, why));
}

void resource_calls::read_everywhere(const message& from, std::string uri, catalog_effects& out) {
  read begun{from.id, std::move(uri)};
  for (auto& one : sender_.members().all()) {
    if (!one.may_list(list_group::resources))
      continue;
    sender_.ask(one, from, {.server = one.id(), .is = member_request::kind::read, .id = from.id}, out);
    ++begun.unanswered;
  }
  if (begun.unanswered == 0)
    out.push_back(refused(from, error_code::resource_not_found, not_found(begun.uri)));
  else
    reads_.push_back(std::move(begun));
}

void resource_calls::forget(std::string_view client_id) {
  reads_.remove_if([&](auto& one) { return one.client_id == client_id; });
}

/// What was asked for unmapped is answered unmapped: the client looks for the URI that it knows.
void resource_calls::take_read(const member_request& asked, message from, catalog_effects& out) {
  auto one = std::find_if(reads_.begin(), reads_.end(), [&](auto& read) { return read.client_id == asked.id; });
  auto found = has_object_result(from.text);
  if (!found && --one->unanswered != 0)
    return;
  auto uri = std::move(one->uri);
  reads_.erase(one);
  sender_.withdraw_all(asked.id, own_message(cancelled_text("0", "another server has it")), out);
  out.push_back(tell_client{found ? relayed(std::move(from), asked.id, {})
                                  : own_message(error_text(asked.id, error_code::resource_not_found, not_found(uri)))});
}

} // namespace troupe::protocol

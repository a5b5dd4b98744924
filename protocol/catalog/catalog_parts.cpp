#include "protocol/catalog/catalog_parts.hpp"

#include "protocol/catalog/member_uris.hpp"

#include <string_view>
#include <utility>

namespace troupe::protocol {

namespace {

/// Passes on a request with an unknown method, which does not show its server, only if there is a single server.
void pass_to_only_server(catalog_parts& parts, message from, catalog_effects& out) {
  if (parts.members.all().size() == 1)
    parts.sender.call(parts.members.all().front(), std::move(from), result_shape::other, out);
  else
    out.push_back(refused(from, error_code::method_not_found, "Method not found: " + from.method));
}

void route(catalog_parts& parts, message from, time_point now, catalog_effects& out) {
  if (auto kind = list_asked_by(from.method))
    return parts.lists.ask(from, *kind, now, out);
  if (from.is_method("initialize"))
    return parts.greeting.begin(std::move(from), now, out);
  if (from.is_method("tools/call"))
    return parts.calls_by_name.call(std::move(from), list_kind::tools, out);
  if (from.is_method("prompts/get") || (from.is_method("completion/complete") &&
                                        find_member(from.text, {"params", "ref", "type"}) != "\"ref/resource\""))
    return parts.calls_by_name.call(std::move(from), list_kind::prompts, out);
  if (from.is_method("resources/read") || from.is_method("resources/subscribe") ||
      from.is_method("resources/unsubscribe") || from.is_method("completion/complete"))
    return parts.calls_by_uri.call(std::move(from), out);
  if (from.is_method("logging/setLevel"))
    return parts.level.set(from, out);
  pass_to_only_server(parts, std::move(from), out);
}

void answer_call(catalog_members& members, const member_request& asked, message from, catalog_effects& out) {
  if (auto server = members.find_even_removed(asked.server))
    from = with_client_uris(members, *server, std::move(from), asked.shape);
  out.push_back(send_to_client{relayed(std::move(from), asked.id, {})});
}

} // namespace

catalog_parts::catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal)
    : most_calls{limits.calls}, members(std::move(servers)), questions(limits.questions), retries(limits.seed),
      sender(members, requests, limits.waiting_bytes),
      greeting(sender, limits.greet_patience, limits.eager_patience, limits.version), level(sender),
      announcements(greeting, sender), names(members),
      lists(sender, names, announcements, retries, limits.list_patience, std::move(seal), limits.seed),
      calls_by_name(sender, names), calls_by_uri(sender) {}

void take_client_request(catalog_parts& parts, message from, time_point now, catalog_effects& out) {
  auto refuse = [&](int code, std::string_view why) { out.push_back(refused(from, code, why)); };
  auto greeted = !parts.sender.hello().empty();
  if (from.is_method("ping"))
    out.push_back(send_to_client{gateway_message(empty_result(from.id))});
  else if ((from.is_method("initialize")) == greeted)
    refuse(error_code::invalid_request, "Bad Request: a session is initialized first, and once");
  else if (parts.requests.serves(from.id))
    refuse(error_code::invalid_request, "Bad Request: a request with this id is already in flight");
  else if (parts.requests.served() >= parts.most_calls)
    refuse(error_code::internal_error, "Too many calls are in flight");
  else
    route(parts, std::move(from), now, out);
}

void cancel_client_request(catalog_parts& parts, const message& from, catalog_effects& out) {
  parts.sender.withdraw_all(from.reference, from, out);
  parts.lists.forget(from.reference);
  parts.calls_by_name.forget(from.reference);
}

void take_member_answer(catalog_parts& parts, const member_request& asked, std::uint64_t own, message from,
                        time_point now, catalog_effects& out) {
  using kind = member_request::kind;
  switch (asked.is) {
  case kind::call:
    return answer_call(parts.members, asked, std::move(from), out);
  case kind::page:
    return parts.lists.receive_page(asked, own, std::move(from), now, out);
  case kind::late_page:
    return parts.lists.take_late_page(asked, from, now, out);
  case kind::search:
    return parts.calls_by_name.receive_page(asked, from, out);
  case kind::greeting:
  case kind::level:
    return;
  }
}

} // namespace troupe::protocol

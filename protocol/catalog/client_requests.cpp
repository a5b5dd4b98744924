#include "protocol/catalog/client_requests.hpp"

#include "protocol/catalog/member_uris.hpp"

#include <string_view>
#include <utility>

namespace troupe::protocol {

client_requests::client_requests(const catalog_limits& limits, catalog_members& members, member_request_table& requests,
                                 request_sender& sender, catalog_greeting& greeting, catalog_log_level& level,
                                 catalog_names& names, list_announcements& announcements)
    : most_calls_{limits.calls}, most_waiting_bytes_{limits.waiting_bytes}, members_{members}, requests_{requests},
      sender_{sender}, greeting_{greeting}, level_{level}, lists_{members, sender, names, announcements,
                                                                  limits.list_patience},
      named_calls_{members, sender, names}, resource_calls_{members, sender} {}

void client_requests::take(message from, time_point now, catalog_effects& out) {
  auto refuse = [&](int code, std::string_view why) { out.push_back(refused(from, code, why)); };
  auto needed = [&] { return members_.waiting_bytes() + from.text.size() * members_.all().size(); };
  if (from.method == "ping")
    out.push_back(tell_client{made(empty_result(from.id))});
  else if ((from.method == "initialize") == sender_.hello().has_value())
    refuse(error_code::invalid_request, "Bad Request: a session is initialized first, and once");
  else if (requests_.serves(from.id))
    refuse(error_code::invalid_request, "Bad Request: a request with this id is already in flight");
  else if (requests_.served() >= most_calls_)
    refuse(error_code::internal_error, "Too many calls are in flight");
  else if (!members_.all_ready() && needed() > most_waiting_bytes_)
    refuse(error_code::internal_error, "Too much waits for servers to start");
  else
    route(std::move(from), now, out);
}

void client_requests::route(message from, time_point now, catalog_effects& out) {
  if (auto kind = list_asked_by(from.method))
    return lists_.ask(from, *kind, now, out);
  if (from.method == "initialize")
    return greeting_.begin(std::move(from), now, out);
  if (from.method == "tools/call")
    return named_calls_.call(std::move(from), list_kind::tools, out);
  if (from.method == "prompts/get" ||
      (from.method == "completion/complete" && find_member(from.text, {"params", "ref", "type"}) != "\"ref/resource\""))
    return named_calls_.call(std::move(from), list_kind::prompts, out);
  if (from.method == "resources/read" || from.method == "resources/subscribe" ||
      from.method == "resources/unsubscribe" || from.method == "completion/complete")
    return resource_calls_.call(std::move(from), out);
  if (from.method == "logging/setLevel")
    return level_.set(std::move(from), out);
  pass_on(std::move(from), out);
}

/// A method that nobody here knows says not whom it is for, unless there is but one.
void client_requests::pass_on(message from, catalog_effects& out) {
  if (members_.all().size() == 1)
    sender_.call(members_.all().front(), std::move(from), result_shape::other, out);
  else
    out.push_back(refused(from, error_code::method_not_found, "Method not found: " + from.method));
}

void client_requests::cancel(const message& from, catalog_effects& out) {
  sender_.withdraw_all(from.reference, from, out);
  lists_.forget(from.reference);
  named_calls_.forget(from.reference);
  resource_calls_.forget(from.reference);
}

void client_requests::take_answer(const member_request& asked, std::uint64_t own, message from, catalog_effects& out) {
  using purpose = member_request::purpose;
  switch (asked.why) {
  case purpose::call:
    return answer(asked, std::move(from), out);
  case purpose::page:
    return lists_.take_page(asked, own, std::move(from), out);
  case purpose::late_page:
    return lists_.take_late_page(asked, from, out);
  case purpose::read:
    return resource_calls_.take_read(asked, std::move(from), out);
  case purpose::search:
    return named_calls_.take_page(asked, from, out);
  case purpose::greeting:
  case purpose::level:
    return;
  }
}

void client_requests::answer(const member_request& asked, message from, catalog_effects& out) const {
  if (auto server = members_.find_even_removed(asked.server))
    from = with_client_uris(members_, *server, std::move(from), asked.shape);
  out.push_back(tell_client{relayed(std::move(from), asked.client_id, {})});
}

} // namespace troupe::protocol

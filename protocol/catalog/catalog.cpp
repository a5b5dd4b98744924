#include "protocol/catalog/catalog.hpp"

#include "protocol/catalog/catalog_initialization.hpp"
#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/list_announcements.hpp"
#include "protocol/catalog/member_retries.hpp"
#include "protocol/catalog/member_uris.hpp"
#include "protocol/catalog/merged_lists.hpp"
#include "protocol/catalog/named_calls.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

/// Parts of a catalog, each with its own state. Not movable: a part refers to those before it.
struct catalog_parts {
  catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal);

  /// Most requests of the client in flight.
  std::size_t most_calls;
  catalog_members members;
  member_request_table requests;
  member_questions questions;
  member_retries retries;
  request_sender sender;
  catalog_initialization greeting;
  catalog_log_level level;
  list_announcements announcements;
  catalog_names names;
  merged_lists lists;
  named_calls calls_by_name;
  resource_calls calls_by_uri;
};

catalog_parts::catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal)
    : most_calls{limits.calls}, members(std::move(servers)), questions(limits.questions), retries(limits.seed),
      sender(members, requests, limits.waiting_bytes),
      greeting(sender, limits.greet_patience, limits.eager_patience, limits.version), level(sender),
      announcements(greeting, sender), names(members),
      lists(sender, names, announcements, retries, limits.list_patience, std::move(seal), limits.seed),
      calls_by_name(sender, names), calls_by_uri(sender) {}

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

/// Refuses a request of the client, or begins it.
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

/// Handles the client's `notifications/cancelled`.
void cancel_client_request(catalog_parts& parts, const message& from, catalog_effects& out) {
  parts.sender.withdraw_all(from.reference, from, out);
  parts.lists.forget(from.reference);
  parts.calls_by_name.forget(from.reference);
}

/// Takes a server's answer to a request of ours that served one of the client.
void take_member_answer(catalog_parts& parts, const member_request& asked, std::uint64_t own, message from,
                        time_point now, catalog_effects& out) {
  using kind = member_request::kind;
  switch (asked.is) {
  case kind::call:
    return answer_call(parts.members, asked, std::move(from), out);
  case kind::page:
    return parts.lists.receive_page(asked, own, std::move(from), now, out);
  case kind::late_page:
    return parts.lists.receive_late_page(asked, from, now, out);
  case kind::search:
    return parts.calls_by_name.receive_page(asked, from, out);
  case kind::greeting:
  case kind::level:
    return;
  }
}

} // namespace

using request_kind = member_request::kind;

catalog::catalog(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal)
    : parts_{std::make_unique<catalog_parts>(limits, std::move(servers), std::move(seal))} {}

catalog::~catalog() = default;
catalog::catalog(catalog&&) noexcept = default;
catalog& catalog::operator=(catalog&&) noexcept = default;

// -- from the client ---------------------------------------------------------------

catalog_effects catalog::client_sent(message from, time_point now) {
  effects out;
  if (!parts_)
    return out;
  if (is_request(from))
    take_client_request(*parts_, std::move(from), now, out);
  else if (is_notification(from))
    receive_client_notification(std::move(from), now, out);
  else
    parts_->questions.answer(std::move(from), out);
  return out;
}

void catalog::receive_client_notification(message from, time_point now, effects& out) {
  if (from.is_method("notifications/initialized"))
    return;
  if (is_cancellation(from)) {
    cancel_client_request(*parts_, from, out);
    return let_go(now, out);
  }
  if (is_progress(from))
    return parts_->questions.progress(std::move(from), out);
  auto& members = parts_->members.all();
  if (members.size() > 1 && from.text.size() > longest_for_all)
    return;
  for (auto& one : members)
    if (one.ready())
      out.push_back(send_to_member{one.id(), from});
}

// -- from servers ------------------------------------------------------------------

catalog_effects catalog::server_sent(std::uint64_t server, message from, time_point now) {
  effects out;
  auto one = parts_ ? parts_->members.find_even_removed(server) : nullptr;
  if (!one)
    return out;
  if (from.kind == message_kind::response) {
    auto own = own_id(from.id);
    auto asked = own ? parts_->requests.find(*own) : nullptr;
    if (asked && asked->server == server)
      receive_response(*own, std::move(from), now, out);
  } else if (is_notification(from)) {
    receive_server_notification(*one, std::move(from), out);
  } else if (from.is_method("ping")) {
    out.push_back(send_to_member{server, gateway_message(empty_result(from.id))});
  } else {
    receive_server_request(server, std::move(from), out);
  }
  return out;
}

void catalog::receive_server_request(std::uint64_t server, message from, effects& out) {
  if (!parts_->questions.is_full())
    return parts_->questions.ask(server, std::move(from), parts_->requests.new_id(), out);
  auto text = error_text(from.id, error_code::internal_error, "Too many requests wait for the client");
  out.push_back(send_to_member{server, gateway_message(std::move(text))});
}

void catalog::receive_server_notification(catalog_member& one, message from, effects& out) {
  if (is_progress(from))
    return parts_->sender.progress(one.id(), std::move(from), out);
  if (is_cancellation(from))
    return parts_->questions.withdraw(one.id(), std::move(from), out);
  if (auto group = group_changed_by(from.method))
    return parts_->announcements.announced(one, *group, std::move(from), out);
  if (from.is_method("notifications/resources/updated"))
    from = with_client_uri(parts_->members, one, std::move(from));
  out.push_back(send_to_client{std::move(from)});
}

void catalog::receive_response(std::uint64_t own, message from, time_point now, effects& out) {
  auto asked = parts_->requests.extract(own);
  if (!asked)
    return;
  if (asked->is != request_kind::greeting) {
    take_member_answer(*parts_, *asked, own, std::move(from), now, out);
    let_go(now, out);
  } else if (auto server = parts_->members.find(asked->server)) {
    receive_initialize(*server, from, now, out);
  }
}

void catalog::receive_initialize(catalog_member& one, const message& from, time_point now, effects& out) {
  auto why = parts_->greeting.receive_response(one, from, out);
  if (why.empty()) {
    parts_->retries.forget({one.id()});
    parts_->level.tell(one, out);
    parts_->sender.send_waiting(one, out);
    parts_->announcements.returned(one.id(), out);
  } else {
    parts_->announcements.down(one.id(), why);
    const auto is_lost = from.outcome.is == call_outcome::kind::lost;
    for (auto& request : std::exchange(one.waiting, {}))
      fail(*own_id(request.id), why, now, out, is_lost ? from.outcome : failed_with(error_code::internal_error),
           from.is_shortage);
  }
  parts_->greeting.answer_if_complete(out);
}

/// Answers a request with an error in place of its server.
void catalog::fail(std::uint64_t own, std::string_view why, time_point now, effects& out, call_outcome how,
                   bool is_shortage) {
  auto answer = gateway_message(error_text(std::to_string(own), error_code::internal_error, why));
  answer.outcome = how;
  answer.is_shortage = is_shortage;
  receive_response(own, std::move(answer), now, out);
}

// -- servers that go ---------------------------------------------------------------

/// If a shortage ends the session, leaves its requests to `end_catalog`, which refuses them as temporary failures.
catalog_effects catalog::server_lost(std::uint64_t server, const std::string& why, time_point now, bool is_shortage) {
  effects out;
  if (!parts_ || !parts_->members.find_even_removed(server))
    return out;
  auto member = parts_->members.find(server);
  if (member && member->ready())
    parts_->announcements.lost(server);
  else if (member && member->is == catalog_member::phase::greeting)
    parts_->retries.failed({server}, now);
  auto is_end = member && member->server.ends_session;
  if (!is_end || !is_shortage)
    abandon(server, why, now, out, is_shortage);
  if (is_end) {
    parts_.reset();
    out.push_back(end_catalog{why, is_shortage});
  }
  return out;
}

/// Fails the requests to a server that exited and withdraws its questions. Uses a snapshot, as the server may be sent
/// new requests meanwhile. `initialize` fails first: the other requests wait for it.
void catalog::abandon(std::uint64_t server, const std::string& why, time_point now, effects& out, bool is_shortage) {
  if (auto one = parts_->members.find_even_removed(server))
    one->is = catalog_member::phase::idle;
  auto lost = parts_->requests.ids_where([&](auto& asked) { return asked.server == server; });
  auto greets = [&](std::uint64_t own) { return parts_->requests.find(own)->is == request_kind::greeting; };
  std::stable_partition(lost.begin(), lost.end(), greets);
  for (auto own : lost)
    fail(own, why, now, out, {call_outcome::kind::lost}, is_shortage);
  parts_->questions.withdraw_all(server, why, out);
}

catalog_effects catalog::servers_changed(std::vector<catalog_server> servers, time_point now) {
  effects out;
  if (!parts_)
    return out;
  auto before = parts_->members.all().size();
  auto removed = parts_->members.replace(std::move(servers));
  parts_->names.servers_changed();
  for (auto& one : removed)
    remove(std::move(one), now, out);
  parts_->greeting.greet_new(out);
  if (!removed.empty() || parts_->members.all().size() != before)
    parts_->announcements.announce_all(out);
  return out;
}

/// Lets the calls at a removed server finish, if it was ready; everything else that involves it fails.
void catalog::remove(catalog_member gone, time_point now, effects& out) {
  auto id = gone.id();
  auto ready = gone.ready();
  parts_->members.keep(std::move(gone));
  parts_->announcements.removed(id);
  parts_->retries.forget_all(id);
  parts_->lists.removed(id);
  auto ends = [&](auto& asked) { return asked.server == id && (asked.is != request_kind::call || !ready); };
  for (auto own : parts_->requests.ids_where(ends))
    fail(own, "The MCP server was removed", now, out);
  let_go(now, out);
}

/// Forgets removed servers that have no requests left to answer.
void catalog::let_go(time_point now, effects& out) {
  for (auto id : parts_->members.removed()) {
    if (!parts_->requests.ids_where([&](auto& asked) { return asked.server == id; }).empty())
      continue;
    abandon(id, "The MCP server was removed", now, out);
    parts_->members.forget(id);
    out.push_back(member_left{id});
  }
}

// -- time --------------------------------------------------------------------------

catalog_effects catalog::tick(time_point now) {
  effects out;
  if (!parts_)
    return out;
  parts_->greeting.tick(now, out);
  for (auto& client_id : parts_->requests.late(now))
    parts_->lists.finish(client_id, now, out);
  for (auto own : parts_->requests.overdue(now))
    parts_->lists.give_up(*parts_->requests.find(own), own, now, out);
  parts_->lists.tick(now, out);
  for (auto& due : parts_->retries.extract_due(now))
    if (due.list)
      parts_->lists.ask_again({due.server, *due.list}, now, out);
    else
      parts_->sender.greet(*parts_->members.find(due.server), out);
  return out;
}

time_point catalog::deadline() const {
  if (!parts_)
    return time_point::max();
  return std::min(
      {parts_->greeting.deadline(), parts_->requests.deadline(), parts_->retries.deadline(), parts_->lists.deadline()});
}

std::size_t catalog::calls_in_flight() const { return parts_ ? parts_->requests.served() : 0; }
std::size_t catalog::requests_in_flight() const { return parts_ ? parts_->requests.size() : 0; }
std::vector<std::string> catalog::calls_of(const message& question) const {
  auto server = parts_ ? parts_->questions.server_of(question.id) : std::nullopt;
  std::vector<std::string> result;
  if (server)
    for (auto call :
         parts_->requests.ids_where([&](auto& asked) { return asked.server == *server && !asked.id.empty(); }))
      result.push_back(parts_->requests.find(call)->id);
  return result;
}

std::size_t catalog::questions_in_flight() const { return parts_ ? parts_->questions.size() : 0; }

} // namespace troupe::protocol

#include "protocol/catalog/request_sender.hpp"

#include <cassert>

namespace troupe::protocol {

std::uint64_t member_request_table::add(member_request one) {
  served_ += one.id.empty() || serves(one.id) ? 0 : 1;
  return table_.add(std::move(one));
}

std::optional<member_request> member_request_table::extract(std::uint64_t own) {
  auto result = table_.extract(own);
  if (result)
    stopped_serving(result->id);
  return result;
}

void member_request_table::make_late(std::uint64_t own, time_point until) {
  std::string client_id;
  table_.change(own, [&](member_request& page) {
    client_id = std::exchange(page.id, {});
    page.is = member_request::kind::late_page;
    page.deadline = until;
  });
  stopped_serving(client_id);
}

void member_request_table::stopped_serving(std::string_view client_id) {
  served_ -= client_id.empty() || serves(client_id) ? 0 : 1;
}

std::set<std::string> member_request_table::late(time_point now) const {
  std::set<std::string> result;
  if (deadline() <= now)
    for (auto own : ids_where([&](auto& one) { return one.deadline <= now && one.is == member_request::kind::page; }))
      result.insert(find(own)->id);
  return result;
}

std::vector<std::uint64_t> member_request_table::overdue(time_point now) const {
  auto is_overdue = [&](auto& one) { return one.deadline <= now && one.is == member_request::kind::late_page; };
  return deadline() <= now ? ids_where(is_overdue) : std::vector<std::uint64_t>{};
}

void member_questions::ask(std::uint64_t server, message from, std::uint64_t own, catalog_effects& out) {
  assert(!is_full());
  // Ids share the counter of the requests to servers.
  questions_.count_from(own - 1);
  questions_.add({.asker = server}, from);
  out.push_back(send_to_client{std::move(from)});
}

void member_questions::answer(message from, catalog_effects& out) {
  if (auto asked = questions_.answered(from))
    out.push_back(send_to_member{asked->asker, std::move(from)});
}

void member_questions::progress(message from, catalog_effects& out) {
  if (auto asked = questions_.progressed(from))
    out.push_back(send_to_member{asked->asker, std::move(from)});
}

void member_questions::withdraw(std::uint64_t server, message from, catalog_effects& out) {
  if (questions_.cancelled(server, from))
    out.push_back(send_to_client{std::move(from)});
}

void member_questions::withdraw_all(std::uint64_t server, const std::string& why, catalog_effects& out) {
  for (auto own : questions_.of(server)) {
    questions_.extract(own);
    out.push_back(send_to_client{cancellation_of(own, why)});
  }
}

using request_kind = member_request::kind;

bool request_sender::may_wait(const message& request, std::size_t servers, catalog_effects& out) const {
  if (servers == 0 || waiting_bytes() + request.text.size() * servers <= most_waiting_)
    return true;
  out.push_back(refused(request, error_code::internal_error, "Too much waits for servers to start"));
  return false;
}

/// Bytes in the queues of servers, and of requests that wait for a search.
std::size_t request_sender::waiting_bytes() const {
  auto result = members_.waiting_bytes();
  for (auto own : requests_.ids_where([](auto& asked) { return asked.holds != 0; }))
    result += requests_.find(own)->holds;
  return result;
}

std::uint64_t request_sender::ask(catalog_member& to, message what, member_request how, catalog_effects& out) {
  auto at_once = to.ready() || how.is == request_kind::greeting;
  auto own = requests_.add(std::move(how));
  auto id = std::to_string(own);
  what = relayed(std::move(what), id, id);
  if (at_once) {
    out.push_back(send_to_member{to.id(), std::move(what)});
    return own;
  }
  to.waiting.push_back(std::move(what));
  greet(to, out);
  return own;
}

void request_sender::call(catalog_member& to, message what, result_shape shape, catalog_effects& out) {
  if (!may_wait(what, to.ready() ? 0 : 1, out))
    return;
  member_request how{to.id(), request_kind::call, what.id, what.reference, shape};
  ask(to, std::move(what), std::move(how), out);
}

void request_sender::greet(catalog_member& one, catalog_effects& out) {
  if (one.is != catalog_member::phase::idle || hello_.empty())
    return;
  one.is = catalog_member::phase::greeting;
  auto hello = gateway_message(hello_);
  hello.claims_modern = reads_modern_;
  ask(one, std::move(hello), {.server = one.id(), .is = request_kind::greeting}, out);
}

void request_sender::send_waiting(catalog_member& one, catalog_effects& out) {
  for (auto& request : std::exchange(one.waiting, {}))
    out.push_back(send_to_member{one.id(), std::move(request)});
}

void request_sender::withdraw_all(std::string_view client_id, const message& cancelled, catalog_effects& out) {
  for (auto own : requests_.serving(client_id))
    withdraw(own, cancelled, out);
}

void request_sender::withdraw(std::uint64_t own, const message& cancelled, catalog_effects& out) {
  auto asked = requests_.extract(own);
  auto server = asked ? members_.find_even_removed(asked->server) : nullptr;
  if (server && !server->drop_waiting(own))
    out.push_back(send_to_member{server->id(), relayed(cancelled, {}, std::to_string(own))});
}

void request_sender::forget(std::uint64_t server, request_kind is) {
  for (auto own : requests_.ids_where([&](auto& asked) { return asked.server == server && asked.is == is; }))
    requests_.extract(own);
}

bool request_sender::make_late(std::uint64_t own, time_point until) {
  if (members_.find(requests_.find(own)->server)->drop_waiting(own)) {
    requests_.extract(own);
    return false;
  }
  requests_.make_late(own, until);
  return true;
}

void request_sender::progress(std::uint64_t server, message from, catalog_effects& out) const {
  auto asked = requests_.progressed(from);
  if (asked && asked->server == server)
    out.push_back(send_to_client{std::move(from)});
}

} // namespace troupe::protocol

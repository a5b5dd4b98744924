#include "protocol/catalog/member_requests.hpp"

#include <cassert>
#include <utility>

namespace troupe::protocol {

std::uint64_t member_request_table::add(member_request one) {
  served_ += one.id.empty() || serves(one.id) ? 0 : 1;
  return table_.add(std::move(one));
}

std::optional<member_request> member_request_table::take(std::uint64_t own) {
  auto result = table_.take(own);
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
    for (auto own : which([&](auto& one) { return one.deadline <= now && one.is == member_request::kind::page; }))
      result.insert(find(own)->id);
  return result;
}

std::vector<std::uint64_t> member_request_table::overdue(time_point now) const {
  auto is_overdue = [&](auto& one) { return one.deadline <= now && one.is == member_request::kind::late_page; };
  return deadline() <= now ? which(is_overdue) : std::vector<std::uint64_t>{};
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
    questions_.take(own);
    out.push_back(send_to_client{cancellation_of(own, why)});
  }
}

} // namespace troupe::protocol

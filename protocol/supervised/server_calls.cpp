#include "protocol/supervised/server_calls.hpp"

#include "protocol/message/methods.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::size_t most = 1000;
constexpr auto kept_for = std::chrono::seconds{30};

} // namespace

void cancelled_calls::add(std::uint64_t own, user_id user, time_point now) {
  if (all_.size() < most)
    all_.emplace(own, cancelled_call{user, now + kept_for});
}

void cancelled_calls::tick(time_point now) {
  std::erase_if(all_, [&](auto& one) { return now >= one.second.until; });
}

bool cancelled_calls::only_of(user_id user) const {
  return all_.size() < most &&
         std::all_of(all_.begin(), all_.end(), [&](auto& one) { return one.second.user == user; });
}

// -- to the server -------------------------------------------------------------------------

void server_calls::send(relayed_call&& one, message&& from, time_point now, server_effects& out,
                        envelope_of_user envelope) {
  one.is_interactive = is_interactive(from.method);
  one.cap = now + rules_.request_cap;
  one.deadline = next_deadline(one, now);
  if (keeps_)
    keep(one, from);
  under_way_.add(std::move(one), from);
  out.emplace_back(send_to_server{std::move(from), std::move(envelope)});
}

/// Keeps no request a second time: a server that refuses it again would refuse it for ever.
void server_calls::keep(relayed_call& one, const message& from) {
  if (!one.has_user() || from.is_second_try)
    return;
  if (auto bytes = bytes_to_keep_.try_acquire(from.text.size()))
    one.kept = std::make_unique<kept_request>(kept_request{from, std::move(*bytes)});
}

void server_calls::send_ours(relayed_call&& one, std::string_view method, std::string_view params, time_point now,
                             server_effects& out, envelope_of_user envelope) {
  one.is = relayed_call::kind::ours;
  auto text = R"({"jsonrpc":"2.0","id":0,"method":")" + std::string{method} + R"(","params":)" + std::string{params};
  send(std::move(one), gateway_message(text + "}"), now, out, std::move(envelope));
}

std::string server_calls::add_initialize(relayed_call&& one, time_point now) {
  one.is = relayed_call::kind::initialize;
  one.deadline = one.cap = now + rules_.initialize;
  return std::to_string(under_way_.add(std::move(one)));
}

// -- from the server -----------------------------------------------------------------------

std::optional<relayed_call> server_calls::answered(const message& answer) {
  auto own = own_id(answer.id);
  if (!own)
    return std::nullopt;
  cancelled_.answered(*own);
  return under_way_.extract(*own);
}

void server_calls::receive_progress(message&& from, time_point now, server_effects& out) {
  auto asked = under_way_.progressed(from);
  if (!asked)
    return;
  asked->deadline = next_deadline(*asked, now);
  out.emplace_back(send_to_user{asked->user, std::move(from)});
}

// -- requests of the server ----------------------------------------------------------------

void server_calls::await_user(user_id user, time_point now) {
  questions_.add(user);
  if (questions_.of(user) == 1)
    set_deadlines(user, now);
}

void server_calls::question_over(user_id user, time_point now) {
  if (questions_.remove(user) && questions_.of(user) == 0)
    set_deadlines(user, now);
}

void server_calls::set_deadlines(user_id user, time_point now) {
  for (auto own : under_way_.of(user))
    if (auto& one = *under_way_.find(own); one.is_interactive)
      under_way_.set_deadline(own, next_deadline(one, now));
}

time_point server_calls::next_deadline(const relayed_call& one, time_point now) const {
  auto awaits_user = one.is_interactive && questions_.of(one.user) != 0;
  return awaits_user ? one.cap : std::min(now + rules_.request, one.cap);
}

// -- ends ----------------------------------------------------------------------------------

void server_calls::cancel(std::uint64_t own, time_point now) {
  if (auto one = under_way_.extract(own))
    cancelled(own, *one, now);
}

/// Recorded only for shared servers, to find the user that a later request of the server concerns.
void server_calls::cancelled(std::uint64_t own, const relayed_call& one, time_point now) {
  if (!rules_.dedicated && one.is == relayed_call::kind::relay)
    cancelled_.add(own, one.user, now);
}

void server_calls::user_disconnected(user_id user, time_point now, server_effects& out) {
  for (auto own : under_way_.of(user)) {
    if (under_way_.find(own)->is == relayed_call::kind::subscription) {
      disown(own);
      continue;
    }
    cancel(own, now);
    out.push_back(send_to_server{cancellation_of(own, "the client left")});
  }
}

relayed_calls::numbered server_calls::extract_late(time_point now) {
  cancelled_.tick(now);
  return under_way_.extract_late(now);
}

kept_requests server_calls::extract_kept() {
  kept_requests result;
  for (auto own : under_way_.ids_where([](auto& one) { return one.kept && one.has_user(); })) {
    auto one = *under_way_.extract(own);
    one.kept->what.is_second_try = true;
    result.emplace_back(one.user, std::move(one.kept->what));
  }
  return result;
}

relayed_calls::numbered server_calls::extract_all() {
  cancelled_.clear();
  questions_.clear();
  return under_way_.extract_all();
}

std::optional<user_id> server_calls::user_of(std::string_view id) const {
  auto one = under_way_.find(id);
  return one ? one->requester() : std::nullopt;
}

std::optional<user_id> server_calls::log_receiver(std::string_view id, std::optional<severity> level) const {
  auto one = under_way_.find(id);
  return one && one->asks_to_log(level) ? one->requester() : std::nullopt;
}

std::optional<user_id> server_calls::only_user() const {
  auto user = under_way_.only_asker();
  return user && cancelled_.only_of(*user) ? user : std::nullopt;
}

std::string_view server_calls::why_no_only_user() const {
  if (under_way_.only_asker())
    return "another client cancelled a request within the last 30 seconds that has no answer, so it may be for that "
           "one";
  return under_way_.requested() != 0 ? "several have a request in flight" : "none has a request in flight";
}

/// A stateless (2026-07-28) server sends no messages less severe than the request asks for. On stdio it does not name
/// the request.
std::optional<user_id> server_calls::only_log_receiver(std::optional<severity> level) const {
  std::optional<user_id> result;
  for (auto own : under_way_.ids_where([&](auto& one) { return one.asks_to_log(level); })) {
    auto user = under_way_.find(own)->user;
    if (result && *result != user)
      return std::nullopt;
    result = user;
  }
  return result && cancelled_.only_of(*result) ? result : std::nullopt;
}

} // namespace troupe::protocol

#include "protocol/supervised/server_questions.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe::protocol {

void refuse_question(std::string_view id, std::string_view why, server_effects& out) {
  out.push_back(tell_server{own_message(error_text(id, error_code::internal_error, why))});
}

void server_questions::ask(user_id user, message&& from, time_point now, server_effects& out) {
  auto is_of_user = [&](auto& one) { return one.user == user; };
  if (under_way_.size() >= rules_.questions && under_way_.those(is_of_user).size() >= rules_.questions)
    return refuse_question(from.id, "Too many requests wait for the client", out);
  auto deadline = now + std::min(rules_.question, rules_.request_cap);
  auto own = std::to_string(under_way_.add({user, from.id, from.reference, deadline, now + rules_.request_cap}));
  calls_.await_user(user, now);
  out.push_back(tell_user{user, relayed(std::move(from), own, own)});
}

server_question server_questions::take(std::uint64_t own, time_point now) {
  auto asked = *under_way_.take(own);
  calls_.question_over(asked.user, now);
  return asked;
}

void server_questions::withdraw(message&& cancelled, time_point now, server_effects& out) {
  auto own = under_way_.own_id_of(0, cancelled.reference);
  if (!own)
    return;
  auto asked = take(*own, now);
  out.push_back(tell_user{asked.user, relayed(std::move(cancelled), {}, std::to_string(*own))});
}

void server_questions::take_answer(user_id user, message&& from, time_point now, server_effects& out) {
  auto own = own_id(from.id);
  auto asked = own ? under_way_.find(*own) : nullptr;
  if (asked && asked->user == user)
    out.push_back(tell_server{relayed(std::move(from), take(*own, now).id, {})});
}

void server_questions::take_progress(user_id user, message&& from, time_point now, server_effects& out) {
  auto own = own_id(from.reference);
  auto asked = own ? under_way_.find(*own) : nullptr;
  if (!asked || asked->user != user || asked->token.empty())
    return;
  out.push_back(tell_server{relayed(std::move(from), {}, asked->token)});
  asked->deadline = std::min(now + rules_.question, asked->cap);
}

void server_questions::user_left(user_id user, time_point now, server_effects& out) {
  for (auto own : under_way_.those([&](auto& one) { return one.user == user; }))
    refuse_question(take(own, now).id, "The client left", out);
}

void server_questions::fail_late(time_point now, server_effects& out) {
  for (auto& [own, asked] : under_way_.take_late(now)) {
    calls_.question_over(asked.user, now);
    refuse_question(asked.id, "The client did not answer in time", out);
    out.push_back(tell_user{asked.user, own_message(cancelled_text(std::to_string(own), "timeout"))});
  }
}

void server_questions::server_lost(server_effects& out) {
  for (auto& [own, asked] : under_way_.take_all())
    out.push_back(tell_user{asked.user, own_message(cancelled_text(std::to_string(own), "the MCP server stopped"))});
}

} // namespace troupe::protocol

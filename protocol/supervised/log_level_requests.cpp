#include "protocol/supervised/log_level_requests.hpp"

#include "protocol/message/message.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

namespace {

std::string level_params(severity level) { return R"({"level":")" + std::string{name_of(level)} + R"("})"; }

std::optional<severity> level_param(const message& one) { return read_severity(string_param(one, "level")); }

} // namespace

void log_level_requests::take(user_id user, message&& request, time_point now, server_effects& out) {
  auto level = level_param(request);
  if (!level && rules_.dedicated)
    return calls_.send({.user = user}, std::move(request), now, out);
  if (!level)
    return users_.answer(user, own_message(error_text(request.id, error_code::invalid_params, "Unknown log level")),
                         out);
  set(user, *level);
  if (users_.names_each())
    return calls_.send({.is = relayed_call::kind::log_level, .user = user}, std::move(request), now, out,
                       users_.envelope_of(user));
  auto news = all_.news();
  if (rules_.dedicated || news == level)
    return calls_.send({.is = relayed_call::kind::log_level, .user = user}, std::move(request), now, out);
  if (news)
    calls_.send_ours({}, "logging/setLevel", level_params(*news), now, out);
  users_.answer(user, own_message(empty_result(request.id)), out);
}

bool log_level_requests::remember(user_id user, const message& request, server_effects& out) {
  auto level = takes(request) ? level_param(request) : std::nullopt;
  if (!level)
    return false;
  set(user, *level);
  users_.answer(user, own_message(empty_result(request.id)), out);
  return true;
}

void log_level_requests::set(user_id user, severity level) {
  all_.set(user, level);
  users_.set_level(user, level);
}

/// A level that the server refuses is forgotten; it is told the most verbose of the other users' levels again.
void log_level_requests::take_answer(const relayed_call& asked, const message& answer, time_point now,
                                     server_effects& out) {
  users_.answer(asked.user, relayed(answer, asked.id, {}), out);
  if (has_result(answer))
    return;
  all_.forget(asked.user);
  users_.set_level(asked.user, std::nullopt);
  all_.untold();
  tell_news(now, out);
}

void log_level_requests::tell_news(time_point now, server_effects& out) {
  if (users_.names_each())
    return;
  if (auto news = all_.news())
    calls_.send_ours({}, "logging/setLevel", level_params(*news), now, out);
}

void log_level_requests::publish(const message& log, std::string_view concerns, server_effects& out) const {
  auto level = level_param(log);
  if (users_.names_each()) {
    if (auto user = concerns.empty() ? calls_.only_user_told(level) : calls_.user_told(concerns, level))
      out.push_back(tell_user{*user, log});
    return;
  }
  for (auto& [user, of] : users_.all())
    if (of.greeted && (!level || all_.passes(user, *level)))
      out.push_back(tell_user{user, log});
}

} // namespace troupe::protocol

// What time does to a session, and how it ends: a further part of `session`.

#include "protocol/seconds.hpp"
#include "protocol/session/session.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

effects session::server_lost(const std::string& why, time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  fail_calls(why, now, out);
  end(why, now, out);
  return out;
}

void session::fail_calls(const std::string& why, time_point now, effects& out) {
  for (auto& [own, asked] : calls_.take_late(time_point::max()))
    way_->answer(asked.exchange, error_text(asked.id, error_code::internal_error, why), now, out);
}

effects session::tick(time_point now) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  fail_late_calls(now, out);
  if (phase_ == phase::ended)
    return out;
  fail_late_questions(now, out);
  if (busy())
    touched_ = now;
  way_->tick(now, out);
  if (phase_ == phase::fresh && now >= begun_ + limits_.initialize)
    end("its client did not initialize it", now, out);
  else if (!busy() && now >= touched_ + limits_.idle)
    end("it was idle", now, out);
  else
    record_.refresh(record_age::silent(limits_.idle), now, out);
  return out;
}

void session::fail_late_calls(time_point now, effects& out) {
  for (auto& [own, asked] : calls_.take_late(now)) {
    auto starting = agreeing();
    auto limit = now >= asked.cap && !starting ? limits_.request_cap : starting ? limits_.initialize : limits_.request;
    auto why = "The MCP server did not answer within " + seconds_text(limit);
    way_->answer(asked.exchange, error_text(asked.id, error_code::internal_error, why), now, out);
    if (starting)
      return end(why, now, out);
    record_.forsaken(own);
    out.push_back(forward{made(cancelled_text(std::to_string(own), "timeout"))});
    touched_ = now;
  }
  end_when_drained(now, out);
}

void session::fail_late_questions(time_point now, effects& out) {
  for (auto& [own, asked] : questions_.take_late(now)) {
    out.push_back(forward{made(error_text(asked.id, error_code::internal_error, "The client did not answer in time"))});
    auto cancelled = made(cancelled_text(std::to_string(own), "timeout"));
    way_->follow(asked.exchange, std::move(cancelled), now, out);
  }
}

effects session::drain(const std::string& why, bool at_once, time_point now, bool for_good) {
  effects out;
  if (phase_ == phase::ended)
    return out;
  draining_ = why;
  for_good_ = for_good_ || for_good;
  if (at_once)
    fail_calls("The call was cut off: " + why, now, out);
  end_when_drained(now, out);
  return out;
}

void session::end_when_drained(time_point now, effects& out) {
  if (draining_ && calls_.empty() && phase_ != phase::ended)
    end(*draining_, now, out, record_.is_kept() && !for_good_);
}

void session::end(std::string why, time_point now, effects& out, bool survives) {
  if (survives)
    record_.finish(now, out);
  phase_ = phase::ended;
  way_->end(now, out);
  turn_away(out);
  out.push_back(end_session{std::move(why), survives});
}

time_point session::deadline() const {
  if (phase_ == phase::ended)
    return time_point::max();
  auto first = std::min({calls_.deadline(), questions_.deadline(), way_->deadline()});
  if (phase_ == phase::fresh)
    first = std::min(first, begun_ + limits_.initialize);
  first = std::min(first, record_.deadline(limits_.idle));
  return busy() ? first : std::min(first, touched_ + limits_.idle);
}

} // namespace troupe::protocol

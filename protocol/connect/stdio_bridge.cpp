#include "protocol/connect/stdio_bridge.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/message/skipped_message.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <limits>

namespace troupe::protocol {

namespace {

/// Limits of calls are long, since the client has its own; ours only end calls that it has forgotten. Reconnects to a
/// server without limit.
supervision_rules supervision_of(const bridge_rules& rules) {
  supervision_rules result;
  result.dedicated = true;
  result.may_become_older = true;
  result.may_forget = true;
  result.restarts = {.longest_delay = std::chrono::seconds{10},
                     .attempts = std::numeric_limits<std::size_t>::max(),
                     .steady = std::chrono::seconds{1}};
  result.request = std::chrono::hours{1};
  result.request_cap = std::chrono::hours{24};
  result.initialize = rules.initialize;
  result.waiting_bytes = 2 * rules.longest_line;
  result.version = rules.version;
  return result;
}

const char* words_for(server_status::phase is) {
  switch (is) {
  case server_status::phase::starting:
    return "connecting";
  case server_status::phase::ready:
    return "connected";
  case server_status::phase::idle:
    return "disconnected";
  default:
    return "the remote server is not there";
  }
}

} // namespace

stdio_bridge::stdio_bridge(bridge_rules rules)
    : rules_{std::move(rules)}, server_{supervision_of(rules_), rules_.seed}, stateless_{rules_.version, rules_.seal} {}

// -- from the client -----------------------------------------------------------------------

connect_effects stdio_bridge::client_wrote(std::string line, time_point now) {
  if (over_ || ends_at_)
    return {};
  auto read = read_client_body(std::move(line));
  if (auto* bad = std::get_if<rejection>(&read))
    refuse(*bad);
  else
    for (auto& one : std::get<post_body>(read).messages)
      if (auto why = refuse_form_of(one))
        refuse(*why);
      else
        receive_from_client(std::move(one), now);
  return settled(now);
}

void stdio_bridge::refuse(const rejection& why) {
  out_.push_back(log_note{log_note::weight::warning, "the client wrote something that is no MCP message: " + why.text});
  out_.push_back(write_line{error_text(why.id, why.code, why.text)});
}

/// Answers a request that was too long with an error; sends an error to the server in place of such a response.
connect_effects stdio_bridge::client_skipped(const skipped_line& line, time_point now) {
  auto judged = classify_skipped(line.head, line.tail, rules_.longest_line);
  out_.push_back(
      log_note{log_note::weight::warning, "the client wrote a line that is too long; it was " + judged.what});
  if (judged.for_server)
    out_.push_back(write_line{std::move(judged.for_server->text)});
  if (judged.for_user)
    receive_from_client(std::move(*judged.for_user), now);
  return settled(now);
}

/// The client's first request sets its era; `initialize` begins a session at any time.
void stdio_bridge::receive_from_client(message&& what, time_point now) {
  if (is_request(what) && what.is_method("initialize"))
    begin_session(now);
  else if (!is_request(what) && era_ == era::unknown)
    return note_too_early(what);
  else if (is_request(what) && era_ == era::unknown && (what.claims_modern || what.is_method("server/discover")))
    era_ = era::stateless;
  if (era_ == era::stateless)
    carry_out(stateless_.client_sent(std::move(what), now), now);
  else
    ask(std::move(what), now);
  settle(now);
}

void stdio_bridge::note_too_early(const message& what) {
  auto name = what.kind == message_kind::response ? "a response" : one_line(what.method);
  out_.push_back(log_note{log_note::weight::warning, "the client began with " + name + ", which was dropped"});
}

void stdio_bridge::begin_session(time_point now) {
  if (era_ == era::stateless)
    end_stateless("The client has begun a session", now);
  era_ = era::session;
  settle(now);
}

connect_effects stdio_bridge::client_ended(time_point now) {
  if (!ends_at_)
    ends_at_ = now + rules_.last_wait;
  return settled(now);
}

/// The server's requests in flight end with the session.
connect_effects stdio_bridge::client_gone(time_point now) {
  ends_at_ = now;
  return settled(now);
}

void stdio_bridge::carry_out(stateless_client::outcome result, time_point now) {
  for (auto& line : result.lines)
    out_.push_back(write_line{std::move(line)});
  if (result.is_anew)
    end_session(now);
  for (auto& what : result.for_server)
    ask(std::move(what), now);
}

void stdio_bridge::ask(message&& what, time_point now) {
  if (!is_greeted_ && is_initialize(what))
    greeting_ = what.id;
  enqueue(server_.user_sent(user_, std::move(what), now));
}

/// Later messages belong to a new user, so that effects for the old user are ignored.
void stdio_bridge::end_session(time_point now) {
  enqueue(server_.user_disconnected(user_++, now));
  greeting_.clear();
  is_greeted_ = false;
}

void stdio_bridge::end_stateless(std::string_view why, time_point now) {
  carry_out(stateless_.end(why), now);
  end_session(now);
}

// -- from the server -----------------------------------------------------------------------

connect_effects stdio_bridge::receive_event(call_event news, time_point now) {
  if (!wires_.is_current(news.call))
    return {};
  carry_out(wires_.receive_event(std::move(news), now));
  return settled(now);
}

connect_effects stdio_bridge::tick(time_point now) {
  carry_out(wires_.tick(now));
  settle(now);
  carry_out(stateless_.tick(now), now);
  enqueue(server_.tick(now));
  return settled(now);
}

time_point stdio_bridge::deadline() const {
  if (over_)
    return time_point::max();
  return std::min({server_.deadline(), stateless_.deadline(), wires_.deadline(), ends_at_.value_or(time_point::max())});
}

/// Each event of the server is handled only after all effects of the one before.
void stdio_bridge::settle(time_point now) {
  while (!to_do_.empty() || !news_.empty())
    if (!to_do_.empty()) {
      auto effect = std::move(to_do_.front());
      to_do_.pop_front();
      std::visit([&](auto& one) { perform(std::move(one), now); }, effect);
    } else {
      auto news = std::move(news_.front());
      news_.pop_front();
      hear(std::move(news), now);
    }
}

connect_effects stdio_bridge::settled(time_point now) {
  settle(now);
  end_if_over(now);
  return std::exchange(out_, {});
}

void stdio_bridge::end_if_over(time_point now) {
  const auto awaited = server_.calls_in_flight() + stateless_.calls_in_flight();
  if (over_ || !ends_at_ || (awaited > 0 && now < *ends_at_))
    return;
  over_ = true;
  enqueue(server_.user_disconnected(user_, now));
  settle(now);
  out_.push_back(end_bridge{});
}

void stdio_bridge::hear(std::variant<deliver_to_user, lose_server>&& news, time_point now) {
  if (auto* said = std::get_if<deliver_to_user>(&news))
    return hear(std::move(*said), now);
  auto& how = std::get<lose_server>(news);
  wires_.lost();
  enqueue(server_.server_lost(how.why, now, how.is_shortage, how.is_expired));
}

/// Keeps requests for a stateless (2026-07-28) server from one with sessions: drops them and ends the session.
void stdio_bridge::hear(deliver_to_user&& said, time_point now) {
  enqueue(server_.server_sent(std::move(said.what), now, said.concerns));
  if (era_ != era::stateless || !stateless_.is_passing() || server_.is_modern())
    return;
  drop_messages();
  end_stateless("The MCP server has become one with sessions: try again", now);
}

void stdio_bridge::carry_out(remote_connection::effects all) {
  for (auto& one : all)
    std::visit([this](auto& effect) { perform(std::move(effect)); }, one);
}

// -- effects of the supervision ------------------------------------------------------------

void stdio_bridge::enqueue(server_effects all) {
  for (auto& one : all)
    to_do_.push_back(std::move(one));
}

void stdio_bridge::perform(start_server&&, time_point) {
  server_as_legacy_rules adapter{.known = known_, .is_remote = true, .name = "remote", .mark = rules_.mark};
  wires_.connect(rules_.remote, std::move(adapter), rules_.seed);
}

void stdio_bridge::perform(stop_server&&, time_point) {
  news_.clear();
  carry_out(wires_.leave());
}

void stdio_bridge::perform(send_to_server&& effect, time_point now) {
  carry_out(wires_.user_sent(std::move(effect.what), now));
}

void stdio_bridge::perform(send_to_user&& effect, time_point now) {
  if (effect.user != user_)
    return;
  const auto is_refused = takes_greeting(effect.what) && !is_greeted_;
  if (era_ == era::stateless)
    carry_out(stateless_.server_sent(std::move(effect.what), now), now);
  else
    out_.push_back(write_line{std::move(effect.what.text)});
  if (!is_refused)
    return;
  // A refused client may give up, so no restart on its behalf until it tries again.
  drop_messages();
  auto status = server_.status();
  status.is = server_status::phase::waiting;
  status.pause = {};
  perform(show_status{std::move(status)}, now);
  enqueue(server_.user_disconnected(user_, now));
}

/// Whether a message answers the `initialize` in `greeting_`.
bool stdio_bridge::takes_greeting(const message& said) {
  if (said.kind != message_kind::response || greeting_.empty() || said.id != greeting_)
    return false;
  greeting_.clear();
  is_greeted_ = find_member(said.text, {"result"}).has_value();
  return true;
}

/// Drops pending starts, messages and status reports of a server whose session ends.
void stdio_bridge::drop_messages() {
  std::erase_if(to_do_, [](const server_effect& one) {
    return std::holds_alternative<start_server>(one) || std::holds_alternative<send_to_server>(one) ||
           std::holds_alternative<show_status>(one);
  });
}

void stdio_bridge::perform(show_status&& effect, time_point) {
  auto& status = effect.status;
  const auto is_lost = status.is == server_status::phase::waiting || status.is == server_status::phase::resting;
  log_note line{is_lost ? log_note::weight::warning : log_note::weight::info, words_for(status.is)};
  line.facts.emplace_back("url", rules_.remote.url.substr(0, rules_.remote.url.find('?'))); // a secret may follow
  if (is_lost)
    line.facts.emplace_back("why", status.why);
  if (status.pause.count() != 0)
    line.facts.emplace_back("next_try_in", seconds_text(status.pause));
  out_.push_back(std::move(line));
}

} // namespace troupe::protocol

// How the server begins, is lost and begins again: another third of `supervised_server`.

#include "protocol/seconds.hpp"
#include "protocol/supervised/supervised_server.hpp"
#include "protocol/text/one_line.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Longest reason of a loss that is told, in bytes.
constexpr std::size_t longest_why = 300;

/// The first line of what was said about a loss, as much of it as an error's text takes; never a stack trace.
std::string short_of(std::string_view why) { return one_line(why.substr(0, why.find_first_of("\r\n")), longest_why); }

message list_changed(std::string_view group) {
  return made(R"({"jsonrpc":"2.0","method":"notifications/)" + std::string{group} + R"(/list_changed"})");
}

bool is_initialize(const message& one) { return one.kind == message_kind::request && one.method == "initialize"; }

} // namespace

// -- beginning ------------------------------------------------------------------------

server_effects supervised_server::warm_up(time_point now) {
  server_effects out;
  warm_ = !rules_.dedicated;
  if (warm_ && status_.is == phase::idle)
    begin(now, out);
  return out;
}

void supervised_server::begin(time_point now, server_effects& out) {
  next_start_ = time_point::max();
  auto until = now + rules_.initialize;
  relayed_call one{.is = purpose::initialize, .deadline = until, .cap = until};
  auto asker = std::find_if(waiting_.begin(), waiting_.end(), [](auto& it) { return is_initialize(it.what); });
  if (users_initialize_ && asker != waiting_.end()) {
    one.user = asker->user;
    one.token = asker->what.reference;
  }
  auto own = std::to_string(calls_.add(std::move(one)));
  out.push_back(start_server{});
  auto initialize =
      users_initialize_ ? relayed(*users_initialize_, own, own) : made(initialize_text(own, rules_.version));
  out.push_back(tell_server{std::move(initialize)});
  show(phase::starting, {}, out);
}

void supervised_server::take_greeting(message&& from, time_point now, server_effects& out) {
  auto read = read_greeting(from);
  if (auto refused = std::get_if<greeting_refused>(&read)) {
    auto is_error = find_member(from.text, {"error"}).has_value();
    return stop_and_lose(refused->why, now, out, is_error ? &from : nullptr);
  }
  greeting_ = std::get<server_greeting>(std::move(read));
  if (!rules_.dedicated)
    greeting_.leave_out_tasks();
  become_ready(from, now, out);
}

/// A new server has to know what the old one knew before it hears more of its users, and they that it is another.
void supervised_server::become_ready(const message& from, time_point now, server_effects& out) {
  restarts_.ready(now);
  show(phase::ready, {}, out);
  auto is_greeted = [](auto& it) { return is_initialize(it.what); };
  auto user_will_say = rules_.dedicated && std::any_of(waiting_.begin(), waiting_.end(), is_greeted);
  initialized_ = !user_will_say;
  if (initialized_)
    out.push_back(tell_server{made(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")});
  tell_level_news(now, out);
  carry_out(subscriptions_.replayed(), now, out);
  announce_again(out);
  release_waiting(from, now, out);
}

/// Users keep what they learned from a server until they are told that it changed.
void supervised_server::announce_again(server_effects& out) {
  if (greeting_.tools)
    tell_told(list_changed("tools"), out);
  if (greeting_.prompts)
    tell_told(list_changed("prompts"), out);
  if (greeting_.resources)
    tell_told(list_changed("resources"), out);
}

void supervised_server::release_waiting(const message& greeting, time_point now, server_effects& out) {
  waiting_bytes_ = 0;
  for (auto& [user, what] : std::exchange(waiting_, {})) {
    auto& of = users_.at(user);
    --of.waiting;
    if (what.kind != message_kind::request) {
      out.push_back(tell_server{std::move(what)});
    } else if (is_initialize(what)) {
      of.told = true;
      answer(user, rules_.dedicated ? relayed(greeting, what.id, {}) : made(greeting_.answer_to(what)), out);
    } else {
      pass(user, std::move(what), now, out);
    }
  }
}

// -- loss ----------------------------------------------------------------------------------

server_effects supervised_server::server_lost(const std::string& why, time_point now) {
  server_effects out;
  if (wired())
    lose(why, now, out);
  return out;
}

void supervised_server::stop_and_lose(std::string why, time_point now, server_effects& out, const message* refusal) {
  out.push_back(stop_server{});
  lose(std::move(why), now, out, refusal);
}

/// `refusal` is the server's own answer to who waits for `initialize`.
void supervised_server::lose(std::string why, time_point now, server_effects& out, const message* refusal) {
  why = short_of(std::move(why));
  fail_everything("The MCP server stopped: " + why, now, out, refusal);
  status_.why = why;
  auto pause = restarts_.lost(now);
  if (rules_.ends_users)
    end_users(why, out);
  not_before_ = now + pause.length;
  pauses_as_ = pause.rests ? phase::resting : phase::waiting;
  if (rules_.ends_users || (users_.empty() && !warm_))
    return go_idle(out);
  if (pause.length.count() == 0)
    return begin_again(now, out);
  pause_on(now, out);
}

/// Those who come and go do not start a server more often than those who stay.
void supervised_server::pause_on(time_point now, server_effects& out) {
  next_start_ = not_before_;
  show(pauses_as_, std::chrono::ceil<std::chrono::milliseconds>(not_before_ - now), out);
}

void supervised_server::begin_again(time_point now, server_effects& out) {
  ++status_.restarts;
  begin(now, out);
}

void supervised_server::fail_everything(const std::string& why, time_point now, server_effects& out,
                                        const message* refusal) {
  for (auto& [own, asked] : calls_.take_all())
    if (asked.is != purpose::ours && asked.is != purpose::initialize)
      fail(asked.user, asked.id, why, out);
  fail_waiting(why, out, refusal);
  carry_out(subscriptions_.lost(), now, out, made(error_text("0", error_code::internal_error, why)));
  for (auto& [own, asked] : questions_.take_all())
    out.push_back(tell_user{asked.user, made(cancelled_text(std::to_string(own), "the MCP server stopped"))});
  forsaken_.clear();
  levels_.untold();
  initialized_ = false;
}

void supervised_server::fail_waiting(const std::string& why, server_effects& out, const message* refusal) {
  waiting_bytes_ = 0;
  for (auto& [user, what] : std::exchange(waiting_, {})) {
    auto& of = users_.at(user);
    --of.waiting;
    if (what.kind != message_kind::request)
      continue;
    of.told = of.told || is_initialize(what);
    if (remember_level(user, what, out))
      continue;
    if (refusal && is_initialize(what))
      answer(user, relayed(*refusal, what.id, {}), out);
    else
      fail(user, what.id, why, out);
  }
}

void supervised_server::end_users(const std::string& why, server_effects& out) {
  for (auto& [user, of] : users_)
    out.push_back(end_user{user, why});
  forget_everything();
}

void supervised_server::end_dedicated(server_effects& out) {
  forget_everything();
  if (wired())
    out.push_back(stop_server{});
  if (status_.is != phase::idle)
    go_idle(out);
}

/// Ids that were used are remembered.
void supervised_server::forget_everything() {
  users_.clear();
  waiting_.clear();
  waiting_bytes_ = 0;
  calls_.take_all();
  questions_.take_all();
  forsaken_.clear();
  subscriptions_ = subscriptions{rules_.subscriptions};
  levels_ = {};
  users_initialize_.reset();
  initialized_ = false;
}

void supervised_server::go_idle(server_effects& out) {
  next_start_ = time_point::max();
  show(phase::idle, {}, out);
}

void supervised_server::show(phase is, std::chrono::milliseconds pause, server_effects& out) {
  status_.is = is;
  status_.pause = pause;
  out.push_back(show_status{status_});
}

std::string supervised_server::why_down(time_point now) const {
  if (!down())
    return "The MCP server is not there for this: initialize comes first";
  auto rest = seconds_text(std::chrono::ceil<std::chrono::milliseconds>(std::max(next_start_ - now, {})));
  auto how = status_.is == phase::resting ? "keeps stopping" : "is being restarted";
  return std::string{"The MCP server "} + how + ", the next try is in " + rest + "; it stopped: " + status_.why;
}

// -- time ------------------------------------------------------------------------------------

server_effects supervised_server::tick(time_point now) {
  server_effects out;
  fail_late_calls(now, out);
  fail_late_questions(now, out);
  std::erase_if(forsaken_, [&](auto& one) { return now >= one.second.until; });
  if (down() && now >= next_start_)
    begin_again(now, out);
  return out;
}

void supervised_server::fail_late_calls(time_point now, server_effects& out) {
  for (auto& [own, asked] : calls_.take_late(now)) {
    auto limit = now >= asked.cap ? rules_.request_cap : rules_.request;
    auto why = "The MCP server did not answer within " + seconds_text(limit);
    if (asked.is == purpose::initialize)
      return stop_and_lose("it did not answer initialize within " + seconds_text(rules_.initialize), now, out);
    if (asked.is != purpose::ours)
      fail(asked.user, asked.id, why, out);
    forsake(own, asked, now);
    out.push_back(tell_server{made(cancelled_text(std::to_string(own), "timeout"))});
    auto failure = made(error_text("0", error_code::internal_error, why));
    if (!asked.uri.empty() && (asked.is == purpose::ours || !rules_.dedicated))
      carry_out(subscriptions_.answered(asked.uri, subscriptions::outcome::unknown), now, out, failure);
  }
}

void supervised_server::fail_late_questions(time_point now, server_effects& out) {
  for (auto& [own, asked] : questions_.take_late(now)) {
    std::string why = "The client did not answer in time";
    out.push_back(tell_server{made(error_text(asked.id, error_code::internal_error, why))});
    out.push_back(tell_user{asked.user, made(cancelled_text(std::to_string(own), "timeout"))});
  }
}

time_point supervised_server::deadline() const {
  return std::min({calls_.deadline(), questions_.deadline(), next_start_});
}

} // namespace troupe::protocol

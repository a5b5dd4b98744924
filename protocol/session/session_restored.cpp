// A session in another life, on another node: the third part of `session`.

#include "protocol/session/session.hpp"

#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <iterator>
#include <utility>

namespace troupe::protocol {

namespace {

/// Who asks when nobody does: no id of a client is this, for they are JSON.
constexpr std::string_view nobody = "nobody";

void append(effects& to, effects more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string first_id(const waiting_client& one) {
  auto post = std::get_if<waiting_post>(&one.wants);
  return post ? post->body.messages.front().id : std::string{};
}

/// What is left when nobody is there to be answered on that exchange.
effects without_answers(effects all, exchange_id to) {
  auto answers = [&](auto& one) {
    if constexpr (requires { one.exchange; })
      return one.exchange == to;
    else
      return false;
  };
  std::erase_if(all, [&](auto& one) { return std::visit(answers, one); });
  return all;
}

} // namespace

// -- the new server ------------------------------------------------------------------

/// Questions have numbers of this life: the client may still answer one of the life before.
/// The server is asked for the revision that the client already speaks, whatever the client once asked for.
effects session::restore(restored_session from, time_point now) {
  effects out;
  phase_ = phase::restoring;
  record_.begin_again(std::move(from.record));
  questions_.count_from(last_exchange());
  kept_events_ = std::move(from.events);
  version_ = record_.record().version;
  auto hello = asking_for(made(record_.record().initialize), version_);
  capabilities_ = read_capabilities(hello.text);
  auto own = begin_own(now + limits_.initialize);
  out.push_back(forward{relayed(std::move(hello), own, own)});
  return out;
}

/// A request of ours goes with no exchange, where its answer is lost.
std::string session::begin_own(time_point until) {
  return std::to_string(calls_.add({std::string{nobody}, {}, 0, until, until}));
}

void session::tell_again(std::string_view method, std::string_view name, std::string_view value, time_point now,
                         effects& out) {
  auto own = begin_own(now + limits_.request);
  out.push_back(forward{made(R"({"jsonrpc":"2.0","id":)" + own + R"(,"method":")" + std::string{method} +
                             R"(","params":{")" + std::string{name} + "\":" + quoted(value) + "}}")});
}

void session::take_restored_answer(const message& from, time_point now, effects& out) {
  auto version = find_member(from.text, {"result", "protocolVersion"});
  if (!version || string_value(*version) != version_)
    return end("its new server did not initialize as the one before", now, out);
  phase_ = phase::open;
  way_->keep();
  way_->restore(version_, std::exchange(kept_events_, {}), last_exchange(), now, out);
  tell_all_again(now, out);
  record_.write(now, out);
  publish_held(now, out);
  if (record_.record().initialized)
    release_held(now, out);
  work_off(now, out);
  end_when_drained(now, out);
}

/// What the server before was told, in the order that servers expect.
void session::tell_all_again(time_point now, effects& out) {
  auto& record = record_.record();
  if (record.initialized)
    out.push_back(forward{made(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")});
  if (!record.level.empty())
    tell_again("logging/setLevel", "level", record.level, now, out);
  for (auto& uri : record.subscriptions)
    tell_again("resources/subscribe", "uri", uri, now, out);
}

// -- clients meanwhile ----------------------------------------------------------------

void session::let_wait(waiting_client one, effects& out) {
  auto exchange = one.exchange;
  auto id = first_id(one);
  if (!waiting_.push(std::move(one)))
    out.push_back(reject{exchange, unavailable("too much waits for the session to be restored", std::move(id))});
}

void session::work_off(time_point now, effects& out) {
  for (auto& one : waiting_.take()) {
    auto more = take_now(one, now);
    if (!one.left) {
      append(out, std::move(more));
      continue;
    }
    append(out, without_answers(std::move(more), one.exchange));
    append(out, client_lost(one.exchange, now));
  }
}

effects session::take_now(waiting_client& one, time_point now) {
  if (auto post = std::get_if<waiting_post>(&one.wants))
    return client_sent(one.exchange, std::move(post->body), now);
  if (auto listen = std::get_if<waiting_listen>(&one.wants))
    return client_listens(one.exchange, listen->last, now);
  return client_ends(one.exchange, now);
}

/// While the gateway stops, another node may do what this one could not.
void session::turn_away(effects& out) {
  for (auto& one : waiting_.take())
    if (!one.left)
      out.push_back(reject{one.exchange, draining_ ? unavailable(*draining_, first_id(one)) : session_not_found()});
}

} // namespace troupe::protocol

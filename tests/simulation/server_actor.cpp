#include "tests/simulation/server_actor.hpp"

#include "tests/simulation/session_actor.hpp"

#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr span_of_time start_time = 30ms;
constexpr span_of_time least_time = 300us;
constexpr span_of_time usual_time = 8ms;
constexpr span_of_time long_time = 3s;

std::string result_for(const std::string& id, const std::string& value) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + value + "}";
}

} // namespace

void server_actor::receive(message what) {
  post([this, what = std::move(what)] { handle(what); });
}

void server_actor::handle(const message& what) {
  if (!is_request(what))
    return;
  if (is_initialize(what))
    return say(result_for(what.id, R"({"protocolVersion":"2025-11-25","capabilities":{}})"), start_time);
  if (what.is_method("tools/call"))
    return handle_call(what);
  say(result_for(what.id, "{}"), least_time);
}

void server_actor::handle_call(const message& what) {
  auto& luck = at().time.luck();
  if (luck.one_in(habits_.fatal))
    return die();
  if (luck.one_in(habits_.silent))
    return checks_.is_silent(string_param(what, "token"));
  auto most = luck.one_in(habits_.slow) ? long_time : usual_time;
  auto after = luck.between(least_time, most);
  for (auto some = luck.one_in(habits_.talkative) ? luck.below(4) : 0; some > 0; --some)
    notify(luck.between(least_time, after));
  answer(what, after);
}

/// The answer shows for which call it was made: its token, and this session.
void server_actor::answer(const message& to, span_of_time after) {
  auto token = string_param(to, "token");
  say(result_for(to.id, R"({"token":")" + token + R"(","session":")" + session_ + "\"}"), after);
}

void server_actor::notify(span_of_time after) {
  auto number = std::to_string(++last_note_);
  auto method = at().time.luck().one_in(2) ? "notifications/message" : "notifications/tools/list_changed";
  say(std::string{R"({"jsonrpc":"2.0","method":")"} + method + R"(","params":{"n":")" + name_ + "-" + number + "\"}}",
      after);
}

void server_actor::say(std::string text, span_of_time after) {
  at().time.after(after, [weak = weak_from_this(), text = std::move(text)]() mutable {
    auto self = std::static_pointer_cast<server_actor>(weak.lock());
    if (!self || self->has_ended() || !self->at().is_alive)
      return;
    if (auto user = self->user_.lock())
      user->server_sent(std::get<message>(read_message(std::move(text))));
  });
}

void server_actor::die() {
  if (auto user = user_.lock())
    user->server_lost("it exited");
  quit();
}

} // namespace troupe::tests::simulation

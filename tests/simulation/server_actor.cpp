#include "tests/simulation/server_actor.hpp"

#include "tests/simulation/client_messages.hpp"

#include "protocol/text/json.hpp"

#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr span_of_time start_time = 30ms;
constexpr span_of_time least_time = 300us;
constexpr span_of_time usual_time = 8ms;
constexpr span_of_time long_time = 3s;

/// Messages of a flood.
constexpr std::size_t many = 300;

} // namespace

void server_actor::receive(message what) {
  post([this, what = std::move(what)] { handle(what); });
}

void server_actor::handle(const message& what) {
  if (what.kind == message_kind::response)
    return handle_answer(what);
  if (!is_request(what))
    return;
  if (is_initialize(what))
    return say(result_text(what.id, R"({"protocolVersion":)" + quoted(string_param(what, "protocolVersion")) +
                                        R"(,"capabilities":{}})"),
               start_time);
  if (what.is_method("tools/call"))
    return handle_call(what);
  say(result_text(what.id, "{}"), least_time);
}

/// Each question is answered once: by its own session, or by an error of the gateway.
void server_actor::handle_answer(const message& what) {
  auto asked = questions_.extract(what.id);
  if (asked.empty())
    return checks_.is_answered_again("question " + what.id + " of server " + name_);
  checks_.count(has_result(what) ? "questions with an answer" : "questions that failed");
  auto& token = asked.mapped();
  auto is_own = what.text == answer_text(what.id, token, session_) ||
                what.text == answer_text(what.id, forged_token, session_) ||
                what.text == result_text(what.id, sample_of(token, session_));
  if (has_result(what) && !is_own)
    checks_.is_misdirected("server " + name_ + " of " + session_ + " gets " + what.text);
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
  if (luck.one_in(habits_.curious))
    ask(luck.between(least_time, after));
  if (luck.one_in(habits_.hostile))
    misbehave(what);
  answer(what, after);
}

void server_actor::misbehave(const message& what) {
  auto& luck = at().time.luck();
  checks_.count("calls to a hostile server");
  switch (luck.below(6)) {
  case 0:
    return answer(what, luck.between(least_time, long_time));
  case 1:
    say(result_text("999999", "{}"), least_time);
    say(result_text(R"("unknown")", "{}"), least_time);
    return say(result_text("-1", "{}"), least_time);
  case 2:
    for (std::size_t i = 0; i < many; ++i)
      notify(luck.between(least_time, usual_time));
    return;
  case 3:
    for (std::size_t i = 0; i < many; ++i)
      ask(luck.between(least_time, usual_time));
    return;
  case 4:
    say(note_text("notifications/progress", R"({"progressToken":)" + what.id + R"(,"progress":1})"), least_time);
    return say(note_text("notifications/cancelled", R"({"requestId":)" + what.id + "}"), least_time);
  default:
    questions_.emplace(what.id, std::string{});
    return say(request_text(what.id, "no/such/method", "{}"), least_time);
  }
}

/// The answer shows for which call it was made: its token, and this session.
void server_actor::answer(const message& to, span_of_time after) {
  say(answer_text(to.id, string_param(to, "token"), session_), after);
}

void server_actor::notify(span_of_time after) {
  auto number = std::to_string(++last_note_);
  auto method = at().time.luck().one_in(2) ? "notifications/message" : "notifications/tools/list_changed";
  say(note_text(method, R"({"n":")" + name_ + "-" + number + "\"}"), after);
}

void server_actor::ask(span_of_time after) {
  auto token = name_ + "-" + std::to_string(++last_question_);
  auto id = quoted(token);
  questions_.emplace(id, token);
  say(request_text(id, "sampling/createMessage", R"({"token":")" + token + R"(","session":")" + session_ + "\"}"),
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

#include "tests/simulation/hostile_client.hpp"

#include "tests/simulation/client_messages.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr span_of_time pause = 300ms;
constexpr const char* name = "hostile";
/// Length of a text that fills queues: eight of them fit into that of a session that is restored.
constexpr std::size_t huge = 1024 * 1024;
constexpr std::size_t rarely = 60;

} // namespace

void hostile_client::plan() {
  time_.after(time_.luck().between(1ms, 2 * pause), [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && !self->rests_) {
      self->act();
      self->plan();
    }
  });
}

void hostile_client::act() {
  std::erase_if(connections_, [](auto& one) { return one->is_over(); });
  if (session_.empty())
    return post({}, initialize_text("1", true));
  auto victim = victim_();
  if (!victim.empty() && time_.luck().one_in(3))
    return trespass(std::move(victim));
  disturb();
}

void hostile_client::leave() {
  for (auto& one : connections_)
    one->hang_up();
}

void hostile_client::disturb() {
  auto& luck = time_.luck();
  switch (luck.below(5)) {
  case 0:
    return send(
        {.is = request::kind::listen, .owner = name, .session = session_, .last = luck.one_in(2) ? "1-2-3" : ""});
  case 1:
    return post(session_, spoiled(some_call()));
  case 2:
    if (luck.one_in(rarely))
      return post(session_, request_text(some_id(), "tools/list", quoted(std::string(huge, 'x'))));
    [[fallthrough]];
  default:
    return post(session_, some_text());
  }
}

/// Uses the session of another client, or an id that is nearly the same.
void hostile_client::trespass(std::string session) {
  auto& luck = time_.luck();
  if (luck.one_in(3))
    session[luck.below(session.size())] = '0';
  switch (luck.below(4)) {
  case 0:
    return send({.is = request::kind::listen, .owner = name, .session = session});
  case 1:
    return send({.is = request::kind::end, .owner = name, .session = session});
  default:
    return post(session, some_text());
  }
}

std::string hostile_client::some_id() {
  auto& luck = time_.luck();
  auto number = std::to_string(1 + luck.below(8));
  switch (luck.below(4)) {
  case 0:
    return quoted(number);
  case 1:
    return number + ".0";
  default:
    return number;
  }
}

std::string hostile_client::some_text() {
  auto& luck = time_.luck();
  switch (luck.below(8)) {
  case 0:
    return answer_text(std::to_string(1 + luck.below(300)), forged_token, session_);
  case 1:
    return note_text("notifications/cancelled", R"({"requestId":)" + some_id() + "}");
  case 2:
    return note_text("notifications/progress", R"({"progress":1,"progressToken":)" + some_id() + "}");
  case 3:
    return note_text("notifications/initialized", "{}");
  case 4:
    return initialize_text(some_id(), luck.one_in(2));
  case 5:
    return batch_of({some_text(), some_text()});
  default:
    return some_call();
  }
}

std::string hostile_client::some_call() {
  return call_text(some_id(), std::string{name} + "-" + std::to_string(++last_token_));
}

std::string hostile_client::spoiled(std::string text) {
  auto& luck = time_.luck();
  for (auto some = 1 + luck.below(4); some > 0; --some)
    text[luck.below(text.size())] = static_cast<char>(luck.below(256));
  return text;
}

void hostile_client::post(const std::string& session, std::string text) {
  auto read = read_client_body(std::move(text));
  auto* body = std::get_if<post_body>(&read);
  if (!body)
    return log_.count("hostile texts refused");
  for (auto& token : call_tokens(body->messages))
    model_.is_posted(token);
  send({.owner = name, .session = session, .body = std::move(*body)});
}

void hostile_client::send(request what) {
  log_.count("hostile requests");
  auto receives = [weak = weak_from_this(), session = what.session](received& part) {
    if (auto self = weak.lock())
      self->receive(part, session);
  };
  connections_.push_back(std::make_shared<connection>(time_, receives));
  front_.send(std::move(what), connections_.back(), std::nullopt);
}

void hostile_client::receive(const received& what, const std::string& session) {
  auto is_foreign = !session.empty() && !own_.contains(session);
  auto is_taken = what.status == 202 || what.status == 204 || what.is == received::kind::begin ||
                  what.text.find("\"result\"") != what.text.npos;
  if (is_foreign && is_taken)
    log_.broken(rule::own_answers_only, "the hostile client may use " + shown(session) + ": " + what.text);
  if (what.status == 404 && session == session_)
    session_.clear();
  if (session.empty() && !what.session.empty()) {
    session_ = what.session;
    own_.insert(session_);
    post(session_, note_text("notifications/initialized", "{}"));
  }
}

} // namespace troupe::tests::simulation

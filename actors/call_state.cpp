#include "actors/call_state.hpp"

#include "protocol/hosted_result.hpp"
#include "protocol/json_value.hpp"

#include <optional>
#include <utility>

namespace troupe::actors {

namespace {

client_reply unanswered() { return {{}, "the call is over"}; }

client_reply read_reply(const protocol::message& from) {
  auto result = protocol::find_member(from.text, {"result"});
  if (result && result->front() == '{')
    return {std::move(protocol::json_value(*result).as_object()), {}};
  auto why = protocol::find_member(from.text, {"error", "message"});
  return {{}, why ? protocol::string_value(*why).value_or("") : "the client answered something that is no result"};
}

std::string call_text(const std::string& id, std::string_view method, const std::string& params) {
  return R"({"jsonrpc":"2.0",)" + id + R"("method":)" + protocol::quoted(method) + R"(,"params":)" + params + "}";
}

} // namespace

call_state::call_state(protocol::hosted_call what, std::function<void(protocol::message)> tell)
    : what_{std::move(what)}, tell_{std::move(tell)} {}

call_state::~call_state() {
  if (!under_way_.with([](under_way& now) { return now.over; }))
    finish(protocol::error_code::internal_error, "The server gave no answer");
}

// -- the host's side --------------------------------------------------------------------------------

bool call_state::finish(const json::object& result) { return finish(protocol::result_message(what_.id, result)); }

bool call_state::finish(int code, std::string_view why) { return finish(protocol::error_message(what_.id, code, why)); }

/// Whoever answers learns on the same thread that nobody will reply any more.
bool call_state::finish(protocol::message with) {
  auto was = take(false);
  if (!was)
    return false;
  tell_(std::move(with));
  for (auto& [id, one] : was->questions)
    one.then(unanswered());
  return true;
}

std::optional<call_state::under_way> call_state::take(bool cancelled) {
  return under_way_.with([&](under_way& now) -> std::optional<under_way> {
    if (now.over)
      return std::nullopt;
    auto was = std::exchange(now, {});
    now.over = true;
    now.cancelled = cancelled;
    return was;
  });
}

/// What is no valid JSON is nobody's message.
void call_state::notify(std::string_view method, const std::string& params) {
  auto read = protocol::read_message(call_text({}, method, params));
  if (auto valid = std::get_if<protocol::message>(&read))
    tell_(std::move(*valid));
}

bool call_state::cancelled() {
  return under_way_.with([](under_way& now) { return now.cancelled; });
}

void call_state::on_cancel(const std::function<void()>& then) {
  auto cancelled = under_way_.with([&](under_way& now) {
    if (!now.over)
      now.on_cancel.push_back(then);
    return now.cancelled;
  });
  if (cancelled)
    then();
}

void call_state::ask(std::string_view method, const json::object& params, const call::continuation& then,
                     bool at_once) {
  auto text = json::serialize(params);
  if (auto why = protocol::json_error(text))
    return then({{}, *why});
  std::uint64_t id = 0;
  auto over = under_way_.with([&](under_way& now) {
    if (!now.over)
      now.questions.emplace(id = ++now.last_question, question{then, at_once});
    return now.over;
  });
  if (over)
    return then(unanswered());
  tell_(protocol::made(call_text("\"id\":" + std::to_string(id) + ",", method, text)));
}

// -- the actor's side -------------------------------------------------------------------------------

void call_state::cancel(const runner& run) {
  auto was = take(true);
  if (!was)
    return;
  for (auto& then : was->on_cancel)
    run(std::move(then));
  for (auto& [id, one] : was->questions)
    if (one.at_once)
      one.then(unanswered());
    else
      run([then = std::move(one.then)] { then(unanswered()); });
}

void call_state::take_reply(const protocol::message& reply, const runner& run) {
  auto id = protocol::own_id(reply.id).value_or(0);
  auto asked = under_way_.with([&](under_way& now) { return now.questions.extract(id); });
  if (asked.empty())
    return;
  auto& [then, at_once] = asked.mapped();
  if (at_once)
    return then(read_reply(reply));
  run([then = std::move(then), said = read_reply(reply)] { then(said); });
}

} // namespace troupe::actors

#include "actors/hosted/call_state.hpp"

#include "protocol/hosted/hosted_result.hpp"
#include "protocol/text/json_value.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace troupe::actors {

namespace {

using protocol::hosted_call;

client_reply unanswered() { return {{}, "the call is over"}; }

client_reply read_reply(const protocol::message& from) {
  auto result = protocol::find_member(from.text, {"result"});
  if (result && result->front() == '{')
    return {std::move(protocol::json_value(*result).as_object()), {}};
  auto why = protocol::find_member(from.text, {"error", "message"});
  return {{}, why ? protocol::string_value(*why).value_or("") : "the client answered something that is no result"};
}

/// Builds a message from the host's data; a rejection if that is not valid JSON.
std::variant<protocol::message, protocol::rejection> read_call(const std::string& id, std::string_view method,
                                                               const std::string& params) {
  return protocol::read_message(R"({"jsonrpc":"2.0",)" + id + R"("method":)" + protocol::quoted(method) +
                                R"(,"params":)" + params + "}");
}

json::object tool_result(answer with) {
  auto result = protocol::tool_result(std::move(with.content), with.is_error);
  if (with.structured_content)
    result["structuredContent"] = std::move(*with.structured_content);
  return result;
}

json::object result_of(const hosted_call& what, answer with) {
  switch (what.is) {
  case hosted_call::kind::prompt:
    return protocol::prompt_result(what.about, std::move(with.content));
  case hosted_call::kind::resource:
    return protocol::resource_result(what.name, what.about, with.content);
  default:
    return tool_result(std::move(with));
  }
}

bool has_blocks_only(const json::array& content) {
  return std::ranges::all_of(content, [](const json::value& one) { return one.is_object(); });
}

std::string first_text_of(const json::array& content) {
  for (const auto& block : content)
    if (auto* text = block.as_object().if_contains("text"); text && text->is_string())
      return std::string{text->get_string()};
  return "The handler failed";
}

} // namespace

call_state::call_state(hosted_call what, gateway_links gateway)
    : what_{std::move(what)}, gateway_{std::move(gateway)} {}

call_state::~call_state() {
  if (!under_way_.with([](under_way& now) { return now.over; }))
    finish(protocol::error_code::internal_error, "The server gave no answer");
}

// -- the host's side --------------------------------------------------------------------------------

bool call_state::answer(troupe::answer with) {
  if (!has_blocks_only(with.content))
    return finish(protocol::error_code::internal_error, "The answer has content that is no object");
  if (with.is_error && what_.is != hosted_call::kind::tool)
    return finish(protocol::error_code::internal_error, first_text_of(with.content));
  return finish(result_of(what_, std::move(with)));
}

bool call_state::fail(std::string_view why) { return answer(failure(why)); }

bool call_state::finish(const json::object& result) { return finish(protocol::result_message(what_.id, result)); }

bool call_state::finish(int code, std::string_view why) { return finish(protocol::error_message(what_.id, code, why)); }

/// Questions without a reply get an error, on the calling thread.
bool call_state::finish(protocol::message with) {
  auto was = end(false);
  if (!was)
    return false;
  gateway_.tell(std::move(with));
  for (auto& [id, one] : was->questions)
    reply(one.then, unanswered());
  return true;
}

std::optional<call_state::under_way> call_state::end(bool cancelled) {
  return under_way_.with([&](under_way& now) -> std::optional<under_way> {
    if (now.over)
      return std::nullopt;
    auto was = std::exchange(now, {});
    now.over = true;
    now.cancelled = cancelled;
    return was;
  });
}

void call_state::notify(std::string_view method, const std::string& params) {
  auto read = read_call({}, method, params);
  if (auto* valid = std::get_if<protocol::message>(&read))
    gateway_.tell(std::move(*valid));
}

void call_state::on_cancel(const callback<>& then) {
  auto cancelled = under_way_.with([kept = then](under_way& now) mutable {
    if (!now.over)
      now.on_cancel.push_back(std::move(kept));
    return now.cancelled;
  });
  if (cancelled)
    call_host(then);
}

void call_state::ask(std::string_view method, const json::object& params, const call::continuation& then,
                     bool at_once) {
  auto read = read_call(R"("id":0,)", method, json::serialize(params));
  if (auto* bad = std::get_if<protocol::rejection>(&read))
    return reply(then, {{}, bad->text});
  std::uint64_t id = 0;
  auto over = under_way_.with([&id, asked = question{then, at_once}](under_way& now) mutable {
    if (!now.over)
      now.questions.emplace(id = ++now.last_question, std::move(asked));
    return now.over;
  });
  if (over)
    return reply(then, unanswered());
  gateway_.tell(protocol::relayed(std::get<protocol::message>(std::move(read)), std::to_string(id), {}));
}

// -- the actor's side -------------------------------------------------------------------------------

void call_state::cancel(const runner& run) {
  auto was = end(true);
  if (!was)
    return;
  for (auto& then : was->on_cancel)
    run([self = shared_from_this(), then = std::move(then)] { self->call_host(then); });
  for (auto& [id, one] : was->questions)
    if (one.at_once)
      reply(one.then, unanswered());
    else
      run([self = shared_from_this(), then = std::move(one.then)] { self->reply(then, unanswered()); });
}

void call_state::receive_reply(const protocol::message& from, const runner& run) {
  auto id = protocol::own_id(from.id).value_or(0);
  auto asked = under_way_.with([&](under_way& now) { return now.questions.extract(id); });
  if (asked.empty())
    return;
  auto& [then, at_once] = asked.mapped();
  if (at_once)
    return reply(then, read_reply(from));
  run([self = shared_from_this(), then = std::move(then), said = read_reply(from)] { self->reply(then, said); });
}

// -- the host's code ----------------------------------------------------------------------------------

/// Catches all exceptions: one that leaves a thread of the gateway would terminate the host's process.
void call_state::call_host(const std::function<void()>& code) {
  std::string why = "The handler failed";
  try {
    return code();
  } catch (const refusal& refused) {
    finish(refused.code(), refused.what());
    return;
  } catch (const std::exception& thrown) {
    why = thrown.what();
  } catch (...) {
  }
  gateway_.note(what_, why);
  fail(why);
}

} // namespace troupe::actors

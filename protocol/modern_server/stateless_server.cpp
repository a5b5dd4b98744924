#include "protocol/modern_server/stateless_server.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/message/splice.hpp"

#include <iterator>

namespace troupe::protocol {

namespace {

bool can_be_asked(std::string_view method) {
  return method == "elicitation/create" || method == "sampling/createMessage" || method == "roots/list";
}

/// Adds a progress token to params, so that a client can report that it works on the answer.
std::string with_token(std::string_view params, std::string_view token) {
  auto meta = find_member(params, {"_meta"});
  auto known = meta && meta->starts_with('{') ? *meta : "{}";
  return with_member(params, "_meta", with_member(known, "progressToken", token));
}

constexpr std::string_view no_room = "Too many bytes are under way: try again later";

std::string cannot_text(const message& question, std::string_view lacked) {
  return "The MCP server needs input that this client cannot be asked for: " + question.method + " needs " +
         std::string{lacked};
}

/// True for methods that the session era does not have, or that were not offered to the user.
bool is_unknown(const message& request) {
  return request.method.starts_with("tasks/") || request.is_method("server/discover") ||
         request.is_method("subscriptions/listen");
}

bool is_implementation(std::string_view value) {
  auto is_text = [&](std::string_view name) {
    auto text = find_member(value, {name});
    return text && text->starts_with('"');
  };
  return value.starts_with('{') && is_text("name") && is_text("version");
}

/// Returns the `serverInfo`, which session-era clients require, even if the server gave none.
std::string server_info_text(std::string_view discovered, std::string_view name) {
  auto given = find_member(discovered, {"_meta", meta_key::server_info});
  return given && is_implementation(*given) ? std::string{*given}
                                            : R"({"name":)" + quoted(name) + R"(,"version":"unknown"})";
}

std::string greeting_of(std::string_view discovered, std::string_view version, std::string_view name) {
  auto capabilities = find_member(discovered, {"capabilities"}).value_or("{}");
  auto kept =
      capabilities.starts_with('{') ? without_member(without_member(capabilities, "extensions"), "tasks") : "{}";
  std::string result = R"({"protocolVersion":)" + quoted(version) + R"(,"capabilities":)" + kept;
  result.append(R"(,"serverInfo":)").append(server_info_text(discovered, name));
  if (auto instructions = find_member(discovered, {"instructions"}))
    result.append(R"(,"instructions":)").append(*instructions);
  return result + "}";
}

std::string result_type_of(std::string_view result) {
  auto token = find_member(result, {"resultType"});
  return token ? string_value(*token).value_or("") : "complete";
}

} // namespace

std::optional<round_end> input_rounds::begin(modern_call call, std::string_view result, const client_profile& can,
                                             time_point now, adapter_effects& out) {
  auto requests = find_member(result, {"inputRequests"});
  auto state = find_member(result, {"requestState"});
  if (call.round >= most_rounds)
    return round_end{std::move(call),
                     {},
                     "The MCP server asked for input more often than " + std::to_string(most_rounds) +
                         " times for one call"};
  if ((!requests && !state) || (requests && !requests->starts_with('{')) || (state && !state->starts_with('"')))
    return round_end{std::move(call), {}, "The MCP server asked for input without saying for what"};
  ++call.round;
  auto number = ++last_round_;
  rounds_.emplace(number, round{std::move(call), std::string{state.value_or("")}});
  if (state && !has_room(rounds_.at(number), state->size()))
    return end(number, std::string{no_room}, out);
  if (auto failure = requests ? ask(number, *requests, can, now, out) : ""; !failure.empty())
    return end(number, std::move(failure), out);
  auto& begun = rounds_.at(number);
  if (begun.open.empty())
    begun.open.push_back(questions_.add({.round = number, .deadline = now + pause}));
  return std::nullopt;
}

/// Asks either all questions or none. Returns why they cannot be asked; empty if they were.
std::string input_rounds::ask(std::uint64_t number, std::string_view requests, const client_profile& can,
                              time_point now, adapter_effects& out) {
  adapter_effects asked;
  auto failure = prepare(number, requests, can, now, asked);
  if (failure.empty())
    std::ranges::move(asked, std::back_inserter(out));
  else
    for (auto own : std::exchange(rounds_.at(number).open, {}))
      questions_.extract(own);
  return failure;
}

std::string input_rounds::prepare(std::uint64_t number, std::string_view requests, const client_profile& can,
                                  time_point now, adapter_effects& out) {
  auto& asking = rounds_.at(number);
  for (object_reader each{requests}; each.next();) {
    auto method = each.value().starts_with('{') ? string_member(each.value(), {"method"}) : "";
    if (!can_be_asked(method))
      return "The MCP server asked for input in a way that is not known";
    if (asking.open.size() == most_questions)
      return "The MCP server asked for more than " + std::to_string(most_questions) + " inputs at once";
    auto key = quoted(each.key());
    if (!has_room(asking, key.size()))
      return std::string{no_room};
    auto own = questions_.add({.round = number, .key = std::move(key), .token = "1", .deadline = now + patience});
    asking.open.push_back(own);
    auto question = question_of(std::to_string(own), each.value());
    if (auto needed = profile_needed_for(question); !covers(can, needed))
      return cannot_text(question, declared_capabilities(needed));
    out.push_back(deliver_to_user{std::move(question), asking.call.id});
  }
  return {};
}

bool input_rounds::has_room(round& of, std::size_t bytes) {
  auto room = of.call.budget(bytes_).try_acquire(bytes);
  if (room)
    of.bytes.push_back(std::move(*room));
  return room.has_value();
}

/// Adds an `elicitationId` to a URL, by which a session-era server reports that the user is done; we never report that.
message input_rounds::question_of(std::string_view id, std::string_view asked) {
  auto given = find_member(asked, {"params"});
  auto params = with_token(given && given->starts_with('{') ? *given : "{}", id);
  if (string_member(params, {"mode"}) == "url")
    params = with_member(params, "elicitationId", quoted(mark_ + "-" + std::to_string(++urls_)));
  auto method = string_member(asked, {"method"});
  return gateway_message(R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"method":)" + quoted(method) +
                         R"(,"params":)" + params + "}");
}

std::optional<round_end> input_rounds::receive_response(const message& answer, adapter_effects& out) {
  auto own = own_id(answer.id);
  auto asked = own ? questions_.find(*own) : nullptr;
  if (!asked || asked->key.empty())
    return std::nullopt;
  auto [number, key] = std::pair{asked->round, asked->key};
  auto& of = rounds_.at(number);
  auto result = find_member(answer.text, {"result"});
  questions_.extract(*own);
  std::erase(of.open, *own);
  if (!result)
    return end(number,
               "The client refused what the MCP server asked it for: " +
                   string_member(answer.text, {"error", "message"}),
               out);
  if (!has_room(of, result->size()))
    return end(number, std::string{no_room}, out);
  of.responses.append(of.responses.empty() ? "" : ",").append(key).append(":").append(*result);
  return of.open.empty() ? std::optional{end(number, {}, out)} : std::nullopt;
}

void input_rounds::receive_progress(const message& progress, time_point now) {
  questions_.progressed(progress.reference, now + patience);
}

bool input_rounds::cancel(std::string_view id, adapter_effects& out) {
  auto found = std::ranges::find_if(rounds_, [&](auto& one) { return same_id(one.second.call.id, id); });
  if (found == rounds_.end())
    return false;
  withdraw(found->second, out);
  rounds_.erase(found);
  return true;
}

std::vector<round_end> input_rounds::tick(time_point now, adapter_effects& out) {
  std::vector<round_end> result;
  for (auto& [own, late] : questions_.extract_late(now)) {
    auto of = rounds_.find(late.round);
    if (of == rounds_.end())
      continue;
    if (late.key.empty())
      std::erase(of->second.open, own);
    result.push_back(end(late.round,
                         late.key.empty() ? ""
                                          : "The client did not answer within " + seconds_text(patience) +
                                                " what the MCP server asked it for",
                         out));
  }
  return result;
}

round_end input_rounds::end(std::uint64_t number, std::string failure, adapter_effects& out) {
  auto of = std::move(rounds_.extract(number).mapped());
  withdraw(of, out);
  std::string retry;
  if (!of.responses.empty())
    retry += R"(,"inputResponses":{)" + of.responses + "}";
  if (!of.state.empty())
    retry += R"(,"requestState":)" + of.state;
  return {std::move(of.call), std::move(retry), std::move(failure)};
}

/// Cancels the open questions, including late ones; pauses need no cancellation.
void input_rounds::withdraw(const round& of, adapter_effects& out) {
  for (auto own : of.open) {
    auto one = questions_.extract(own);
    if (!one || !one->key.empty())
      out.push_back(deliver_to_user{cancellation_of(own, "The call needs no answer any more")});
  }
}

void stateless_server::begin(const message& initialize, std::string_view discovered, adapter_effects& out) {
  envelope_ = client_envelope{initialize};
  auto capabilities = find_member(discovered, {"capabilities"}).value_or("{}");
  if (capabilities.starts_with('{')) {
    listens_.offered(capabilities);
    offers_logs_ = find_member(capabilities, {"logging"}).has_value();
  }
  auto greeting = response_with(initialize.id, "result", greeting_of(discovered, envelope_.session_version(), name_));
  greeting.claims_modern = true;
  out.push_back(deliver_to_user{std::move(greeting)});
}

// -- from the user -------------------------------------------------------------------------

void stateless_server::user_sent(message&& from, time_point now, adapter_effects& out, envelope_of_user envelope) {
  if (is_request(from))
    return receive_request(std::move(from), std::move(envelope), now, out);
  if (is_notification(from))
    return receive_notification(std::move(from), now, out);
  if (auto how = rounds_.receive_response(from, out))
    end(std::move(*how), out);
}

void stateless_server::receive_request(message&& from, envelope_of_user envelope, time_point now,
                                       adapter_effects& out) {
  if (from.is_method("ping"))
    return out.push_back(deliver_to_user{gateway_message(empty_result(from.id))});
  if (is_initialize(from))
    return out.push_back(deliver_to_user{
        error_response(from.id, error_code::invalid_request, "Invalid Request: initialize was answered before")});
  if (from.claims_modern)
    return pass(std::move(from), out);
  if (is_unknown(from))
    return out.push_back(
        deliver_to_user{error_response(from.id, error_code::method_not_found, "Method not found: " + from.method)});
  if (from.is_method("logging/setLevel"))
    return set_level(from, !envelope, out);
  if (from.is_method("resources/subscribe"))
    return listens_.subscribe(from, envelope != nullptr, now, out);
  if (from.is_method("resources/unsubscribe"))
    return listens_.unsubscribe(from, now, out);
  begin_call(modern_call{std::move(from), std::move(envelope)}, out);
}

/// Forwards only cancellations: the server keeps no client that could be ready or change.
void stateless_server::receive_notification(message&& from, time_point now, adapter_effects& out) {
  if (from.is_method("notifications/initialized"))
    listens_.begin(now, out);
  else if (is_cancellation(from))
    cancel(std::move(from), out);
  else if (is_progress(from))
    rounds_.receive_progress(from, now);
}

/// Sets the level for later requests. Where requests carry their own envelopes, those decide.
void stateless_server::set_level(const message& request, bool is_for_all, adapter_effects& out) {
  auto level = read_severity(string_param(request, "level"));
  if (!offers_logs_)
    return out.push_back(deliver_to_user{
        error_response(request.id, error_code::method_not_found, "The MCP server offers no log messages")});
  if (!level)
    return out.push_back(deliver_to_user{error_response(request.id, error_code::invalid_params, "Unknown log level")});
  if (is_for_all)
    envelope_.set_level(*level);
  out.push_back(deliver_to_user{gateway_message(empty_result(request.id))});
}

void stateless_server::pass(message&& request, adapter_effects& out) {
  modern_call one{std::move(request)};
  one.passes = true;
  auto text = std::exchange(one.request.text, {});
  auto asked = one.request;
  asked.text = std::move(text);
  replace_ids(asked, std::to_string(calls_.add(std::move(one))), {});
  out.push_back(deliver_to_server{std::move(asked)});
}

/// Counts stored bytes: a server that does not answer must not make us store everything its user sends.
void stateless_server::begin_call(modern_call one, adapter_effects& out) {
  if (one.may_need_input()) {
    auto room = one.budget(bytes_).try_acquire(one.request.text.size());
    if (!room)
      return out.push_back(deliver_to_user{
          error_response(one.id, error_code::internal_error, "Too many bytes are under way: try again later")});
    one.bytes.emplace(std::move(*room));
  }
  call(std::move(one), {}, out);
}

/// Keeps the text only where a further round may need it.
void stateless_server::call(modern_call one, std::string_view retry, adapter_effects& out) {
  auto asked = one.request;
  if (!one.may_need_input())
    one.request.text.clear();
  auto& envelope = envelope_of(one);
  if (!envelope.reads_modern())
    asked = with_server_cursor(std::move(asked));
  auto own = std::to_string(calls_.add(std::move(one)));
  out.push_back(deliver_to_server{envelope.addressed(asked, own, retry)});
}

void stateless_server::cancel(message&& from, adapter_effects& out) {
  if (calls_.cancelled(0, from))
    out.push_back(deliver_to_server{std::move(from)});
  else
    rounds_.cancel(from.reference, out);
}

// -- from the server -----------------------------------------------------------------------

void stateless_server::server_sent(message&& from, time_point now, adapter_effects& out, std::string_view concerns) {
  if (is_request(from))
    return out.push_back(log_note{log_note::weight::warning,
                                  "server of 2026-07-28 sent a request, which it must not; it was dropped",
                                  {{"method", from.method.substr(0, 100)}}});
  if (is_notification(from)) {
    if (!listens_.receive_notification(from, now, out) && !is_cancellation(from))
      show_notification(std::move(from), concerns, out);
    return;
  }
  if (listens_.receive_response(from, now, out))
    return;
  if (auto asked = calls_.extract(from.id))
    receive_response(std::move(*asked), std::move(from), now, out);
}

/// Passes log messages only to the request on whose stream they arrived, which asked for them (2026-07-28, logging).
void stateless_server::show_notification(message&& from, std::string_view concerns, adapter_effects& out) const {
  deliver_to_user shown;
  if (from.is_method("notifications/message") && !concerns.empty()) {
    auto call = calls_.find(concerns);
    if (!call)
      return;
    shown.concerns = call->id;
  }
  shown.what = has_modern_meta(from) ? session_notification(from) : std::move(from);
  out.push_back(std::move(shown));
}

void stateless_server::receive_response(modern_call call, message&& answer, time_point now, adapter_effects& out) {
  if (call.passes) {
    replace_ids(answer, call.id, {});
    return out.push_back(deliver_to_user{std::move(answer)});
  }
  if (auto error = find_member(answer.text, {"error"}))
    return show(error_for(call, *error), call, out);
  auto result = find_member(answer.text, {"result"}).value_or("");
  auto fail = [&](std::string_view why) {
    out.push_back(deliver_to_user{error_response(call.id, error_code::internal_error, why)});
  };
  if (!result.starts_with('{'))
    return fail("The MCP server answered with a result that is no object");
  auto type = result_type_of(result);
  if (type == "complete")
    return complete(call, result, out);
  if (type != "input_required")
    return fail("The MCP server answered with a type of result that is not supported");
  if (!call.may_need_input())
    return fail("The MCP server asked for input where it must not");
  const auto envelope = call.envelope;
  const auto& can = envelope_of(call).can();
  if (auto how = rounds_.begin(std::move(call), result, can, now, out))
    end(std::move(*how), out);
}

void stateless_server::complete(const modern_call& call, std::string_view result, adapter_effects& out) {
  auto reads_modern = envelope_of(call).reads_modern();
  auto kept = without_modern_members(result, reads_modern);
  if (reads_modern)
    return show(response_with(call.id, "result", kept), call, out);
  if (list_asked_by(call.request.method))
    kept = with_session_cursor(kept);
  if (call.request.is_method("tools/list"))
    kept = schemas_.session_list(kept);
  else if (call.request.is_method("tools/call"))
    kept = schemas_.session_result(kept, name_param(call.request));
  show(response_with(call.id, "result", kept), call, out);
}

/// A client that reads 2026-07-28 gets the server's own error about a missing capability.
message stateless_server::error_for(const modern_call& call, std::string_view error) const {
  auto& envelope = envelope_of(call);
  auto is_for_client = envelope.reads_modern() && is_lack(error) && !wrong_refusal(error, envelope.can());
  return is_for_client ? response_with(call.id, "error", error) : session_error(call.request, error, envelope.can());
}

void stateless_server::show(message&& answer, const modern_call& to, adapter_effects& out) const {
  answer.claims_modern = envelope_of(to).reads_modern();
  out.push_back(deliver_to_user{std::move(answer)});
}

void stateless_server::end(round_end&& how, adapter_effects& out) {
  if (how.failure.empty())
    return call(std::move(how.call), how.retry, out);
  out.push_back(deliver_to_user{failed_request(how.call.request, how.failure)});
}

void stateless_server::tick(time_point now, adapter_effects& out) {
  for (auto& how : rounds_.tick(now, out))
    end(std::move(how), out);
  listens_.tick(now, out);
}

} // namespace troupe::protocol

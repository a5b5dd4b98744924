#include "protocol/modern_server/input_rounds.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/message/splice.hpp"

#include <algorithm>
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
      questions_.take(own);
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
  auto room = of.call.budget(bytes_).take(bytes);
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
  questions_.take(*own);
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
  for (auto& [own, late] : questions_.take_late(now)) {
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
    auto one = questions_.take(own);
    if (!one || !one->key.empty())
      out.push_back(deliver_to_user{cancellation_of(own, "The call needs no answer any more")});
  }
}

} // namespace troupe::protocol

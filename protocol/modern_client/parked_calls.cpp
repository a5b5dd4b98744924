#include "protocol/modern_client/parked_calls.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/modern_client/legacy_messages.hpp"
#include "protocol/modern_client/modern_answer.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace troupe::protocol {

namespace {

bool contains_name(const std::vector<std::string>& all, const std::string& name) {
  return std::ranges::find(all, name) != all.end();
}

/// Pause between progress notifications: peers give up a silent question after a minute.
constexpr auto progress_pause = std::chrono::seconds{20};

std::string answer_text(std::string_view id, std::string_view result) {
  return (R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":)").append(result) + "}";
}

/// Client's answers to a list of questions. Read in one walk, as they may be long.
class responses_to {
public:
  template <class Questions>
  responses_to(const Questions& questions, std::string_view responses) {
    for (auto& one : questions)
      values_.try_emplace(one.key);
    for (object_reader members{responses}; members.next();)
      if (auto wanted = values_.find(members.key()); wanted != values_.end() && !wanted->second)
        wanted->second = members.value();
  }

  /// Empty if there is no valid answer.
  template <class Question>
  std::optional<std::string_view> find(const Question& one) const {
    auto value = values_.at(one.key);
    return value && is_input_response(one.method, *value) ? value : std::nullopt;
  }

private:
  std::map<std::string, std::optional<std::string_view>, std::less<>> values_;
};

} // namespace

bool lone_questions::are_of(const adapter_call& call) const {
  return !all_.empty() && contains_name(all_, name_of(call));
}

void lone_questions::asked_together(const adapter_call& call, std::size_t count) {
  if (count != 1 || all_.size() >= most)
    return;
  auto name = name_of(call);
  if (name.size() <= longest_name && !contains_name(all_, name))
    all_.push_back(std::move(name));
}

void lone_questions::came_late(const adapter_call& call) { std::erase(all_, name_of(call)); }

// -- from the server -----------------------------------------------------------------

adapter_call* parked_calls::call_for(const calls_meant& about) {
  auto latest = calls_.latest_for_question(about);
  auto fewest = latest ? open_questions(*latest) : 0;
  if (fewest == 0)
    return latest;
  auto result = latest;
  for (auto one : calls_.alike(*latest, about))
    if (auto count = open_questions(*one); count < fewest) {
      fewest = count;
      result = one;
    }
  return result;
}

std::size_t parked_calls::open_questions(const adapter_call& call) const {
  auto found = all_.find(call.own);
  return found == all_.end() ? 0 : found->second.questions.size();
}

std::optional<parked_calls::unable> parked_calls::server_asked(const message& question, const calls_meant& about,
                                                               time_point now, stateless_effects& out) {
  auto call = call_for(about);
  auto needs = profile_needed_for(question);
  if (covers(call ? call->can : rules_.can, needs)) {
    ask(call,
        {.id = question.id, .token = question.reference, .method = question.method, .needs = needs, .about = about},
        find_member(question.text, {"params"}).value_or(""), now, out);
    return std::nullopt;
  }
  reject_server_request(question.id, code_of_lack(question.method),
                        "The client cannot be asked this: it did not declare the capability", out);
  auto is_its = call && call->exchange && (calls_.only_at_server() == call || (about && about->size() == 1));
  return is_its && question.method != "roots/list" ? std::optional{unable{call->own, needs}} : std::nullopt;
}

void parked_calls::ask(adapter_call* call, question one, std::string_view params, time_point now,
                       stateless_effects& out) {
  auto id = one.id;
  if (!call)
    return reject_server_request(
        id, error_code::invalid_params,
        "Nobody can be asked now: a question needs a tools/call, prompts/get or resources/read "
        "that is under way",
        out);
  if (!add_question(*call, std::move(one), params))
    return reject_server_request(id, error_code::internal_error, "Too many questions wait for clients", out);
  ask_by(when_to_ask(*call, now), *call, now, out);
}

void parked_calls::ask_by(time_point when, const adapter_call& call, time_point now, stateless_effects& out) {
  auto& parked = all_.at(call.own);
  if (!parked.questions.back().token.empty())
    parked.next_progress = std::min(parked.next_progress, now + progress_pause);
  parked.ask_at = std::min(parked.ask_at, when);
  if (parked.ask_at <= now)
    ask_due(now, out);
}

time_point parked_calls::when_to_ask(const adapter_call& call, time_point now) {
  if (call.exchange)
    return lone_.are_of(call) ? now : now + rules_.collect;
  lone_.came_late(call);
  return time_point::max();
}

/// Skips calls whose questions the server has withdrawn meanwhile.
void parked_calls::ask_due(time_point now, stateless_effects& out) {
  std::vector<exchange_id> due;
  for (auto& [own, parked] : all_)
    if (parked.ask_at <= now)
      due.push_back(own);
  for (auto own : due)
    if (all_.at(own).questions.empty())
      all_.erase(own);
    else
      ask_together(*calls_.find(own), now, out);
}

void parked_calls::ask_together(adapter_call& call, time_point now, stateless_effects& out) {
  lone_.asked_together(call, all_.at(call.own).questions.size());
  ask_client(call, now, out);
}

bool parked_calls::has_room_for_question(const adapter_call& call) const {
  auto found = all_.find(call.own);
  return found == all_.end() ? all_.size() < rules_.parked_calls : found->second.questions.size() < most_questions;
}

bool parked_calls::add_question(adapter_call& call, question one, std::string_view params) {
  if (!has_room_for_question(call))
    return false;
  auto request = input_request(one.method, params);
  auto bytes = bytes_.try_acquire(request.size());
  if (!bytes)
    return false;
  one.request.emplace(kept_text{std::move(request), std::move(*bytes)});
  add_to(call, std::move(one));
  return true;
}

void parked_calls::add_to(adapter_call& call, question one) {
  one.key = "q" + std::to_string(++call.questions);
  all_[call.own].questions.push_back(std::move(one));
}

/// Answers the client's request with the questions; the call itself continues.
void parked_calls::ask_client(adapter_call& call, time_point now, stateless_effects& out) {
  auto& parked = all_.at(call.own);
  ++call.round;
  parked.ask_at = time_point::max();
  parked.until = now + rules_.parked;
  auto text = input_required(call, parked);
  out.push_back(send_response{calls_.detach(call), std::move(text), 0});
}

std::string parked_calls::input_required(const adapter_call& call, const parked& of) const {
  auto text = R"({"jsonrpc":"2.0","id":)" + call.id + R"(,"result":{"inputRequests":{)";
  for (auto& one : of.questions)
    text += (&one == &of.questions.front() ? "" : ",") + quoted(one.key) + ":" + one.request->text;
  return text + R"(},"requestState":)" +
         quoted(sealed_request_state({std::string{rules_.lease}, call.own, call.round}, rules_.seal)) + "," +
         result_members("input_required", start_.server_info()) + "}}";
}

void parked_calls::server_withdrew(const message& cancelled) {
  auto is_meant = [&](const question& one) { return !one.id.empty() && same_id(one.id, cancelled.reference); };
  for (auto& [own, parked] : all_)
    std::erase_if(parked.questions, is_meant);
}

void parked_calls::keep(adapter_call& call, message answer, time_point now, stateless_effects& out) {
  auto& parked = all_.at(call.own);
  parked.next_progress = time_point::max();
  call.is_at_server = false;
  for (auto& one : std::exchange(parked.questions, {}))
    pass_on(std::move(one), now, out);
  auto bytes = bytes_.try_acquire(answer.text.size());
  if (!bytes)
    answer = gateway_message(error_text(answer.id, error_code::internal_error,
                                        "The MCP server answered before its question was, and too much to be kept"));
  parked.answer.emplace(kept_answer{std::move(answer), std::move(bytes)});
}

bool parked_calls::ask_for_urls(adapter_call& call, const std::vector<std::string>& elicitations, time_point now,
                                stateless_effects& out) {
  auto fits =
      elicitations.size() <= most_questions && std::all_of(elicitations.begin(), elicitations.end(), [&](auto& params) {
        return add_question(call, {.method = "elicitation/create", .needs = {.url = true}}, params);
      });
  if (!fits) {
    all_.erase(call.own);
    return false;
  }
  all_.at(call.own).is_for_urls = true;
  call.is_at_server = false;
  ask_client(call, now, out);
  return true;
}

// -- from clients ----------------------------------------------------------------------

adapter_call* parked_calls::call_of(const message& retry) {
  auto state = read_request_state(string_param(retry, "requestState"), rules_.seal);
  auto call = state && state->lease == rules_.lease ? calls_.find(state->call) : nullptr;
  if (!call || call->exchange || call->round != state->round || call->method != retry.method)
    return nullptr;
  return are_same_call(call->params, params_of(retry)) ? call : nullptr;
}

std::optional<client_profile> parked_calls::lacks(const adapter_call& call, const client_profile& can) const {
  for (auto& one : all_.at(call.own).questions)
    if (!covers(can, one.needs))
      return one.needs;
  return std::nullopt;
}

parked_calls::next parked_calls::receive_responses(adapter_call& call, const message& retry, time_point now,
                                                   stateless_effects& out) {
  auto& parked = all_.at(call.own);
  if (parked.answer)
    return next::has_answer;
  auto responses = find_member(retry.text, {"params", "inputResponses"}).value_or("");
  if (parked.is_for_urls)
    return receive_urls(call, parked, responses, now, out);
  const responses_to answers{parked.questions, responses};
  std::erase_if(parked.questions, [&](const question& one) {
    auto response = answers.find(one);
    if (response) {
      out.push_back(forward_to_server{gateway_message(answer_text(one.id, *response))});
      std::get<forward_to_server>(out.back()).what.requester = retry.requester;
    }
    return response.has_value();
  });
  if (!parked.questions.empty())
    return ask_again(call, now, out);
  all_.erase(call.own);
  return next::waits_for_server;
}

parked_calls::next parked_calls::ask_again(adapter_call& call, time_point now, stateless_effects& out) {
  ask_client(call, now, out);
  return next::asked_again;
}

parked_calls::next parked_calls::receive_urls(adapter_call& call, parked& of, std::string_view responses,
                                              time_point now, stateless_effects& out) {
  auto is_declined = false;
  const responses_to answers{of.questions, responses};
  std::erase_if(of.questions, [&](const question& one) {
    auto response = answers.find(one);
    is_declined = is_declined || (response && !accepts(*response));
    return response.has_value();
  });
  if (!is_declined && !of.questions.empty())
    return ask_again(call, now, out);
  all_.erase(call.own);
  return is_declined ? next::urls_declined : next::urls_opened;
}

message parked_calls::receive_response(const adapter_call& call) {
  return std::move(all_.extract(call.own).mapped().answer->what);
}

// -- ends ------------------------------------------------------------------------------

std::vector<exchange_id> parked_calls::tick(time_point now, stateless_effects& out) {
  ask_due(now, out);
  std::vector<exchange_id> late;
  for (auto& [own, parked] : all_)
    if (parked.until <= now)
      late.push_back(own);
    else if (parked.next_progress <= now)
      send_progress(parked, now, out);
  for (auto own : late)
    give_up(own, out);
  return late;
}

void parked_calls::send_progress(parked& of, time_point now, stateless_effects& out) {
  of.next_progress = time_point::max();
  for (auto& one : of.questions) {
    if (one.token.empty())
      continue;
    out.push_back(forward_to_server{progress_of(one.token, ++one.progress)});
    of.next_progress = now + progress_pause;
  }
}

void parked_calls::give_up(exchange_id own, stateless_effects& out) {
  auto parked = all_.extract(own);
  for (auto& one : parked.mapped().questions)
    give_up(one, out);
}

/// Answers the question as given up. A URL to open has no id: the server did not ask it.
void parked_calls::give_up(const question& one, stateless_effects& out) {
  if (!one.id.empty())
    out.push_back(forward_to_server{gateway_message(given_up_answer(one.id, one.method))});
}

void parked_calls::pass_on(adapter_call& call, time_point now, stateless_effects& out) {
  auto of = all_.extract(call.own);
  if (of.empty())
    return;
  const auto was_at_server = std::exchange(call.is_at_server, false);
  for (auto& one : of.mapped().questions)
    pass_on(std::move(one), now, out);
  call.is_at_server = was_at_server;
}

/// Waits before asking the other client: the server may withdraw the question meanwhile.
void parked_calls::pass_on(question one, time_point now, stateless_effects& out) {
  auto to = call_for(one.about);
  if (!to || !covers(to->can, one.needs) || !has_room_for_question(*to))
    return give_up(one, out);
  add_to(*to, std::move(one));
  ask_by(to->exchange ? now + rules_.collect : time_point::max(), *to, now, out);
}

void parked_calls::server_lost() {
  for (auto at = all_.begin(); at != all_.end();) {
    auto& [own, parked] = *at;
    std::erase_if(parked.questions, [](auto& one) { return !one.id.empty(); });
    at = parked.ask_at == time_point::max() ? std::next(at) : all_.erase(at);
  }
}

void parked_calls::end(stateless_effects& out) {
  while (!all_.empty())
    give_up(all_.begin()->first, out);
}

time_point parked_calls::deadline() const {
  auto first = time_point::max();
  for (auto& [own, parked] : all_)
    first = std::min({first, parked.until, parked.next_progress, parked.ask_at});
  return first;
}

} // namespace troupe::protocol

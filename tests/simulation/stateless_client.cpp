#include "tests/simulation/stateless_client.hpp"

#include "tests/simulation/client_messages.hpp"

#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr span_of_time pause = 400ms;
/// Time after which a client that does not rest gives a call up.
constexpr span_of_time patience = 8s;
/// The client hangs up, or listens, at one action in so many.
constexpr std::size_t hangs_up = 20;
constexpr std::size_t listens = 12;
/// Calls that are repeated after 503, and questions that are not answered.
constexpr std::size_t repeats = 2;
constexpr std::size_t ignores = 10;

constexpr std::string_view meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                  R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}}})";

std::string params_with(const std::string& more) { return "{" + more + "," + std::string{meta} + "}"; }

std::string params_of_call(const std::string& token) { return R"("name":"echo","token":")" + token + "\""; }

/// Answers to the questions of a result.
std::string responses_to(std::string_view questions) {
  std::string result;
  for (object_reader each{questions}; each.next();)
    result +=
        (result.empty() ? "" : ",") + quoted(std::string{each.key()}) + ":" +
        sample_of(string_member(each.value(), {"params", "token"}), string_member(each.value(), {"params", "session"}));
  return "{" + result + "}";
}

} // namespace

// -- actions ---------------------------------------------------------------------------------

void stateless_client::plan() {
  time_.after(luck_.between(1ms, 2 * pause), [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && !self->rests_) {
      self->act();
      self->plan();
    }
  });
}

void stateless_client::act() {
  if (luck_.one_in(hangs_up))
    return hang_up_one();
  auto is_listening = std::ranges::any_of(exchanges_, [](auto& one) { return one.second.token.empty(); });
  if (!is_listening && luck_.one_in(listens))
    return listen();
  log_.count("stateless calls");
  call(name_ + "-" + std::to_string(++last_));
}

void stateless_client::rest() {
  rests_ = true;
  std::erase_if(exchanges_, [](auto& one) {
    if (one.second.token.empty())
      one.second.by->hang_up();
    return one.second.token.empty();
  });
}

void stateless_client::leave() {
  for (auto& [number, one] : std::exchange(exchanges_, {}))
    one.by->hang_up();
}

void stateless_client::call(std::string token, told then, std::optional<std::size_t> to) {
  auto id = std::to_string(++last_);
  model_.is_posted(token);
  auto text = request_text(id, "tools/call", params_with(params_of_call(token)));
  send(std::move(text), {.by = {}, .id = id, .token = std::move(token), .then = std::move(then)}, to);
}

void stateless_client::probe(std::size_t host, told then) {
  call(name_ + "-" + std::to_string(++last_), std::move(then), host);
}

void stateless_client::listen() {
  auto id = std::to_string(++last_);
  auto params = params_with(R"("notifications":{"toolsListChanged":true})");
  send(request_text(id, "subscriptions/listen", params), {.by = {}, .id = id}, std::nullopt);
}

void stateless_client::hang_up_one() {
  if (exchanges_.empty())
    return;
  auto at = std::next(exchanges_.begin(), static_cast<std::ptrdiff_t>(luck_.below(exchanges_.size())));
  at->second.by->hang_up();
  exchanges_.erase(at);
}

/// Brings the answers to the questions of a call, which goes on.
void stateless_client::retry(const message& asked, const std::string& token) {
  if (luck_.one_in(ignores))
    return log_.count("questions ignored by stateless clients");
  auto state = string_member(asked.text, {"result", "requestState"});
  auto answers = responses_to(find_member(asked.text, {"result", "inputRequests"}).value_or("{}"));
  time_.after(luck_.between(1ms, 1s), [weak = weak_from_this(), state, answers, token] {
    auto self = weak.lock();
    if (!self || self->rests_)
      return;
    self->log_.count("retries of stateless clients");
    auto id = std::to_string(++self->last_);
    auto params = params_of_call(token) + R"(,"inputResponses":)" + answers + R"(,"requestState":)" + quoted(state);
    self->send(request_text(id, "tools/call", params_with(params)),
               {.by = {}, .id = id, .token = token, .is_retry = true}, std::nullopt);
  });
}

void stateless_client::send(std::string text, exchange one, std::optional<std::size_t> to) {
  auto number = ++last_;
  auto by = std::make_shared<connection>(time_, [weak = weak_from_this(), number](received& what) {
    if (auto self = weak.lock())
      self->receive(number, what);
  });
  one.by = by;
  auto is_call = !one.token.empty();
  exchanges_.emplace(number, std::move(one));
  front_.send({.owner = owner_, .body = std::get<post_body>(read_body(std::move(text))), .via = transport::stateless},
              by, to);
  if (is_call)
    time_.after(patience, [weak = weak_from_this(), number] {
      if (auto self = weak.lock())
        self->give_up(number);
    });
}

/// A client that rests waits for the answers that must come.
void stateless_client::give_up(std::uint64_t number) {
  auto found = exchanges_.find(number);
  if (found == exchanges_.end() || (rests_ && model_.gets_answer(found->second.token)))
    return;
  log_.count("stateless calls given up");
  found->second.by->hang_up();
  exchanges_.erase(found);
}

std::vector<std::string> stateless_client::open_calls() const {
  std::vector<std::string> result;
  for (auto& [number, one] : exchanges_)
    result.push_back(one.token);
  return result;
}

// -- receiving -------------------------------------------------------------------------------

void stateless_client::receive(std::uint64_t number, received& what) {
  using kind = received::kind;
  auto found = exchanges_.find(number);
  if (found == exchanges_.end())
    return;
  auto& of = found->second;
  if (what.is == kind::answer) {
    log_.note(name_, "gets " + std::to_string(what.status), of.id + " " + of.token + " " + what.text);
    if (what.status == 200)
      for (auto& one : messages_in(what.text))
        receive_message(of, one);
    else
      receive_refusal(of, what);
  } else if (what.is != kind::broken) {
    of.is_stream = true;
    receive_events(of, what.text);
  }
  if (what.is != kind::begin && what.is != kind::events)
    finish(number, what.is == kind::broken || (what.is == kind::answer && what.status != 200));
}

/// A refused call has not run, and does not run later. Retries do not begin one.
void stateless_client::receive_refusal(const exchange& of, const received& what) {
  log_.count("stateless requests refused with " + std::to_string(what.status));
  if (of.then)
    of.then(what.status, {});
  if (what.status == 404)
    log_.broken(rule::known_when_404, name_ + " gets 404 for a request without a session: " + what.text);
  if (of.token.empty() || of.is_retry || what.status != 503)
    return;
  model_.is_refused(of.token);
  if (!rests_ && luck_.one_in(repeats))
    time_.after(what.pause + luck_.between({}, 500ms), [weak = weak_from_this(), token = of.token] {
      if (auto self = weak.lock(); self && !self->rests_)
        self->call(token);
    });
}

void stateless_client::receive_events(exchange& of, const std::string& text) {
  for (auto& one : of.events.feed(text))
    for (auto& each : messages_in(one.data))
      receive_message(of, each);
}

void stateless_client::receive_message(exchange& of, const message& what) {
  if (what.kind == message_kind::response)
    return receive_answer(of, what);
  auto number = string_param(what, "n");
  if (!number.empty() && !of.notes.insert(number).second)
    log_.broken(rule::each_event_once, name_ + " gets notification " + number + " twice on one stream");
}

void stateless_client::receive_answer(exchange& of, const message& what) {
  if (what.id != of.id)
    return log_.broken(rule::own_answers_only, name_ + " gets an answer to another request: " + what.text);
  if (std::exchange(of.is_answered, true))
    return log_.broken(rule::one_answer_each, name_ + " gets another answer to " + of.token + ": " + what.text);
  auto is_result = has_result(what);
  if (!is_result && of.then)
    of.then(0, {});
  if (!is_result && what.text.find(unanswered_requests::node_lost) != what.text.npos && !of.token.empty())
    model_.is_told_lost(of.token);
  if (!is_result || of.token.empty())
    return log_.count(is_result ? "streams of stateless clients ended" : "errors of stateless calls");
  receive_result(of, what);
}

void stateless_client::receive_result(const exchange& of, const message& what) {
  if (string_member(what.text, {"result", "resultType"}) == "input_required")
    return retry(what, of.token);
  log_.count("results of stateless calls");
  auto lease = string_member(what.text, {"result", "session"});
  if (string_member(what.text, {"result", "token"}) != of.token)
    log_.broken(rule::own_answers_only, name_ + " called " + of.token + " and gets " + what.text);
  model_.leases().answers(lease, owner_, of.token);
  if (of.then)
    of.then(200, lease);
}

/// A stream that ends in order has brought the answer.
void stateless_client::finish(std::uint64_t number, bool is_broken) {
  auto node = exchanges_.extract(number);
  if (node.empty())
    return;
  auto& of = node.mapped();
  if (is_broken || of.is_answered)
    return;
  if (of.token.empty())
    return log_.count("streams of stateless clients cut");
  log_.broken(rule::one_answer_each, name_ + " gets no answer to " + of.token + " before the end of its stream");
}

} // namespace troupe::tests::simulation

#include "actors/cluster/forwarded_requests.hpp"

#include "actors/runtime/unit.hpp"
#include "protocol/trace/trace_position.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

std::size_t size_of(const protocol::request_trace& one) {
  return sizeof one + one.at.state.size() + one.at.baggage.size() + one.client.size() + one.version.size();
}

std::size_t size_of(const relay_request& one) {
  auto size = sizeof one + one.head.server.size() + one.head.session.size() + one.last.size();
  for (auto& part : one.body.messages)
    size += sizeof part + part.text.size() + part.id.size() + part.method.size() + part.reference.size() +
            (part.trace ? size_of(*part.trace) : 0);
  return size;
}

/// True if this part of an answer may follow those before: events only after `begin`, everything else only without it.
bool may_follow(relay_answer::kind what, bool streams) {
  using kind = relay_answer::kind;
  auto is_of_stream = what == kind::event || what == kind::end;
  return what >= kind::reply && what <= kind::lost && is_of_stream == streams;
}

/// True for streams that can end early without loss: the client listens again, or sends its question again.
bool listens(const relay_request& one) {
  return one.is == relay_request::kind::listen || one.is == relay_request::kind::operate ||
         (one.head.via == protocol::transport::stateless &&
          one.body.messages.front().is_method("subscriptions/listen"));
}

} // namespace

// -- forwarding -------------------------------------------------------------------------

template <class Router>
void forwarded_requests<Router>::pass_on(protocol::node_life to, waiting_request what, bool may_move) {
  auto number = ++last_number_;
  self_->link_to(what.broker);
  note_held(self_, what.broker, what.came, true);
  brokers_.emplace(what.broker.address(), number);
  exchanges_.emplace(number, one{{to, what.what.head.session, what.what.body, listens(what.what), what.what.head.via,
                                  std::move(what.key)},
                                 std::move(what.broker),
                                 what.came,
                                 may_move ? copy_of(what.what) : std::nullopt,
                                 share_of(self_->at(), protocol::metric::relayed, {"elsewhere"}, 1),
                                 what.what.is == relay_request::kind::operate});
  what.what.from = here_;
  what.what.exchange = number;
  self_->send(gates_.at(to), std::move(what.what));
}

template <class Router>
auto forwarded_requests<Router>::copy_of(const relay_request& what) -> std::optional<second_try> {
  auto room = copies_.try_acquire(size_of(what));
  if (!room)
    return std::nullopt;
  return second_try{what, std::move(*room)};
}

template <class Router>
const protocol::forwarded_exchange* forwarded_requests<Router>::find(std::uint64_t number) const {
  auto found = exchanges_.find(number);
  return found == exchanges_.end() ? nullptr : &found->second.exchange;
}

template <class Router>
waiting_request forwarded_requests<Router>::take_back(std::uint64_t number) {
  auto node = exchanges_.extract(number);
  auto& of = node.mapped();
  brokers_.erase(of.broker.address());
  note_held(self_, of.broker, of.came, false);
  return {std::move(of.copy->what), std::move(of.broker), protocol::request_source::client, of.exchange.key()};
}

// -- answers ----------------------------------------------------------------------------

template <class Router>
void forwarded_requests<Router>::receive_answer(relay_answer& msg) {
  using kind = relay_answer::kind;
  auto& of = exchanges_.at(msg.exchange);
  if (!may_follow(msg.is, of.exchange.streams()))
    return fail(msg.exchange, protocol::unanswered_requests::node_lost, protocol::node_unreachable());
  switch (msg.is) {
  case kind::begin:
    of.copy.reset();
    of.exchange.begun();
    return self_->send(of.broker, sse_begin{});
  case kind::event:
    return publish(msg.exchange, of, std::move(msg.text));
  case kind::reply:
    return finish(msg.exchange, http_reply{std::move(msg.text), std::move(msg.session), std::move(msg.report)});
  case kind::accepted:
    return finish(msg.exchange, http_accepted{});
  case kind::ended:
    return finish(msg.exchange, http_ended{});
  case kind::end:
    return finish(msg.exchange, sse_end{{}, std::move(msg.report)});
  case kind::rejected:
  case kind::lost:
    return;
  }
}

template <class Router>
void forwarded_requests<Router>::publish(std::uint64_t number, one& of, std::string text) {
  auto told = of.exchange.passed_on(text);
  self_->send(of.broker, sse_event{std::move(text)});
  if (told != 0)
    self_->send(gates_.at(of.exchange.to()), relay_taken{here_, number, told});
}

/// Sends the answer and unlinks the broker: its exit no longer matters.
template <class Router>
template <class Answer>
void forwarded_requests<Router>::finish(std::uint64_t number, Answer answer) {
  auto node = exchanges_.extract(number);
  auto& broker = node.mapped().broker;
  self_->unlink_from(broker);
  brokers_.erase(broker.address());
  self_->send(broker, std::move(answer));
}

template <class Router>
void forwarded_requests<Router>::fail(std::uint64_t number, std::string_view why, protocol::rejection otherwise) {
  auto& of = exchanges_.at(number);
  if (of.is_operators)
    otherwise = protocol::unavailable("the node that was asked did not answer, or one of the two is stopping");
  finish_with(number, of.exchange.fail(why, std::move(otherwise)));
}

template <class Router>
void forwarded_requests<Router>::fail_all(std::string_view why, const protocol::rejection& otherwise) {
  while (!exchanges_.empty())
    fail(exchanges_.begin()->first, why, otherwise);
}

template <class Router>
void forwarded_requests<Router>::end_all() {
  while (!exchanges_.empty())
    end(exchanges_.begin()->first);
}

template <class Router>
void forwarded_requests<Router>::finish_with(std::uint64_t number, protocol::failed_answer answer) {
  std::visit([&](auto& what) { fail_with(number, what); }, answer);
}

template <class Router>
void forwarded_requests<Router>::fail_with(std::uint64_t number, protocol::end_of_stream& rest) {
  auto& broker = exchanges_.at(number).broker;
  for (auto& event : rest.events)
    self_->send(broker, sse_event{std::move(event)});
  finish(number, sse_end{});
}

template <class Router>
bool forwarded_requests<Router>::on_exit_of(const caf::actor_addr& broker) {
  auto found = brokers_.extract(broker);
  if (found.empty())
    return false;
  auto node = exchanges_.extract(found.mapped());
  tell_closed(node.mapped().exchange.to(), node.key());
  return true;
}

template <class Router>
void forwarded_requests<Router>::tell_closed(protocol::node_life node, std::uint64_t number) {
  if (auto gate = gates_.find(node); gate != gates_.end())
    self_->send(gate->second, relay_closed{here_, number});
}

// -- all requests -----------------------------------------------------------------------

template <class Router>
template <class Condition>
std::vector<std::uint64_t> forwarded_requests<Router>::numbers(Condition which) const {
  std::vector<std::uint64_t> result;
  for (auto& [number, of] : exchanges_)
    if (which(of.exchange))
      result.push_back(number);
  return result;
}

template <class Router>
void forwarded_requests<Router>::tell_all(const session_taken& what) {
  for (auto& [node, gate] : gates_)
    self_->send(gate, what);
}

template <class Router>
std::vector<std::uint64_t> forwarded_requests<Router>::members(gates now) {
  auto before = std::exchange(gates_, std::move(now));
  return numbers([&](auto& exchange) { return is_lost(exchange.to(), before, gates_); });
}

/// Ends the streams of listening clients. They reconnect elsewhere, and receive the missed events there.
template <class Router>
void forwarded_requests<Router>::end_listening() {
  for (auto number : numbers([](auto& exchange) { return exchange.streams() && !exchange.is_call(); })) {
    if (exchanges_.at(number).is_operators)
      continue; // operators keep watching
    tell_closed(exchanges_.at(number).exchange.to(), number);
    finish(number, sse_end{});
  }
}

template <class Router>
bool forwarded_requests<Router>::has_calls() const {
  return std::ranges::any_of(exchanges_, [](auto& each) { return each.second.exchange.is_call(); });
}

template class forwarded_requests<router_actor>;
template class forwarded_requests<handover_peer_actor>;

} // namespace troupe::actors

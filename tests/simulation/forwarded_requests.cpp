#include "tests/simulation/forwarded_requests.hpp"

#include "tests/simulation/node.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::tests::simulation {

void forwarded_requests::pass_on(node_life to, const std::shared_ptr<link_end>& gate, request what, bool may_move) {
  auto number = ++last_number_;
  auto from = std::exchange(what.from, nullptr);
  auto key = std::exchange(what.key, {});
  from->held(true);
  all_.emplace(number, forwarded_request{{to, what.session, what.body, what.listens(), what.via, std::move(key)},
                                         from,
                                         gate,
                                         may_move ? std::optional{what} : std::nullopt});
  from->watch(self_.weak_from_this(), [this, number] { lose_client(number); });
  net_.send(gate, [here = node_.life(), number, what = std::move(what), back = gate->other](node& other) {
    if (auto by = back.lock())
      other.gate().receive(here, number, what, by);
  });
}

forwarded_request* forwarded_requests::find(std::uint64_t number) {
  auto found = all_.find(number);
  return found == all_.end() ? nullptr : &found->second;
}

request forwarded_requests::take_back(std::uint64_t number) {
  auto taken = all_.extract(number);
  auto one = std::move(*taken.mapped().copy);
  one.from = std::move(taken.mapped().from);
  one.key = taken.mapped().exchange.key();
  one.came = request_source::client;
  one.from->unwatch(&self_);
  one.from->held(false);
  return one;
}

// -- answers ---------------------------------------------------------------------------------

void forwarded_requests::receive_answer(std::uint64_t number, answer what) {
  using kind = answer::kind;
  auto& of = all_.at(number);
  if (what.is == kind::event)
    return publish(number, std::move(what.text));
  if (what.is != kind::begin)
    return finish(number, std::move(what));
  of.copy.reset();
  of.exchange.begun();
  of.from->tell(std::move(what));
}

void forwarded_requests::publish(std::uint64_t number, std::string text) {
  auto& of = all_.at(number);
  auto told = of.exchange.passed_on(text);
  if (node_.has(planted::event_twice))
    of.from->tell({.is = answer::kind::event, .text = text});
  of.from->tell({.is = answer::kind::event, .text = std::move(text)});
  if (told != 0)
    net_.send(of.gate, [here = node_.life(), number, told](node& other) { other.gate().taken(here, number, told); });
}

void forwarded_requests::finish(std::uint64_t number, answer what) {
  auto of = all_.extract(number);
  of.mapped().from->unwatch(&self_);
  of.mapped().from->tell(std::move(what));
}

void forwarded_requests::refuse(std::uint64_t number, rejection why) {
  finish(number, {.is = answer::kind::rejected, .why = std::move(why)});
}

void forwarded_requests::fail(std::uint64_t number, std::string_view why, rejection otherwise) {
  finish_with(number, all_.at(number).exchange.fail(why, std::move(otherwise)));
}

void forwarded_requests::fail_all(std::string_view why, const rejection& otherwise) {
  while (!all_.empty())
    fail(all_.begin()->first, why, otherwise);
}

void forwarded_requests::end(std::uint64_t number) { finish_with(number, all_.at(number).exchange.end()); }

void forwarded_requests::end_all() {
  while (!all_.empty())
    end(all_.begin()->first);
}

void forwarded_requests::finish_with(std::uint64_t number, failed_answer what) {
  if (auto* end = std::get_if<end_of_stream>(&what)) {
    answer last{.is = answer::kind::end};
    for (auto& event : end->events)
      last.text += event;
    return finish(number, std::move(last));
  }
  if (auto* text = std::get_if<std::string>(&what))
    return finish(number, {.is = answer::kind::reply, .text = std::move(*text)});
  refuse(number, std::move(std::get<rejection>(what)));
}

// -- all requests ----------------------------------------------------------------------------

void forwarded_requests::lose_client(std::uint64_t number) {
  auto gone = all_.extract(number);
  if (gone.empty())
    return;
  if (!node_.has(planted::exchange_kept))
    net_.send(gone.mapped().gate, [here = node_.life(), number](node& other) { other.gate().closed(here, number); });
  client_lost_();
}

/// Clients that only listen reconnect elsewhere.
void forwarded_requests::end_listening() {
  auto listens = [](auto& one) { return one.exchange.streams() && !one.exchange.is_call(); };
  for (auto number : numbers(listens)) {
    net_.send(all_.at(number).gate, [here = node_.life(), number](node& other) { other.gate().closed(here, number); });
    finish(number, {.is = answer::kind::end});
  }
}

std::vector<std::uint64_t>
forwarded_requests::numbers(const std::function<bool(const forwarded_request&)>& which) const {
  std::vector<std::uint64_t> result;
  for (auto& [number, one] : all_)
    if (which(one))
      result.push_back(number);
  return result;
}

bool forwarded_requests::has_calls() const {
  return std::ranges::any_of(all_, [](auto& one) { return one.second.exchange.is_call(); });
}

} // namespace troupe::tests::simulation

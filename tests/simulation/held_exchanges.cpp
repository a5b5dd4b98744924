#include "tests/simulation/held_exchanges.hpp"

namespace troupe::tests::simulation {

exchange_id held_exchanges::adopt(request& what, const std::shared_ptr<actor>& by) {
  auto exchange = ++last_;
  what.from->held(true);
  what.from->watch(by, [this, exchange] {
    if (all_.erase(exchange) != 0)
      lost_(exchange);
  });
  all_.emplace(exchange, client{std::move(what.from), what.came, what.is == request::kind::listen});
  return exchange;
}

void held_exchanges::tell(const stream_part& part, const actor& by) {
  auto found = all_.find(part.exchange);
  if (found == all_.end())
    return;
  found->second.streams = true;
  if (part.begins || !part.events.empty())
    found->second.from->tell({.is = part.begins ? answer::kind::begin : answer::kind::event, .text = part.events});
  if (part.ends)
    answer(part.exchange, {.is = answer::kind::end}, by);
}

void held_exchanges::answer(exchange_id which, simulation::answer what, const actor& by) {
  if (auto one = extract(which, by))
    one->from->tell(std::move(what));
}

std::optional<held_exchanges::client> held_exchanges::extract(exchange_id which, const actor& by) {
  auto found = all_.extract(which);
  if (found.empty())
    return std::nullopt;
  found.mapped().from->unwatch(&by);
  return std::move(found.mapped());
}

const held_exchanges::client* held_exchanges::find(exchange_id which) const {
  auto found = all_.find(which);
  return found == all_.end() ? nullptr : &found->second;
}

} // namespace troupe::tests::simulation

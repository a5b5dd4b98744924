#include "actors/session/session_clients.hpp"

#include <algorithm>

namespace troupe::actors {

session_clients::client session_clients::release(protocol::exchange_id exchange) {
  auto found = place_of(exchange);
  if (found == all_.end())
    return {};
  auto result = std::move(*found);
  all_.erase(found);
  self_->demonitor(result.broker.address());
  return result;
}

void session_clients::tell(protocol::stream_part part) {
  auto to = place_of(part.exchange);
  if (to == all_.end())
    return;
  to->streams = true;
  if (!part.ends) {
    if (part.begins)
      self_->send(to->broker, sse_begin{std::move(part.events), false});
    else
      self_->send(to->broker, sse_event{std::move(part.events)});
    return;
  }
  auto last = release(part.exchange);
  if (part.begins)
    self_->send(last.broker, sse_begin{std::move(part.events), true, std::move(last.report)});
  else
    self_->send(last.broker, sse_end{std::move(part.events), std::move(last.report)});
}

/// For a batch, keeps the first error and the longest time.
void session_clients::note(protocol::exchange_id exchange, exchange_report&& what) {
  auto of = place_of(exchange);
  if (of == all_.end())
    return;
  auto& known = of->report;
  known.in_server = std::max(known.in_server, what.in_server);
  if (known.error.empty() && !what.error.empty())
    known.error = std::move(what.error);
  if (known.server.empty())
    known.server = std::move(what.server);
}

std::optional<protocol::exchange_id> session_clients::lost(const caf::actor_addr& broker) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.broker.address() == broker; });
  if (found == all_.end())
    return std::nullopt;
  auto result = found->exchange;
  all_.erase(found);
  return result;
}

protocol::time_point session_clients::first_until() const {
  auto first = std::ranges::min_element(all_, {}, &client::until);
  return first == all_.end() ? protocol::time_point::max() : first->until;
}

std::vector<protocol::exchange_id> session_clients::take_expired(protocol::time_point until, bool resumes_calls) {
  std::vector<protocol::exchange_id> result;
  for (auto& one : all_) {
    if (until < one.until)
      continue;
    one.until = protocol::time_point::max();
    if (one.listens || (one.streams && resumes_calls))
      result.push_back(one.exchange);
  }
  return result;
}

std::size_t session_clients::unanswered() const {
  return static_cast<std::size_t>(std::ranges::count(all_, false, &client::streams));
}

session_clients::position session_clients::place_of(protocol::exchange_id exchange) {
  auto found = std::ranges::lower_bound(all_, exchange, {}, &client::exchange);
  return found != all_.end() && found->exchange == exchange ? found : all_.end();
}

} // namespace troupe::actors

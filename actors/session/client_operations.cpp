#include "actors/session/client_operations.hpp"

#include "protocol/ids.hpp"

#include <algorithm>
#include <cassert>

namespace troupe::actors {

void client_operations::begin(protocol::exchange_id exchange, protocol::post_body& body) {
  for (auto& one : body.messages)
    begin(exchange, one);
}

void client_operations::begin(protocol::exchange_id exchange, protocol::message& request) {
  if (!is_watched() || !protocol::is_request(request))
    return;
  auto& added = under_way_.emplace_back(++last_, exchange, request, at_);
  if (request.trace)
    added.span = begin_span(request, added.what);
}

void client_operations::went_to(std::string_view server) {
  for (auto& one : under_way_)
    if (!std::exchange(one.is_sent, true))
      one.server = server;
}

exchange_report client_operations::end(const protocol::finished_call& one) {
  auto found = place_of(one);
  if (found == under_way_.end())
    return {};
  const auto took = at_.now() - found->began;
  measure(*found, one.how, took);
  exchange_report result{one.how.text(), std::move(found->server), took};
  under_way_.erase(found);
  return result;
}

void client_operations::refused(protocol::exchange_id exchange, int code) {
  for (auto& one : under_way_)
    if (one.exchange == exchange)
      measure(one, protocol::failed_with(code), at_.now() - one.began);
  forget(exchange);
}

void client_operations::end_all(protocol::call_outcome how) {
  for (auto& one : under_way_)
    measure(one, how, at_.now() - one.began);
  under_way_.clear();
}

void client_operations::forget(protocol::exchange_id exchange) {
  for (auto& one : under_way_)
    if (one.exchange == exchange && one.span)
      end_span(one, {}, at_.now() - one.began);
  std::erase_if(under_way_, [&](auto& one) { return one.exchange == exchange; });
}

std::vector<protocol::live_call> client_operations::live() const {
  std::vector<protocol::live_call> result;
  const auto now = at_.now();
  for (auto& one : under_way_)
    if (ends(one))
      result.push_back({one.number, one.what.method, std::string{one.what.name}, one.server,
                        std::chrono::duration_cast<std::chrono::milliseconds>(now - one.began)});
  return result;
}

std::optional<std::pair<protocol::exchange_id, std::string>> client_operations::find(std::uint64_t number) const {
  auto found = std::ranges::find(under_way_, number, &request::number);
  return found == under_way_.end() || !ends(*found) ? std::nullopt
                                                    : std::optional{std::pair{found->exchange, found->id}};
}

/// A session's call is found by its id, unique in the session, as its exchange may have changed. A lease's call is
/// found by its exchange, which it has to itself.
client_operations::requests::iterator client_operations::place_of(const protocol::finished_call& one) {
  return std::ranges::find_if(
      under_way_, [&](auto& other) { return one.id.empty() ? other.exchange == one.exchange : other.id == one.id; });
}

std::unique_ptr<protocol::span> client_operations::begin_span(protocol::message& request,
                                                              const protocol::operation& what) const {
  if (!at_.traces() || !request.trace->at.is_sampled)
    return nullptr;
  const auto client = request.trace->client;
  auto result = std::make_unique<protocol::span>(
      protocol::begin_span(request, what, span_start_of(protocol::span::kind::server)));
  if (!session_.empty())
    result->add("mcp.session.id", protocol::shown(session_));
  result->add("network.transport", std::string{watch_.transport});
  result->add("client.address", client);
  return result;
}

void client_operations::end_span(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const {
  assert(one.span);
  one.span->add("troupe.server", one.server);
  one.span->end(how, took);
  at_.traces()->ended(at_, std::move(*one.span));
  one.span.reset();
}

void client_operations::measure(request& one, protocol::call_outcome how, std::chrono::nanoseconds took) const {
  if (one.span)
    end_span(one, how, took);
  if (auto* in = at_.metrics())
    record(*in, protocol::metric::server_operation, one.what, {one.server, watch_.transport}, how, took);
}

} // namespace troupe::actors

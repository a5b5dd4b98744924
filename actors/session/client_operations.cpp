#include "actors/session/client_operations.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

void client_operations::begin(protocol::exchange_id exchange, const protocol::post_body& body) {
  for (auto& one : body.messages)
    begin(exchange, one);
}

void client_operations::begin(protocol::exchange_id exchange, const protocol::message& request) {
  if (is_watched() && protocol::is_request(request))
    under_way_.push_back({++last_, exchange, request.id, protocol::operation_of(request), at_.now()});
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
  measure(*found, one.how);
  exchange_report result{one.how.text(), std::move(found->server), at_.now() - found->began};
  under_way_.erase(found);
  return result;
}

void client_operations::refused(protocol::exchange_id exchange, int code) {
  for (auto& one : under_way_)
    if (one.exchange == exchange)
      measure(one, protocol::failed_with(code));
  forget(exchange);
}

void client_operations::end_all(protocol::call_outcome how) {
  for (auto& one : under_way_)
    measure(one, how);
  under_way_.clear();
}

void client_operations::forget(protocol::exchange_id exchange) {
  std::erase_if(under_way_, [&](auto& one) { return one.exchange == exchange; });
}

std::vector<protocol::live_call> client_operations::live() const {
  std::vector<protocol::live_call> result;
  const auto now = at_.now();
  for (auto& one : under_way_)
    if (one.what.method != "subscriptions/listen")
      result.push_back({one.number, one.what.method, one.what.name, one.server,
                        std::chrono::duration_cast<std::chrono::milliseconds>(now - one.began)});
  return result;
}

std::optional<std::pair<protocol::exchange_id, std::string>> client_operations::find(std::uint64_t number) const {
  auto found = std::ranges::find(under_way_, number, &request::number);
  return found == under_way_.end() ? std::nullopt : std::optional{std::pair{found->exchange, found->id}};
}

/// A call of a session may go with another exchange by now; its id is its own among those of the session. Those of a
/// lease have exchanges of their own.
client_operations::requests::iterator client_operations::place_of(const protocol::finished_call& one) {
  return std::ranges::find_if(
      under_way_, [&](auto& other) { return one.id.empty() ? other.exchange == one.exchange : other.id == one.id; });
}

void client_operations::measure(const request& one, protocol::call_outcome how) const {
  if (auto* in = at_.metrics())
    record(*in, protocol::metric::server_operation, one.what, {one.server, watch_.transport}, how,
           at_.now() - one.began);
}

} // namespace troupe::actors

#include "protocol/trace/client_spans.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

void client_spans::sent(message& request, const span_start& how, time_point now) {
  if (under_way_.size() == most)
    under_way_.erase(under_way_.begin());
  auto begun = begin_span(request, operation_of(request), how);
  begun.add("troupe.server", server_->server);
  begun.add("network.transport", std::string{server_->transport});
  begun.add("server.address", server_->address);
  if (server_->port != 0)
    begun.attributes.push_back({"server.port", std::int64_t{server_->port}});
  under_way_.push_back({request.id, now, std::move(begun)});
}

std::optional<span> client_spans::heard(const message& what, time_point now) {
  if (what.kind == message_kind::response)
    return end(what.id, what.outcome, now);
  if (what.is_method("notifications/cancelled"))
    return end(what.reference, {call_outcome::kind::cancelled}, now);
  return std::nullopt;
}

std::vector<span> client_spans::end_all(call_outcome how, time_point now) {
  std::vector<span> result;
  for (auto& one : under_way_) {
    one.what.end(how, now - one.began);
    result.push_back(std::move(one.what));
  }
  under_way_.clear();
  return result;
}

std::optional<span> client_spans::end(std::string_view id, call_outcome how, time_point now) {
  auto found = std::ranges::find(under_way_, id, &request::id);
  if (found == under_way_.end())
    return std::nullopt;
  found->what.end(how, now - found->began);
  auto result = std::move(found->what);
  under_way_.erase(found);
  return result;
}

} // namespace troupe::protocol

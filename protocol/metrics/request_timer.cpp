#include "protocol/metrics/request_timer.hpp"

#include <algorithm>

namespace troupe::protocol {

void request_timer::sent(const message& what, time_point now) {
  if (is_cancellation(what))
    return end(what.reference, {call_outcome::kind::cancelled}, now);
  auto id = is_request(what) ? own_id(what.id) : std::nullopt;
  if (!id)
    return;
  if (under_way_.size() == most)
    under_way_.erase(under_way_.begin());
  under_way_.emplace(place_of(*id), *id, operation_of(what, &in_), now);
}

void request_timer::heard(const message& what, time_point now) {
  if (what.kind == message_kind::response)
    end(what.id, what.outcome, now);
}

void request_timer::end_all(call_outcome how, time_point now) {
  for (auto& one : under_way_)
    tell(one, how, now);
  under_way_.clear();
}

void request_timer::end(std::string_view id, call_outcome how, time_point now) {
  auto number = own_id(id);
  auto found = number ? place_of(*number) : under_way_.end();
  if (found == under_way_.end() || found->id != *number)
    return;
  tell(*found, how, now);
  under_way_.erase(found);
}

void request_timer::tell(const request& one, call_outcome how, time_point now) {
  record(in_, metric::client_operation, one.what, {server_->server, server_->transport}, how, now - one.began);
}

request_timer::requests::iterator request_timer::place_of(std::uint64_t id) {
  return std::ranges::lower_bound(under_way_, id, {}, &request::id);
}

} // namespace troupe::protocol

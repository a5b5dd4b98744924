#include "protocol/trace/requests_under_way.hpp"

#include <algorithm>

namespace troupe::protocol {

std::optional<span> requests_under_way::sent(message& what, time_point now, const std::optional<span_start>& sampled) {
  if (is_cancellation(what))
    return end(what.reference, {call_outcome::kind::cancelled}, now);
  const auto number = in_ || sampled ? own_id(what.id) : std::nullopt;
  if (!sampled && (!number || !is_request(what)))
    return std::nullopt;
  if (all_.size() == most)
    remove(std::ranges::min_element(all_, {}, [](auto& one) { return std::pair{one.began, one.number}; }));
  auto& added = all_.emplace_back(number.value_or(no_number), operation_of(what, in_), now);
  if (sampled)
    added.sampled = std::make_unique<sampled_request>(
        sampled_request{number ? std::string{} : what.id, begin_span(what, added.what, *sampled)});
  return std::nullopt;
}

std::optional<span> requests_under_way::received(const message& what, time_point now) {
  return what.kind == message_kind::response ? end(what.id, what.outcome, now) : std::nullopt;
}

std::vector<span> requests_under_way::end_all(call_outcome how, time_point now) {
  std::vector<span> result;
  for (auto& one : all_)
    if (auto ended = close(one, how, now))
      result.push_back(std::move(*ended));
  all_.clear();
  return result;
}

span requests_under_way::begin_span(message& what, const operation& of, const span_start& how) const {
  auto result = protocol::begin_span(what, of, how);
  result.add("troupe.server", server_->server);
  result.add("network.transport", std::string{server_->transport});
  result.add("server.address", server_->address);
  if (server_->port != 0)
    result.attributes.push_back({"server.port", std::int64_t{server_->port}});
  return result;
}

std::optional<span> requests_under_way::end(std::string_view id, call_outcome how, time_point now) {
  if (all_.empty())
    return std::nullopt;
  const auto number = own_id(id).value_or(no_number);
  auto found = std::ranges::find_if(
      all_, [&](auto& one) { return one.number == number && (number != no_number || one.sampled->id == id); });
  if (found == all_.end())
    return std::nullopt;
  auto result = close(*found, how, now);
  remove(found);
  return result;
}

void requests_under_way::remove(requests::iterator which) {
  if (&*which != &all_.back())
    *which = std::move(all_.back());
  all_.pop_back();
}

/// Measures a request that has ended, and returns its span; nullopt if it has none.
std::optional<span> requests_under_way::close(request& one, call_outcome how, time_point now) const {
  const auto took = now - one.began;
  if (in_ && one.number != no_number)
    record(*in_, metric::client_operation, one.what, {server_->server, server_->transport}, how, took);
  if (!one.sampled)
    return std::nullopt;
  one.sampled->span.end(how, took);
  return std::move(one.sampled->span);
}

} // namespace troupe::protocol

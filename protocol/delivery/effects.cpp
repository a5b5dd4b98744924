#include "protocol/delivery/effects.hpp"

#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::size_t much = 64 * 1024;

std::optional<exchange_id> exchange_streamed(const effect& one) {
  if (auto* begin = std::get_if<open_stream>(&one))
    return begin->exchange;
  if (auto* event = std::get_if<publish>(&one))
    return event->exchange;
  if (auto* end = std::get_if<end_stream>(&one))
    return end->exchange;
  return std::nullopt;
}

/// Adds an effect to the part. False if it does not belong there.
bool add_to_part(const effect& one, stream_part& to) {
  if (to.ends || exchange_streamed(one) != to.exchange)
    return false;
  if (auto* event = std::get_if<publish>(&one); event && to.events.size() <= much) {
    encode_to(to.events, event->what);
    return true;
  }
  return to.ends = std::holds_alternative<end_stream>(one);
}

} // namespace

std::optional<stream_part> take_stream_part(effects::iterator& at, effects::iterator end) {
  auto exchange = exchange_streamed(*at);
  if (!exchange)
    return std::nullopt;
  stream_part result{.exchange = *exchange, .begins = std::holds_alternative<open_stream>(*at)};
  if (result.begins)
    ++at;
  while (at != end && add_to_part(*at, result))
    ++at;
  return result;
}

} // namespace troupe::protocol

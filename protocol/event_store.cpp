#include "protocol/event_store.hpp"

#include <algorithm>

namespace troupe::protocol {

void memory_store::append(exchange_id stream, stored_event event, bool vital) {
  bytes_ += event.text.size();
  events_.push_back({stream, std::move(event), vital});
  while (events_.size() > 1 && (events_.size() > most_events_ || bytes_ > most_bytes_))
    make_room();
}

std::vector<stored_event> memory_store::after(exchange_id stream, std::uint64_t place) const {
  std::vector<stored_event> result;
  for (auto& one : events_)
    if (one.stream == stream && one.event.place > place)
      result.push_back(one.event);
  return result;
}

void memory_store::drop(exchange_id stream) {
  finished_.erase(stream);
  for (auto& one : events_)
    if (one.stream == stream)
      bytes_ -= one.event.text.size();
  std::erase_if(events_, [&](const entry& one) { return one.stream == stream; });
}

/// The newest event stays in any case: it is what somebody waits for.
void memory_store::make_room() {
  auto newest = std::prev(events_.end());
  auto dispensable = std::find_if(events_.begin(), newest, [](const entry& one) { return !one.vital; });
  if (dispensable != newest)
    return forget(dispensable);
  auto finished = std::find_if(events_.begin(), newest, [&](const entry& one) {
    return one.stream != newest->stream && finished_.contains(one.stream);
  });
  if (finished != newest)
    return drop(finished->stream);
  forget(events_.begin());
}

void memory_store::forget(const std::deque<entry>::const_iterator& one) {
  bytes_ -= one->event.text.size();
  events_.erase(one);
}

} // namespace troupe::protocol

#include "protocol/delivery/event_store.hpp"

#include <algorithm>

namespace troupe::protocol {

void memory_store::append(exchange_id stream, stored_event event, bool vital) {
  bytes_ += event.text.size();
  ++streams_[stream].events;
  events_.push_back({stream, std::move(event), vital});
  while (events_.size() > 1 && (events_.size() > most_events_ || bytes_ > most_bytes_))
    make_room();
}

std::vector<stored_event> memory_store::after(exchange_id stream, std::uint64_t position) const {
  std::vector<stored_event> result;
  for (auto& one : events_)
    if (one.stream == stream && one.event.position > position)
      result.push_back(one.event);
  return result;
}

/// Events of a stream that is dropped are most often the oldest, so the search begins there.
void memory_store::drop(exchange_id stream) {
  auto node = streams_.extract(stream);
  auto left = node.empty() ? 0 : node.mapped().events;
  for (auto one = events_.begin(); left != 0;) {
    auto it = one++;
    if (it->stream != stream)
      continue;
    bytes_ -= it->event.text.size();
    events_.erase(it);
    --left;
  }
}

/// The newest event always stays: a client may be waiting for it.
void memory_store::make_room() {
  auto newest = std::prev(events_.end());
  auto dispensable = std::find_if(events_.begin(), newest, [](const entry& one) { return !one.vital; });
  if (dispensable != newest)
    return forget(dispensable);
  auto finished = std::find_if(events_.begin(), newest, [&](const entry& one) {
    return one.stream != newest->stream && streams_.at(one.stream).finished;
  });
  if (finished != newest)
    return drop(finished->stream);
  forget(events_.begin());
}

void memory_store::forget(const std::list<entry>::const_iterator& one) {
  bytes_ -= one->event.text.size();
  --streams_.at(one->stream).events;
  events_.erase(one);
}

} // namespace troupe::protocol

#include "protocol/delivery/event_store.hpp"

#include "protocol/text/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace troupe::protocol {

/// FNV-1a is enough: tags only have to differ between sessions.
std::string event_tag(std::string_view session_id) {
  std::uint32_t hash = 2166136261U;
  for (auto c : session_id)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  std::array<char, 8> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  return {digits.data(), end};
}

std::string event_id_text(std::string_view tag, event_id id) {
  std::array<char, 20> digits;
  auto text_of = [&](std::uint64_t number) {
    return std::string_view{digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
  };
  std::string text;
  text.reserve(tag.size() + 2 + 2 * digits.size());
  text.append(tag).append("-").append(text_of(id.stream));
  return text.append("-").append(text_of(id.position));
}

std::optional<event_id> read_event_id(std::string_view tag, std::string_view text) {
  if (!text.starts_with(tag) || text.substr(tag.size(), 1) != "-")
    return std::nullopt;
  auto rest = text.substr(tag.size() + 1);
  auto dash = rest.find('-');
  if (dash == rest.npos)
    return std::nullopt;
  auto stream = read_number(rest.substr(0, dash));
  auto position = read_number(rest.substr(dash + 1));
  if (!stream || !position)
    return std::nullopt;
  return event_id{*stream, *position};
}

void memory_store::append(exchange_id stream, stored_event event, bool vital) {
  bytes_.add(event.text.size());
  ++streams_[stream].events;
  events_.push_back({stream, std::move(event), vital});
  while (is_too_full())
    make_room();
}

/// Keeps the newest event, which a client may be waiting for, unless all stores together have no room for it.
bool memory_store::is_too_full() const {
  if (events_.size() > 1 && (events_.size() > most_events_ || bytes_.bytes() > most_bytes_))
    return true;
  return bytes_.bytes() > bytes_.allowed(std::numeric_limits<std::size_t>::max(), least_bytes);
}

std::vector<stored_event> memory_store::after(exchange_id stream, std::uint64_t position) const {
  std::vector<stored_event> result;
  for (auto& one : events_)
    if (one.stream == stream && one.event.position > position)
      result.push_back(one.event);
  return result;
}

/// Searches from the oldest event: events of a dropped stream are mostly old.
void memory_store::drop(exchange_id stream) {
  auto node = streams_.extract(stream);
  auto left = node.empty() ? 0 : node.mapped().events;
  for (auto one = events_.begin(); left != 0;) {
    auto it = one++;
    if (it->stream != stream)
      continue;
    bytes_.remove(it->event.text.size());
    events_.erase(it);
    --left;
  }
}

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
  bytes_.remove(one->event.text.size());
  --streams_.at(one->stream).events;
  events_.erase(one);
}

} // namespace troupe::protocol

#include "protocol/channel.hpp"

#include <algorithm>

namespace troupe::protocol {

void channel::opened(exchange_id stream, effects& out) {
  out.push_back(open_stream{stream});
  streams_.push_back(stream);
  if (streams_.size() == 1)
    flush(out);
  if (streams_.size() <= most_shadows_ + 1)
    return;
  auto oldest_shadow = std::next(streams_.begin());
  out.push_back(end_stream{*oldest_shadow});
  streams_.erase(oldest_shadow);
}

void channel::closed(exchange_id stream, effects& out) {
  auto found = std::find(streams_.begin(), streams_.end(), stream);
  if (found == streams_.end())
    return;
  streams_.erase(found);
  flush(out);
}

void channel::end(effects& out) {
  for (auto stream : streams_)
    out.push_back(end_stream{stream});
  streams_.clear();
}

bool channel::send(std::string text, bool may_be_lost, effects& out) {
  if (auto to = primary()) {
    out.push_back(publish{*to, std::move(text)});
    return true;
  }
  if (waiting_.size() == most_waiting_ && !make_room())
    return false;
  waiting_.push_back({std::move(text), may_be_lost});
  return true;
}

std::optional<exchange_id> channel::primary() const {
  if (streams_.empty())
    return std::nullopt;
  return streams_.front();
}

bool channel::make_room() {
  auto found = std::find_if(waiting_.begin(), waiting_.end(), [](const waiting& one) { return one.may_be_lost; });
  if (found == waiting_.end())
    return false;
  waiting_.erase(found);
  return true;
}

void channel::flush(effects& out) {
  if (streams_.empty())
    return;
  for (auto& one : waiting_)
    out.push_back(publish{streams_.front(), std::move(one.text)});
  waiting_.clear();
}

} // namespace troupe::protocol

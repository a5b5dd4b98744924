#include "protocol/delivery/listening_streams.hpp"

#include <algorithm>

namespace troupe::protocol {

void listening_streams::joined(exchange_id stream, time_point now, effects& out) {
  if (std::find(present_.begin(), present_.end(), stream) != present_.end())
    return;
  present_.push_back(stream);
  flush(out);
  if (shadows() <= most_shadows_)
    return;
  auto oldest_shadow = std::next(present_.begin());
  all_.finish(*oldest_shadow, now, out);
  present_.erase(oldest_shadow);
}

void listening_streams::left(exchange_id stream, effects& out) {
  auto found = std::find(present_.begin(), present_.end(), stream);
  if (found == present_.end())
    return;
  present_.erase(found);
  flush(out);
}

void listening_streams::end(time_point now, effects& out) {
  for (auto stream : present_)
    all_.finish(stream, now, out);
  present_.clear();
}

bool listening_streams::send(message what, effects& out) {
  auto to = primary();
  if (!to)
    return waiting_.push(std::move(what));
  all_.send(*to, std::move(what.text), is_request(what), out);
  return true;
}

std::optional<exchange_id> listening_streams::primary() const {
  if (present_.empty())
    return std::nullopt;
  return present_.front();
}

void listening_streams::flush(effects& out) {
  if (present_.empty())
    return;
  for (auto& one : waiting_.take())
    send(std::move(one), out);
}

} // namespace troupe::protocol

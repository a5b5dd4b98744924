#include "net/client/http_client_pool.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

http_client_pool::connection_ptr http_client_pool::take(const std::string& origin) {
  auto is_there = [&](const kept& one) { return one.origin == origin; };
  while (true) {
    auto found = std::find_if(idle_.rbegin(), idle_.rend(), is_there);
    if (found == idle_.rend())
      return nullptr;
    auto one = remove(std::prev(found.base()));
    if (one.connection->is_quiet())
      return one.connection;
    one.connection->close();
  }
}

void http_client_pool::keep(connection_ptr one, std::string origin) {
  if (is_closed_ || limit_ == 0)
    return one->close();
  if (idle_.size() == limit_)
    close_oldest();
  auto drop_it = [weak = weak_from_this(), which = one.get()] {
    if (auto self = weak.lock())
      self->drop(which);
  };
  one->read([drop_it](auto...) { drop_it(); });
  const auto end = thread_.at(io_thread::clock::now() + patience_, drop_it);
  const auto spare = thread_.spare().add(drop_it);
  idle_.push_back({std::move(one), std::move(origin), end, spare});
}

void http_client_pool::close() {
  is_closed_ = true;
  while (!idle_.empty())
    close_oldest();
}

void http_client_pool::close_oldest() { drop(idle_.front().connection.get()); }

void http_client_pool::drop(const byte_stream* which) {
  auto found = std::find_if(idle_.begin(), idle_.end(), [&](auto& one) { return one.connection.get() == which; });
  if (found != idle_.end())
    remove(found).connection->close();
}

http_client_pool::kept http_client_pool::remove(const std::deque<kept>::iterator& at) {
  auto one = std::move(*at);
  idle_.erase(at);
  thread_.cancel(one.end);
  thread_.spare().remove(one.spare);
  return one;
}

} // namespace troupe::net

#include "net/client/http_client_pool.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

namespace {

bool fits(std::size_t size, std::size_t used, std::size_t limit) { return size <= limit - std::min(used, limit); }

} // namespace

call_turns::answer call_turns::asks(user& whose, number call, std::size_t size, bool ahead) {
  if (whose.running_ == 0 || (running_ < limits_.running && whose.waiting_.empty())) {
    ++whose.running_;
    ++running_;
    return answer::begins;
  }
  if (!may_wait(whose, size))
    return answer::refused;
  if (whose.waiting_.empty())
    next_.push_back(&whose);
  whose.waiting_.insert(ahead ? whose.waiting_.begin() : whose.waiting_.end(), {call, size});
  whose.bytes_ += size;
  bytes_ += size;
  ++waiting_;
  return answer::waits;
}

bool call_turns::may_wait(const user& whose, std::size_t size) const {
  auto in_number = whose.waiting_.size() < limits_.waiting && waiting_ < limits_.waiting * limits_.full_users;
  auto in_bytes = whose.waiting_.empty() || fits(size, whose.bytes_, limits_.bytes);
  return in_number && in_bytes && fits(size, bytes_, limits_.bytes * limits_.full_users);
}

std::vector<call_turns::number> call_turns::ended(user& whose) {
  std::vector<number> result;
  --whose.running_;
  --running_;
  if (whose.running_ == 0 && !whose.waiting_.empty())
    begin_first(whose, result);
  while (running_ < limits_.running && !next_.empty()) {
    next_.splice(next_.end(), next_, next_.begin());
    begin_first(*next_.back(), result);
  }
  return result;
}

void call_turns::begin_first(user& whose, std::vector<number>& out) {
  out.push_back(whose.waiting_.front().call);
  remove(whose, whose.waiting_.begin());
  ++whose.running_;
  ++running_;
}

void call_turns::remove_waiting(user& whose, number call) {
  auto is_it = [&](auto& one) { return one.call == call; };
  if (auto at = std::ranges::find_if(whose.waiting_, is_it); at != whose.waiting_.end())
    remove(whose, at);
}

void call_turns::remove(user& whose, std::list<user::waiting_call>::iterator at) {
  --waiting_;
  bytes_ -= at->size;
  whose.bytes_ -= at->size;
  whose.waiting_.erase(at);
  if (whose.waiting_.empty())
    next_.remove(&whose);
}

http_client_pool::connection_ptr http_client_pool::extract(const std::string& origin) {
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

void http_client_pool::drop(const byte_stream* which) {
  auto found = std::ranges::find_if(idle_, [&](auto& one) { return one.connection.get() == which; });
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

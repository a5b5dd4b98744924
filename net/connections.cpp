#include "net/connections.hpp"

#include "net/connection.hpp"

#include <vector>

namespace troupe::net {

namespace {

constexpr auto sweep_period = std::chrono::milliseconds{500};

} // namespace

void census::add() {
  std::lock_guard lock{mutex_};
  ++count_;
}

void census::remove() {
  std::lock_guard lock{mutex_};
  if (--count_ == 0)
    empty_.notify_all();
}

void census::wait_until_empty(std::chrono::milliseconds limit) {
  std::unique_lock lock{mutex_};
  empty_.wait_for(lock, limit, [this] { return count_ == 0; });
}

connections::connections(io_thread& thread, const connection_limits& limits, exchange_taker take,
                         std::shared_ptr<census> all)
    : thread_{thread}, limits_{limits}, take_{std::move(take)}, census_{std::move(all)} {}

void connections::add(connection& one) {
  all_.insert(&one);
  census_->add();
  sweep_later();
}

void connections::remove(connection& one) {
  all_.erase(&one);
  census_->remove();
}

void connections::drain() {
  draining_ = true;
  for (auto one : std::vector<connection*>{all_.begin(), all_.end()})
    one->close_when_idle();
}

void connections::abort() {
  for (auto one : std::vector<connection*>{all_.begin(), all_.end()})
    one->close();
}

/// A thread without connections is never woken.
void connections::sweep_later() {
  if (sweeping_ || all_.empty())
    return;
  sweeping_ = true;
  thread_.at(io_thread::clock::now() + sweep_period, [self = shared_from_this()] { self->sweep(); });
}

void connections::sweep() {
  sweeping_ = false;
  auto now = io_thread::clock::now();
  for (auto one : std::vector<connection*>{all_.begin(), all_.end()})
    one->check_time(now);
  sweep_later();
}

} // namespace troupe::net

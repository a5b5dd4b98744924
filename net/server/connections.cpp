#include "net/server/connections.hpp"

#include "net/server/connection.hpp"

#include <algorithm>
#include <vector>

namespace troupe::net {

namespace {

constexpr auto sweep_period = std::chrono::milliseconds{500};
constexpr std::size_t read_buffer_size = 64 * 1024;

} // namespace

std::size_t connection_count::add() {
  std::lock_guard lock{mutex_};
  return ++count_;
}

std::size_t connection_count::now() const {
  std::lock_guard lock{mutex_};
  return count_;
}

void connection_count::remove() {
  std::lock_guard lock{mutex_};
  if (--count_ == 0)
    empty_.notify_all();
}

bool connection_count::wait_until_empty(std::chrono::milliseconds limit) {
  std::unique_lock lock{mutex_};
  return empty_.wait_for(lock, limit, [this] { return count_ == 0; });
}

void connection_count::note_request() {
  std::lock_guard lock{mutex_};
  last_request_ = io_thread::clock::now();
}

bool connection_count::is_quiet(std::chrono::milliseconds time) const {
  std::lock_guard lock{mutex_};
  return io_thread::clock::now() >= last_request_ + time;
}

connections::connections(io_thread& thread, const connection_limits& limits, exchange_taker take, connection_totals all)
    : thread_{thread}, limits_{limits}, take_{std::move(take)}, totals_{std::move(all)},
      read_buffer_(read_buffer_size) {}

std::shared_ptr<connections> connections::on_thread(std::size_t number) const {
  return number < all_threads_.size() ? all_threads_[number].lock() : nullptr;
}

void connections::add(connection_order::place& one) {
  order_.add(one, io_thread::clock::now());
  expect(one.of->due());
}

void connections::remove(connection_order::place& one) {
  order_.remove(one);
  totals_.count->remove();
}

bool connections::make_room() {
  auto* first = order_.first();
  if (first)
    first->of->close();
  return first != nullptr;
}

void connections::take(std::unique_ptr<exchange> one) {
  if (leaving_)
    totals_.count->note_request();
  take_(std::move(one));
}

void connections::drain() {
  leaving_ = draining_ = true;
  for (auto* one : all())
    one->close_when_idle();
}

void connections::trust(server_tls_context by) {
  trust_ = std::move(by);
  for (auto* one : all())
    one->judge_again();
}

void connections::abort() {
  aborted_ = true;
  for (auto* one : all())
    one->close();
}

/// A copy, because connections that are closed leave the order.
std::vector<connection*> connections::all() const {
  std::vector<connection*> result;
  order_.for_each([&](auto& one) { result.push_back(one.of); });
  return result;
}

void connections::expect(io_thread::clock::time_point when) {
  due_ = std::min(due_, when);
  sweep_later();
}

/// A thread whose connections have all the time in the world is never woken.
void connections::sweep_later() {
  if (sweeping_ || order_.empty() || due_ == io_thread::clock::time_point::max())
    return;
  sweeping_ = true;
  thread_.at(io_thread::clock::now() + sweep_period, [self = shared_from_this()] { self->sweep(); });
}

void connections::sweep() {
  sweeping_ = false;
  if (auto now = io_thread::clock::now(); now >= due_)
    check_all(now);
  sweep_later();
}

/// Most that was expected has long been overtaken: what is still due is looked up anew.
void connections::check_all(io_thread::clock::time_point now) {
  for (auto* one : all())
    one->check_time(now);
  due_ = io_thread::clock::time_point::max();
  order_.for_each([this](auto& one) { due_ = std::min(due_, one.of->due()); });
}

} // namespace troupe::net

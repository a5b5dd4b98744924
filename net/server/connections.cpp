#include "net/server/connections.hpp"

#include "net/server/connection.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::net {

namespace {

/// Nanoseconds that one activity is ahead of the next: 73 years.
constexpr connection_order::rank ahead = connection_order::rank{1} << 61;

connection_order::rank rank_of(const connection_order::place& one) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(one.since.time_since_epoch()).count();
  return static_cast<connection_order::rank>(one.activity) * ahead + since;
}

constexpr auto sweep_period = std::chrono::milliseconds{500};
constexpr std::size_t read_buffer_size = 64 * 1024;

} // namespace

void connection_order::add(place& one, io_thread::clock::time_point now) {
  one.since = now;
  auto& there = with(one.activity);
  one.at = there.insert(there.end(), &one);
  publish();
}

void connection_order::remove(place& one) {
  with(one.activity).erase(one.at);
  publish();
}

/// Keeps the node of the list, so that a request costs no allocation.
void connection_order::move(place& one, connection_activity to, io_thread::clock::time_point now) {
  if (one.activity == to)
    return;
  auto& there = with(to);
  there.splice(there.end(), with(one.activity), one.at);
  one.activity = to;
  one.since = now;
  publish();
}

bool connection_order::empty() const {
  return std::ranges::all_of(by_activity_, [](auto& places) { return places.empty(); });
}

connection_order::place* connection_order::first() const {
  for (auto what : {connection_activity::fresh, connection_activity::idle, connection_activity::receiving})
    if (auto& places = by_activity_[static_cast<std::size_t>(what)]; !places.empty())
      return places.front();
  return nullptr;
}

void connection_order::publish() {
  auto* one = first();
  first_rank_.store(one ? rank_of(*one) : no_rank, std::memory_order_relaxed);
  auto& busy = with(connection_activity::busy);
  const auto since = busy.empty() ? io_thread::clock::time_point::max() : busy.front()->since;
  busy_since_.store(since.time_since_epoch().count(), std::memory_order_relaxed);
}

std::unique_ptr<unsent_bytes::share> unsent_bytes::begin(std::function<void()> drop, time_point now) {
  const auto number = ++last_;
  holders_.with([&](holders& all) { all.emplace(number, holder{0, now, std::move(drop)}); });
  return std::make_unique<share>(shared_from_this(), number);
}

void unsent_bytes::hold(std::uint64_t number, std::size_t bytes, time_point now) {
  holders_.with([&](holders& all) {
    auto found = all.find(number);
    if (found == all.end())
      return; // it was dropped
    set(found->second, bytes);
    while (held_ > limit_)
      drop_worst(all, now);
  });
}

void unsent_bytes::remove(std::uint64_t number) {
  holders_.with([&](holders& all) {
    auto found = all.find(number);
    if (found == all.end())
      return;
    set(found->second, 0);
    all.erase(found);
  });
}

void unsent_bytes::set(holder& one, std::size_t bytes) { held_ += bytes - std::exchange(one.bytes, bytes); }

void unsent_bytes::drop_worst(holders& all, time_point now) {
  auto weight = [now](const holders::value_type& one) {
    const auto time = std::chrono::duration<double>(now - one.second.since) + std::chrono::milliseconds{1};
    return static_cast<double>(one.second.bytes) * time.count();
  };
  auto worst = std::ranges::max_element(all, {}, weight);
  set(worst->second, 0);
  worst->second.drop();
  all.erase(worst);
}

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

connections::connections(io_thread& thread, const connection_limits& limits, exchange_callback on_exchange,
                         connection_totals all)
    : thread_{thread}, limits_{limits}, on_exchange_{std::move(on_exchange)}, totals_{std::move(all)},
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

void connections::pass_on(std::unique_ptr<exchange> one) {
  if (leaving_)
    totals_.count->note_request();
  on_exchange_(std::move(one));
}

void connections::drain() {
  leaving_ = draining_ = true;
  for (auto* one : all())
    one->close_when_idle();
}

void connections::trust(server_tls_context by) {
  trust_ = std::move(by);
  for (auto* one : all())
    one->recheck_certificate();
}

void connections::abort() {
  aborted_ = true;
  for (auto* one : all())
    one->close();
}

/// Returns a copy, because connections that are closed leave the order.
std::vector<connection*> connections::all() const {
  std::vector<connection*> result;
  order_.for_each([&](auto& one) { result.push_back(one.of); });
  return result;
}

void connections::expect(io_thread::clock::time_point when) {
  due_ = std::min(due_, when);
  sweep_later();
}

/// Sets the timer. A thread whose connections have no deadline is never woken.
void connections::sweep_later() {
  if (sweeping_ || order_.empty() || due_ == io_thread::clock::time_point::max())
    return;
  sweeping_ = true;
  const auto when = io_thread::clock::now() + sweep_period;
  thread_.at(when, [self = shared_from_this(), when] { self->sweep(when); });
}

/// Checks nothing after a pause of the thread or of the process, but waits once more: input that came in the pause is
/// read first.
void connections::sweep(io_thread::clock::time_point when) {
  sweeping_ = false;
  const auto now = io_thread::clock::now();
  was_paused_ = now - when >= sweep_period && !was_paused_;
  if (now >= due_ && !was_paused_)
    check_all(now);
  sweep_later();
}

/// Checks all connections. Most deadlines have been replaced since, so the next one is computed again.
void connections::check_all(io_thread::clock::time_point now) {
  for (auto* one : all())
    one->check_time(now);
  due_ = io_thread::clock::time_point::max();
  order_.for_each([this](auto& one) { due_ = std::min(due_, one.of->due()); });
}

} // namespace troupe::net

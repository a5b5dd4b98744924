#pragma once

#include "net/guarded.hpp"
#include "net/io_thread.hpp"
#include "net/server/admission.hpp"
#include "net/server/connection_limits.hpp"
#include "net/server/exchange.hpp"
#include "net/server/server_tls.hpp"
#include "net/slots.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace troupe::net {

class connection;

/// Activity of a connection, in the order in which connections make room for new ones: no request yet, waiting for a
/// further one, receiving a further one. A busy connection makes no room.
enum class connection_activity { fresh, idle, receiving, busy };

/// Connections of one thread in the order in which they make room. Lives on that thread, except for `first_rank` and
/// `busy_since`.
class connection_order {
public:
  /// Place of a connection in the order; the connection keeps it until it is removed.
  struct place {
    connection* of = nullptr;
    connection_activity activity = connection_activity::fresh;
    io_thread::clock::time_point since = {};
    std::list<place*>::iterator at = {};
  };
  using rank = std::int64_t;
  static constexpr rank no_rank = std::numeric_limits<rank>::max();

  void add(place& one, io_thread::clock::time_point now);
  void remove(place& one);
  /// Changes the activity of a connection.
  void move(place& one, connection_activity to, io_thread::clock::time_point now);

  bool empty() const;
  /// Returns the connection that makes room first; null when all are busy.
  place* first() const;
  /// Rank of the first connection, for comparison with other threads: the lower, the sooner; `no_rank` when all are
  /// busy. Callable from any thread.
  rank first_rank() const { return first_rank_.load(std::memory_order_relaxed); }

  /// Time when the connection that is busy for the longest became busy; max() when none is. Callable from any thread.
  io_thread::clock::time_point busy_since() const {
    return io_thread::clock::time_point{io_thread::clock::duration{busy_since_.load(std::memory_order_relaxed)}};
  }

  template <class F>
  void for_each(F use) const {
    for (auto& places : by_activity_)
      for (auto* one : places)
        use(*one);
  }

private:
  using places = std::list<place*>;

  places& with(connection_activity what) { return by_activity_[static_cast<std::size_t>(what)]; }
  void publish();

  /// Connections by activity, the longest first.
  std::array<places, 4> by_activity_;
  std::atomic<rank> first_rank_{no_rank};
  std::atomic<io_thread::clock::rep> busy_since_{io_thread::clock::time_point::max().time_since_epoch().count()};
};

/// Budget of bytes that all connections of all threads together keep for clients that have not read them.
///
/// Above it a connection is dropped: the one with the highest product of its bytes and the time since it began to hold
/// any. So neither a client that is about to read a long answer pays for others, nor a slow one with a short answer.
/// Callable from any thread.
class unsent_bytes : public std::enable_shared_from_this<unsent_bytes> {
public:
  using time_point = io_thread::clock::time_point;

  explicit unsent_bytes(std::size_t limit) : limit_{limit} {}

  /// Share of one connection. Destroying it gives the bytes back.
  class share {
  public:
    share(std::shared_ptr<unsent_bytes> of, std::uint64_t number) : of_{std::move(of)}, number_{number} {}
    ~share() { of_->remove(number_); }
    share(const share&) = delete;
    share& operator=(const share&) = delete;

    void hold(std::size_t bytes, time_point now) { of_->hold(number_, bytes, now); }

  private:
    std::shared_ptr<unsent_bytes> of_;
    std::uint64_t number_;
  };

  /// `drop` is called at most once, by any thread and before some `hold` returns; it must not use the budget. The bytes
  /// held then count as given back.
  std::unique_ptr<share> begin(std::function<void()> drop, time_point now);
  std::size_t limit() const { return limit_; }
  std::size_t held() const { return held_.load(std::memory_order_relaxed); }

private:
  struct holder {
    std::size_t bytes = 0;
    time_point since;
    std::function<void()> drop;
  };
  using holders = std::unordered_map<std::uint64_t, holder>;

  void hold(std::uint64_t number, std::size_t bytes, time_point now);
  void remove(std::uint64_t number);
  void set(holder& one, std::size_t bytes);
  void drop_worst(holders& all, time_point now);

  std::size_t limit_;
  guarded<holders> holders_;
  std::atomic<std::uint64_t> last_{0};
  /// Bytes of all holders; changes under their lock.
  std::atomic<std::size_t> held_{0};
};

class connection;

/// Takes a new exchange, on the thread of its connection.
using exchange_callback = std::function<void(std::unique_ptr<exchange>)>;

/// Counts the connections of all threads, so that a thread can wait until there are none. Callable from any thread.
class connection_count {
public:
  /// Adds a connection. Returns how many there are now.
  std::size_t add();
  void remove();
  std::size_t now() const;
  /// Waits until there are none. False when the limit is over before.
  bool wait_until_empty(std::chrono::milliseconds limit);
  /// Notes the time of a request; called by `leave`, and for each request after it.
  void note_request();
  /// Whether no request has come for so long.
  bool is_quiet(std::chrono::milliseconds time) const;

private:
  mutable std::mutex mutex_;
  std::condition_variable empty_;
  std::size_t count_ = 0;
  io_thread::clock::time_point last_request_ = io_thread::clock::now();
};

/// Counters and budgets that the connections of all threads share.
struct connection_totals {
  explicit connection_totals(std::size_t unsent_limit = std::numeric_limits<std::size_t>::max())
      : count{std::make_shared<connection_count>()}, unsent{std::make_shared<unsent_bytes>(unsent_limit)} {}

  std::shared_ptr<connection_count> count;
  std::shared_ptr<unsent_bytes> unsent;
  std::shared_ptr<refusal_counts> refusals = std::make_shared<refusal_counts>();
  /// Slots for connections above the limit.
  slots overflow = {};
  /// Null when addresses are not limited.
  std::shared_ptr<connections_by_address> by_address = nullptr;
};

/// Connections of one thread; closes those whose time limit is over. Lives and is used on that thread only, except for
/// `first_rank` and `busy_since`.
class connections : public std::enable_shared_from_this<connections> {
public:
  connections(io_thread& thread, const connection_limits& limits, exchange_callback on_exchange, connection_totals all);

  /// Sets the connections of all threads, by number, before the first connection. Called on each of them.
  void set_all_threads(std::vector<std::weak_ptr<connections>> all) { all_threads_ = std::move(all); }
  /// Returns the connections of another thread; null when there is none.
  std::shared_ptr<connections> on_thread(std::size_t number) const;

  /// Adds a connection, which was counted when it was accepted.
  void add(connection_order::place& one);
  void remove(connection_order::place& one);
  /// Releases a connection that moves to another thread.
  void release(connection_order::place& one) { order_.remove(one); }
  void move(connection_order::place& one, connection_activity to) { order_.move(one, to, thread_.now()); }
  /// Closes the connection that makes room first; false when all are busy.
  bool make_room();
  connection_order::rank first_rank() const { return order_.first_rank(); }
  io_thread::clock::time_point busy_since() const { return order_.busy_since(); }
  /// Makes each answer from now on the last on its connection, and say so. New connections are taken.
  void leave() { leaving_ = true; }
  /// Ends `leave`: connections take further requests again.
  void stay() { leaving_ = false; }
  /// Closes the connections that have had a request and wait for another, and each other one after its answer.
  void drain();
  /// Replaces the context that clients' certificates are checked by: closes connections that fail.
  void trust(server_tls_context by);
  const server_tls_context& trust() const { return trust_; }
  /// Closes every connection, also those still on their way from another thread.
  void abort();

  bool leaving() const { return leaving_; }
  bool draining() const { return draining_; }
  bool aborted() const { return aborted_; }
  /// Notes that a connection has something to do then, if not before.
  void expect(io_thread::clock::time_point when);
  /// Buffer that all connections read into: each takes its bytes out before another one reads.
  std::span<char> read_buffer() { return read_buffer_; }
  const connection_limits& limits() const { return limits_; }
  io_thread& thread() { return thread_; }
  void pass_on(std::unique_ptr<exchange> one);
  unsent_bytes& unsent() { return *totals_.unsent; }
  void refused(refusal why) { totals_.refusals->add(why); }

private:
  std::vector<connection*> all() const;
  void sweep_later();
  void sweep(io_thread::clock::time_point when);
  void check_all(io_thread::clock::time_point now);

  io_thread& thread_;
  connection_limits limits_;
  exchange_callback on_exchange_;
  connection_totals totals_;
  /// Context for clients' certificates; null until it changes.
  server_tls_context trust_;
  std::vector<std::weak_ptr<connections>> all_threads_;
  connection_order order_;
  std::vector<char> read_buffer_;
  /// Time before which no connection has anything to do.
  io_thread::clock::time_point due_ = io_thread::clock::time_point::max();
  bool leaving_ = false;
  bool draining_ = false;
  bool aborted_ = false;
  bool sweeping_ = false;
  /// Whether the last sweep came too late and checked nothing.
  bool was_paused_ = false;
};

} // namespace troupe::net

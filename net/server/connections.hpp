#pragma once

#include "net/io_thread.hpp"
#include "net/server/exchange.hpp"
#include "net/server/limits.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

namespace troupe::net {

class connection;

/// Takes a new exchange, on the thread of its connection.
using exchange_taker = std::function<void(std::unique_ptr<exchange>)>;

/// Counts the connections of all threads, so that a thread can wait until there are none.
class connection_count {
public:
  void add();
  void remove();
  void wait_until_empty(std::chrono::milliseconds limit);

private:
  std::mutex mutex_;
  std::condition_variable empty_;
  std::size_t count_ = 0;
};

/// The connections of one thread, which closes those whose time limit is over. Lives and is used on that thread only.
class connections : public std::enable_shared_from_this<connections> {
public:
  connections(io_thread& thread, const connection_limits& limits, exchange_taker take,
              std::shared_ptr<connection_count> all);

  void add(connection& one);
  void remove(connection& one);
  /// Closes the connections without an exchange, and each other one after its answer.
  void drain();
  /// Closes every connection.
  void abort();

  bool draining() const { return draining_; }
  /// A connection has something to do then, if not before.
  void expect(io_thread::clock::time_point when);
  /// The buffer that connections read into: each takes what it has read out before another one reads.
  std::span<char> read_buffer() { return read_buffer_; }
  const connection_limits& limits() const { return limits_; }
  io_thread& thread() { return thread_; }
  void take(std::unique_ptr<exchange> one) { take_(std::move(one)); }

private:
  void sweep_later();
  void sweep();
  void check_all(io_thread::clock::time_point now);

  io_thread& thread_;
  connection_limits limits_;
  exchange_taker take_;
  std::shared_ptr<connection_count> connection_count_;
  std::unordered_set<connection*> all_;
  std::vector<char> read_buffer_;
  /// No connection has anything to do before.
  io_thread::clock::time_point due_ = io_thread::clock::time_point::max();
  bool draining_ = false;
  bool sweeping_ = false;
};

} // namespace troupe::net

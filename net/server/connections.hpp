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
  /// Whether there are none within the limit.
  bool wait_until_empty(std::chrono::milliseconds limit);
  /// A request has come; only those since the last `leave` are told.
  void note_request();
  /// Whether no request has come for so long within the limit.
  bool wait_until_quiet(std::chrono::milliseconds quiet, std::chrono::milliseconds limit);

private:
  std::mutex mutex_;
  std::condition_variable empty_;
  std::size_t count_ = 0;
  io_thread::clock::time_point last_request_ = io_thread::clock::now();
};

/// The connections of one thread, which closes those whose time limit is over. Lives and is used on that thread only.
class connections : public std::enable_shared_from_this<connections> {
public:
  connections(io_thread& thread, const connection_limits& limits, exchange_taker take,
              std::shared_ptr<connection_count> all);

  void add(connection& one);
  void remove(connection& one);
  /// From now on each answer is the last on its connection, and says so. New connections are taken.
  void leave() { leaving_ = true; }
  /// Closes the connections that have had a request and wait for another, and each other one after its answer.
  void drain();
  /// Closes every connection, also those that are still on their way from another thread.
  void abort();

  bool leaving() const { return leaving_; }
  bool draining() const { return draining_; }
  bool aborted() const { return aborted_; }
  /// A connection has something to do then, if not before.
  void expect(io_thread::clock::time_point when);
  /// The buffer that connections read into: each takes what it has read out before another one reads.
  std::span<char> read_buffer() { return read_buffer_; }
  const connection_limits& limits() const { return limits_; }
  io_thread& thread() { return thread_; }
  void take(std::unique_ptr<exchange> one);

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
  bool leaving_ = false;
  bool draining_ = false;
  bool aborted_ = false;
  bool sweeping_ = false;
};

} // namespace troupe::net

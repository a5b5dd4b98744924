#pragma once

#include "net/byte_stream.hpp"
#include "net/io_thread.hpp"
#include "net/spare_connections.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

/// Decides which calls to one server may have a connection, and which wait for one.
///
/// A user's first call never waits, so that nobody who has many calls locks out another; the others share what is
/// free, and the users who wait take turns. What waits is bounded in number and bytes, for each user and for all.
class call_turns {
public:
  using number = std::uint64_t;
  enum class answer { begins, waits, refused };

  struct limits {
    /// Calls that run at a time, not counting the first of each user beyond them; at least one.
    std::size_t running = 64;
    /// Calls that wait, and the bytes of their bodies, for one user. A first one waits whatever its size.
    std::size_t waiting = 1000;
    std::size_t bytes = 8 * 1024 * 1024;
    /// How many users may fill that: the bound of what all users have waiting.
    std::size_t full_users = 8;
  };

  /// One who makes calls; belongs to that one, who has no call left when it is destroyed.
  class user {
  public:
    user() = default;
    user(const user&) = delete;
    user& operator=(const user&) = delete;

  private:
    friend class call_turns;
    struct waiting_call {
      number call;
      std::size_t size;
    };
    std::size_t running_ = 0;
    std::size_t bytes_ = 0;
    std::list<waiting_call> waiting_;
  };

  explicit call_turns(const limits& given) : limits_{given} {}

  /// A call of this size wants to begin. With `ahead` it waits before the user's other calls.
  answer asks(user& whose, number call, std::size_t size, bool ahead = false);
  /// A call that had begun is over. Gives those that begin now.
  [[nodiscard]] std::vector<number> ended(user& whose);
  /// A call that waits is given up; does nothing for another.
  void gave_up(user& whose, number call);

  std::size_t running() const { return running_; }
  std::size_t waiting() const { return waiting_; }

private:
  bool may_wait(const user& whose, std::size_t size) const;
  void begin_first(user& whose, std::vector<number>& out);
  void remove(user& whose, std::list<user::waiting_call>::iterator at);

  limits limits_;
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;
  std::size_t bytes_ = 0;
  /// Users with calls that wait, the next one first.
  std::list<user*> next_;
};

/// Connections without a call, kept for the next one to the same server.
///
/// Each is read from, so that one that the server closes is noticed at once. Only on the io thread; closing it closes
/// them all.
class http_client_pool : public std::enable_shared_from_this<http_client_pool> {
public:
  using connection_ptr = std::shared_ptr<byte_stream>;

  http_client_pool(io_thread& thread, std::size_t limit, std::chrono::milliseconds patience)
      : thread_{thread}, limit_{limit}, patience_{patience} {}
  http_client_pool(const http_client_pool&) = delete;
  http_client_pool& operator=(const http_client_pool&) = delete;

  /// The one to this origin that was used last; null when there is none.
  connection_ptr take(const std::string& origin);
  /// The oldest one goes when there are too many.
  void keep(connection_ptr one, std::string origin);
  /// Keeps none from now on.
  void close();

private:
  struct kept {
    connection_ptr connection;
    std::string origin;
    io_thread::appointment end;
    spare_connections::number spare;
  };

  void drop(const byte_stream* which);
  kept remove(const std::deque<kept>::iterator& at);
  void close_oldest();

  io_thread& thread_;
  std::size_t limit_;
  std::chrono::milliseconds patience_;
  bool is_closed_ = false;
  /// Oldest first.
  std::deque<kept> idle_;
};

} // namespace troupe::net

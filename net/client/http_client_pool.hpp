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
/// A user's first call never waits, so that a user with many calls cannot lock out another. Other calls share the free
/// connections, and waiting users take turns. Bounded in number and bytes of waiting calls, for each user and for all.
class call_turns {
public:
  using number = std::uint64_t;
  enum class answer { begins, waits, refused };

  struct limits {
    /// Most calls that run at a time, not counting the first of each user above that; at least one.
    std::size_t running = 64;
    /// Most waiting calls of one user, and bytes of their bodies. A first one waits whatever its size.
    std::size_t waiting = 1000;
    std::size_t bytes = 8 * 1024 * 1024;
    /// Number of users that may fill these limits: the bound for the waiting calls of all users.
    std::size_t full_users = 8;
  };

  /// State of a user that makes calls. Owned by that user; no call is left when it is destroyed.
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

  /// Requests a turn for a call of this size. With `ahead` it waits before the user's other calls.
  answer asks(user& whose, number call, std::size_t size, bool ahead = false);
  /// Ends a call that had begun. Returns the calls that begin now.
  [[nodiscard]] std::vector<number> ended(user& whose);
  /// Removes a waiting call that is given up; does nothing for another.
  void remove_waiting(user& whose, number call);

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
  /// Users with waiting calls, the next one first.
  std::list<user*> next_;
};

/// Pool of connections without a call, kept for the next one to the same server.
///
/// Each connection is read from, so that a close by the server is noticed at once. Only on the io thread. Closing the
/// pool closes all connections.
class http_client_pool : public std::enable_shared_from_this<http_client_pool> {
public:
  using connection_ptr = std::shared_ptr<byte_stream>;

  http_client_pool(io_thread& thread, std::size_t limit, std::chrono::milliseconds patience)
      : thread_{thread}, limit_{limit}, patience_{patience} {}
  http_client_pool(const http_client_pool&) = delete;
  http_client_pool& operator=(const http_client_pool&) = delete;

  /// Takes the connection to this origin that was used last; null when there is none.
  connection_ptr extract(const std::string& origin);
  /// Keeps a connection. Closes the oldest when there are too many.
  void keep(connection_ptr one, std::string origin);
  /// Closes all connections, and keeps none from now on.
  void close();

private:
  struct kept {
    connection_ptr connection;
    std::string origin;
    io_thread::timer_id end;
    spare_connections::number spare;
  };

  void drop(const byte_stream* which);
  kept remove(const std::deque<kept>::iterator& at);
  void close_oldest() { drop(idle_.front().connection.get()); }

  io_thread& thread_;
  std::size_t limit_;
  std::chrono::milliseconds patience_;
  bool is_closed_ = false;
  /// Connections without a call, the oldest first.
  std::deque<kept> idle_;
};

} // namespace troupe::net

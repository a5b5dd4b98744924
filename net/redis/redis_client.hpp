#pragma once

#include "net/client_trust.hpp"
#include "net/io_thread.hpp"
#include "net/redis/redis_protocol.hpp"
#include "protocol/text/url.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace troupe::net {

/// Time limits and sizes of a client of Redis.
struct redis_options {
  /// For each command until it is answered, for a connection until it stands, and for the greeting after that.
  std::chrono::milliseconds time_limit = std::chrono::seconds{2};
  /// Between connections that are tried; each pause is twice as long as the one before, up to the longest.
  std::chrono::milliseconds first_pause = std::chrono::milliseconds{100};
  std::chrono::milliseconds longest_pause = std::chrono::seconds{1};
  /// Commands that wait for their answers, and the bytes of all their arguments.
  std::size_t most_commands = 16'384;
  std::size_t most_bytes = 64 * 1024 * 1024;
  /// Longest reply, in bytes.
  std::size_t longest_reply = 256 * 1024 * 1024;
  /// For `rediss://`; the system's authorities alone when there is none.
  std::shared_ptr<client_trust> trust = {};
};

/// A client of a Redis: one connection, made again whenever it is lost, on which commands follow each other without
/// waiting for their answers.
///
/// Never blocks, but for certificates that TLS has to read. Its bytes go over our own connection, hiredis only reads
/// and writes their form: its own connections look up names on the caller's thread and know no limits. Destroying it
/// aborts everything, silently; callable from any thread, and on the io thread nothing is told after that. All else but
/// the constructor is only for the io thread.
class redis_client {
public:
  using on_reply = std::function<void(redis_reply)>;
  /// Nothing when Redis can be asked from now on; otherwise why it cannot any more, in one line without secrets.
  using on_change = std::function<void(std::string why_lost)>;

  /// Connects at once, and tells of each change.
  redis_client(io_thread& thread, protocol::redis_address to, const redis_options& options = {},
               on_change told = nullptr);
  ~redis_client();
  redis_client(const redis_client&) = delete;
  redis_client& operator=(const redis_client&) = delete;

  /// Sends a command. Replies come on the io thread in the order of what was sent, never from inside; but what cannot
  /// be sent at all, since Redis is not connected or too much is waiting, is `lost` at once. One that is late loses the
  /// connection, and so all that wait.
  void send(const redis_command& command, on_reply then);
  /// Sends a last command, if Redis is connected. No callback follows, and the client may be destroyed at once.
  /// The io thread waits for the answer before it ends, for at most this long. Callable from any thread.
  void bid_farewell(const redis_command& command, std::chrono::milliseconds limit);

private:
  class line;

  io_thread& thread_;
  std::shared_ptr<line> line_;
};

} // namespace troupe::net

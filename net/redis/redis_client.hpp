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
  /// Limit of each command until its reply, of connecting, and of the greeting after that.
  std::chrono::milliseconds time_limit = std::chrono::seconds{2};
  /// Pause between attempts to connect; doubled each time, up to the longest.
  std::chrono::milliseconds first_pause = std::chrono::milliseconds{100};
  std::chrono::milliseconds longest_pause = std::chrono::seconds{1};
  /// Most commands that wait for their replies, and most bytes of all their arguments.
  std::size_t most_commands = 16'384;
  std::size_t most_bytes = 64 * 1024 * 1024;
  /// Longest reply, in bytes.
  std::size_t longest_reply = 256 * 1024 * 1024;
  /// Certificates for `rediss://`; the system's authorities alone when null.
  std::shared_ptr<client_trust> trust = {};
};

/// Redis client: one connection, made again whenever it ends, on which commands are pipelined.
///
/// Never blocks, except to read certificates for TLS. Bytes go over our own connection and hiredis only formats and
/// parses them: its own connections look up names on the caller's thread and have no limits. The destructor drops all
/// callbacks and is callable from any thread; if it runs on the io thread, no callback follows it. All else but the
/// constructor is only for the io thread.
class redis_client {
public:
  using on_reply = std::function<void(redis_reply)>;
  /// Called with an empty text when Redis is connected; otherwise with why it is not, in one line without secrets.
  using on_change = std::function<void(std::string why_lost)>;

  /// Connects at once, and reports each change.
  redis_client(io_thread& thread, protocol::redis_address to, const redis_options& options = {},
               on_change told = nullptr);
  ~redis_client();
  redis_client(const redis_client&) = delete;
  redis_client& operator=(const redis_client&) = delete;

  /// Sends a command. Replies arrive on the io thread in order, never from inside. If Redis is not connected or too
  /// much is waiting, the command is not sent and fails at once as `lost`. A late reply ends the connection, and all
  /// waiting commands fail.
  void send(const redis_command& command, on_reply then);
  /// Sends a last command, if Redis is connected. No callback follows, and the client may be destroyed at once. The io
  /// thread waits for the reply before it ends, at most `limit`. Callable from any thread.
  void send_last(const redis_command& command, std::chrono::milliseconds limit);

private:
  class line;

  io_thread& thread_;
  std::shared_ptr<line> line_;
};

} // namespace troupe::net

#pragma once

#include "net/client/http_call.hpp"
#include "net/guarded.hpp"
#include "net/io_thread.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::net {

struct http_client_shared;

/// Clients of one server: those on one thread share their connections and take turns. Callable from any thread.
class http_client_group {
public:
  explicit http_client_group(http_client_options options) : options_{std::move(options)} {}

  /// Returns the connections and turns that clients on this thread share; kept as long as any client holds them.
  std::shared_ptr<http_client_shared> on(io_thread& thread);

private:
  const http_client_options options_;
  guarded<std::map<const io_thread*, std::weak_ptr<http_client_shared>>> shared_;
};

/// Client groups of one server, by caller; only clients of one group share connections. Callable from any thread.
class http_client_groups {
public:
  /// Most expired groups that are kept before a clean-up, or as many as are alive if those are more.
  static constexpr std::size_t most_untidy = 64;

  explicit http_client_groups(http_client_options options) : options_{std::move(options)} {}

  /// Returns the group of a caller, which lasts as long as its holders.
  std::shared_ptr<http_client_group> of(const std::string& whom);
  /// Returns how many groups are kept.
  std::size_t size() {
    return groups_.with([](auto& known) { return known.all.size(); });
  }

private:
  struct groups {
    void tidy();

    std::map<std::string, std::weak_ptr<http_client_group>> all;
    std::size_t tidy_at = most_untidy;
  };

  const http_client_options options_;
  guarded<groups> groups_;
};

/// Client of remote servers over HTTP/1.1, plain or TLS: many calls at once, each with a body that streams.
///
/// Connections are kept for the next call to the same server; redirects are answers like others. Calls to one server
/// wait for each other as `call_turns` decides. Never blocks, except for a server's first `https`, which reads the
/// authorities. The destructor aborts every call without callbacks and is callable from any thread; if it runs on the
/// io thread, no callback follows it. All else is only for the io thread.
class http_client {
public:
  using call_id = std::uint64_t;

  http_client(io_thread& thread, const http_client_options& options);
  /// Makes a client that shares its connections with others, on their thread.
  explicit http_client(std::shared_ptr<http_client_shared> shared);
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  call_id start(http_call what, http_call_events events);
  /// Aborts a call without any callback. Does nothing if the call is over or unknown.
  void abort(call_id which);
  /// Returns a function that aborts a call. On the io thread only; does nothing after the client's end.
  std::function<void()> aborter(call_id which) const;
  /// Whether a call waits for a connection. `begun` is called when the wait is over.
  bool waits(call_id which) const;
  /// Gives up the turn of a call that goes on: another call may begin, and its connection is not counted any more.
  void release(call_id which);
  /// Gives up the turn of a call that has all it needs: the call fails when its connection is needed.
  void rest(call_id which);
  /// Sends a last call, whose answer is ignored and which may outlive the client by `limit`. The io thread waits for it
  /// before it ends. Callable from any thread.
  void send_last(http_call what, std::chrono::milliseconds limit);

private:
  struct calls;

  io_thread& thread_;
  std::shared_ptr<calls> calls_;
};

} // namespace troupe::net

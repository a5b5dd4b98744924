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

/// The clients of one server: those on one thread share their connections and take turns. Callable from any thread.
class http_client_group {
public:
  explicit http_client_group(http_client_options options) : options_{std::move(options)} {}

  /// What the clients on this thread share, for one more of them; it lasts as long as any of them.
  std::shared_ptr<http_client_shared> on(io_thread& thread);

private:
  const http_client_options options_;
  guarded<std::map<const io_thread*, std::weak_ptr<http_client_shared>>> shared_;
};

/// The clients of one server by whom they speak for: only those of one share connections. Callable from any thread.
class http_client_groups {
public:
  /// So many that are gone may be remembered, and as many as there are others.
  static constexpr std::size_t most_untidy = 64;

  explicit http_client_groups(http_client_options options) : options_{std::move(options)} {}

  /// It lasts as long as whoever has it.
  std::shared_ptr<http_client_group> of(const std::string& whom);
  /// How many are remembered.
  std::size_t size();

private:
  struct groups {
    void tidy();

    std::map<std::string, std::weak_ptr<http_client_group>> all;
    std::size_t tidy_at = most_untidy;
  };

  const http_client_options options_;
  guarded<groups> groups_;
};

struct http_client_shared;

/// A client of remote servers over HTTP/1.1, plain or in TLS: many calls at once, each with a body that streams.
///
/// Connections are kept for the next call to the same server; redirects are answers like others. Calls to one server
/// wait for each other as `call_turns` decides. Never blocks, but for a server's first `https`, which reads the
/// authorities. Destroying it aborts every call, silently; callable from
/// any thread, and on the io thread nothing is told after that. All else is only for the io thread.
class http_client {
public:
  using call_id = std::uint64_t;

  http_client(io_thread& thread, const http_client_options& options);
  /// One of those that share their connections, on their thread.
  explicit http_client(std::shared_ptr<http_client_shared> shared);
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  call_id start(http_call what, http_call_events events);
  /// Aborts a call without any event. Does nothing for one that is over or unknown.
  void abort(call_id which);
  /// What aborts it. May be called on the io thread after the client's end, and does nothing then.
  std::function<void()> aborter(call_id which) const;
  /// Whether it waits for a connection. It is told when that is over.
  bool waits(call_id which) const;
  /// Lets another call begin instead of one that goes on, and whose connection is not counted any more.
  void release(call_id which);
  /// The same for one that has brought what was asked for: it fails when its connection is needed.
  void rest(call_id which);
  /// Sends a last call, whose answer is ignored and which may outlive the client by this limit. The io thread waits for
  /// it before it ends. Callable from any thread.
  void bid_farewell(http_call what, std::chrono::milliseconds limit);

private:
  class calls;

  io_thread& thread_;
  std::shared_ptr<calls> calls_;
};

} // namespace troupe::net

#pragma once

#include "net/client/http_call.hpp"
#include "net/io_thread.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace troupe::net {

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

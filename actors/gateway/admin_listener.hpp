#pragma once

#include "actors/gateway/admin_token.hpp"
#include "actors/runtime/direct.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/session_messages.hpp"
#include "actors/troupe/admin_options.hpp"
#include "net/server/exchange.hpp"
#include "net/server/listener.hpp"
#include "protocol/admin/admin_entry.hpp"
#include "protocol/delivery/keep_alive.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace troupe::actors {

/// Returns the files of the operators' console, from `deploy/console/` at build time.
std::span<const protocol::console_file> console_files();

/// ADMIN_EXCHANGE, with the messages of its exchange.
using admin_exchange_actor = broker_actor::extend<caf::reacts_to<exchange_closed>, caf::reacts_to<tick>>;

/// ADMIN_EXCHANGE: an operator's exchange that other actors answer, with a JSON text or a stream of events. Exits with
/// the answer or the connection. A stream also ends when the operators' token changes.
class admin_exchange_state {
public:
  using interface = admin_exchange_actor;
  static constexpr const char* name = "admin_exchange";

  /// `is_authorized` tells whether the operator's token is still valid; if empty, it always is.
  admin_exchange_state(direct* self, std::unique_ptr<net::exchange> exchange, std::function<bool()> is_authorized = {});

  void handle(http_reply& msg);
  void handle(const http_rejected& msg);
  void handle(const exchange_closed&) { self_->quit(); }
  void handle(const sse_begin&);
  void handle(sse_event& msg);
  void handle(sse_end& msg);
  void handle(const tick&);
  // Answers for clients only.
  void handle(const http_accepted&) {}
  void handle(const http_ended&) {}

private:
  void keep_alive();
  bool end_if_revoked();

  direct* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::function<bool()> is_authorized_;
  /// Keep-alive of a stream; empty otherwise.
  std::optional<protocol::keep_alive> silence_;
  reminder reminder_;
};

/// Sources of the answers to operators.
struct admin_source {
  /// Unit of the listener's thread.
  unit& at;
  registry_actor registry;
  /// Returns the metrics as text for Prometheus. Called on the listener's own thread until the listener is destroyed.
  std::function<std::string()> metrics;
};

/// Port for operators, 0 for a unix socket, and the token that was made for them.
struct admin_access {
  std::uint16_t port = 0;
  made_admin_token token = {};
};

/// Server for operators: a separate listener, whose exchanges run on one thread of the gateway. Slow answers are made
/// on a thread of its own, so no call waits for them.
///
/// The constructor listens; connections wait until `open`. The destructor gives pending answers a moment, then closes
/// all connections; do not call it on the exchanges' thread.
class admin_listener {
public:
  /// `threads` outlives the listener, which uses the first one. Throws `std::runtime_error` with one line if it cannot
  /// listen, or the token cannot be used.
  admin_listener(const admin_options& options, const net::listener::thread_list& threads, const event_log& log);
  ~admin_listener();
  admin_listener(const admin_listener&) = delete;
  admin_listener& operator=(const admin_listener&) = delete;

  admin_access access() const;

  /// See `net::listener`.
  int duplicate() const { return listener_.duplicate(); }
  /// Leaves the listener, and the token that was made for it, to another process.
  void hand_over();

  /// Starts to answer, and logs the address.
  void open(admin_source from);

private:
  class responder;

  void log_address() const;

  std::string host_;
  event_log log_;
  std::shared_ptr<responder> responder_;
  net::listener listener_;
  /// Token that was made; none if a token was configured or is not required.
  std::optional<generated_token> made_;
};

} // namespace troupe::actors

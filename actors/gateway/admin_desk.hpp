#pragma once

#include "actors/gateway/admin_token.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/direct.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/troupe/admin_options.hpp"
#include "net/server/exchange.hpp"
#include "net/server/listener.hpp"
#include "protocol/admin/admin_door.hpp"
#include "protocol/delivery/stream_output.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// ENQUIRY, as its exchange sees it too.
using enquiry_actor = broker_actor::extend<caf::reacts_to<exchange_closed>, caf::reacts_to<tick>>;

/// ENQUIRY: an operator's exchange whose answer others make: one JSON text, or a stream of events. Ends with the answer
/// or with the connection, and a stream when the token is another than the one it was opened with.
class enquiry_state {
public:
  using interface = enquiry_actor;
  static constexpr const char* name = "enquiry";

  /// `is_welcome` tells whether the operator would be let in now; an empty one always does.
  enquiry_state(direct* self, std::unique_ptr<net::exchange> exchange, std::function<bool()> is_welcome = {});

  void take(http_reply& msg);
  void take(const http_rejected& msg);
  void take(const exchange_closed&) { self_->quit(); }
  void take(const sse_begin&);
  void take(sse_event& msg);
  void take(sse_end& msg);
  void take(const tick&);
  // What only clients are answered.
  void take(const http_accepted&) {}
  void take(const http_ended&) {}

private:
  void keep_alive();
  bool turns_away();

  direct* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::function<bool()> is_welcome_;
  /// Of a stream.
  std::optional<protocol::keep_alive> silence_;
  reminder reminder_;
};

/// Where what operators are told comes from.
struct admin_source {
  /// The unit of the desk's thread.
  unit& at;
  registry_actor registry;
  /// The text for Prometheus. Called on a thread of the desk's own, until the desk is destroyed.
  std::function<std::string()> metrics;
};

/// How operators reach a desk: its port, 0 for a unix socket, and the token that was made for them.
struct admin_access {
  std::uint16_t port = 0;
  made_admin_token token = {};
};

/// Where operators ask: a listener of its own, whose exchanges are on one thread of the gateway's. What takes long to
/// answer is made on a thread of the desk's own, so that no call waits for it.
///
/// Constructed means listening; who connects waits until `open`. Destroying it lets answers that are under way out, for
/// a moment, and closes every connection; not on the thread itself.
class admin_desk {
public:
  /// `threads` outlives it; the first of them is the desk's. Throws `std::runtime_error` with one line when it cannot
  /// listen, or the token cannot be used.
  admin_desk(const admin_options& options, const net::listener::thread_list& threads, const event_log& log);
  ~admin_desk();
  admin_desk(const admin_desk&) = delete;
  admin_desk& operator=(const admin_desk&) = delete;

  admin_access access() const;

  /// See `net::listener`.
  int duplicate() const { return listener_.duplicate(); }
  /// Another process has the listener from now on, and the token that was made for it.
  void hand_over();

  /// Begins to answer, and tells the log where.
  void open(admin_source from);

private:
  class clerk;

  void tell_place() const;

  std::string host_;
  event_log log_;
  std::shared_ptr<clerk> clerk_;
  net::listener listener_;
  /// None when a token was given, or is not asked for.
  std::optional<made_token> made_;
};

} // namespace troupe::actors

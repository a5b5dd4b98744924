#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/direct.hpp"
#include "net/server/exchange.hpp"
#include "protocol/delivery/stream_output.hpp"

#include <functional>
#include <memory>
#include <optional>

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

} // namespace troupe::actors

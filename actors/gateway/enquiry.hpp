#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/direct.hpp"
#include "net/server/exchange.hpp"

#include <memory>

namespace troupe::actors {

/// ENQUIRY, as its exchange sees it too.
using enquiry_actor = broker_actor::extend<caf::reacts_to<exchange_closed>>;

/// ENQUIRY: an operator's exchange whose answer others make, which is one JSON text and never a stream. Ends with the
/// answer or with the connection.
class enquiry_state {
public:
  using interface = enquiry_actor;
  static constexpr const char* name = "enquiry";

  enquiry_state(direct* self, std::unique_ptr<net::exchange> exchange);

  void take(http_reply& msg);
  void take(const http_rejected& msg);
  void take(const exchange_closed&) { self_->quit(); }
  // What clients are answered.
  void take(const http_accepted&) {}
  void take(const http_ended&) {}
  void take(const sse_begin&) {}
  void take(const sse_event&) {}
  void take(const sse_end&) {}

private:
  direct* self_;
  std::unique_ptr<net::exchange> exchange_;
};

} // namespace troupe::actors

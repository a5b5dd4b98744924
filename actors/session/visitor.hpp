#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/direct.hpp"
#include "actors/session/request_intake.hpp"
#include "net/server/exchange.hpp"

#include <memory>

namespace troupe::actors {

/// VISITOR: an exchange that waits until it is known who shows its token, and goes on with it then. Ends with its
/// connection.
class visitor_state {
public:
  using interface = visitor_actor;
  static constexpr const char* name = "visitor";

  visitor_state(direct* self, std::unique_ptr<net::exchange> exchange, std::shared_ptr<const broker_setup> setup,
                exchange_account account);

  void take(const token_judged& msg);
  void take(const exchange_closed&) { self_->quit(); }

private:
  direct* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::shared_ptr<const broker_setup> setup_;
  exchange_account account_;
};

} // namespace troupe::actors

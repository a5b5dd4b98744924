#pragma once

#include "actors/access_messages.hpp"
#include "actors/runtime/direct.hpp"
#include "actors/session/request_intake.hpp"
#include "net/server/exchange.hpp"
#include "protocol/access/token_verdict.hpp"
#include "protocol/delivery/keep_alive.hpp"
#include "protocol/http/http.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// PENDING_EXCHANGE: an exchange whose token is being verified. Continues the request once the verdict is known. Ends
/// with its connection.
class pending_exchange_state {
public:
  using interface = pending_exchange_actor;
  static constexpr const char* name = "pending_exchange";

  pending_exchange_state(direct* self, std::unique_ptr<net::exchange> exchange,
                         std::shared_ptr<const broker_setup> setup, exchange_account account);

  void handle(const token_checked& msg);
  void handle(const exchange_closed&) { self_->quit(); }

private:
  direct* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::shared_ptr<const broker_setup> setup_;
  exchange_account account_;
};

/// BROKER: one HTTP exchange that other actors answer. Writes their messages, and keeps the connection of a stream
/// alive. Ends with the answer, with the connection, or when the token that opened a stream is no longer valid. The
/// session keeps the stream's events, so that another connection can resume the stream.
class broker_state {
public:
  using interface = http_broker_actor;
  static constexpr const char* name = "broker";

  broker_state(direct* self, std::unique_ptr<net::exchange> exchange, std::shared_ptr<const broker_setup> setup,
               exchange_account account, counted_call call, protocol::caller caller = {});

  void handle(http_reply& msg);
  void handle(const http_accepted&) { finish(protocol::accepted_response()); }
  void handle(const http_ended&) { finish(protocol::ended_response()); }
  void handle(const http_rejected& msg);
  void handle(const http_ready&) { finish(protocol::ready_response()); }
  void handle(sse_begin& msg);
  void handle(sse_event& msg) { write(std::move(msg.text)); }
  void handle(sse_end& msg);
  void handle(const exchange_closed&);
  void handle(const token_checked& msg);
  void handle(const tick&);

private:
  void finish(protocol::http_response answer, const exchange_report& how = {});
  void end_events(std::string last);
  void write(std::string events);
  void keep_alive();
  void watch_credentials();
  void check_credentials();
  void act_on(protocol::credential_watch::next what);

  /// Token that opened a stream, and its periodic verification.
  struct opened_by {
    std::string secret;
    protocol::credential_watch watch;
  };

  direct* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::shared_ptr<const broker_setup> setup_;
  exchange_account account_;
  counted_alive counted_;
  counted_call call_;
  protocol::caller caller_;
  /// Keep-alive timer; streams only.
  std::optional<protocol::keep_alive> silence_;
  /// Null unless a token opened the stream.
  std::unique_ptr<opened_by> credentials_;
  reminder reminder_;
};

} // namespace troupe::actors

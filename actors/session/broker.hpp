#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/request_intake.hpp"
#include "net/server/exchange.hpp"
#include "protocol/delivery/keep_alive.hpp"
#include "protocol/http/http.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// BROKER: one HTTP exchange whose answer others make. Writes what it is told, keeps the connection of a stream alive,
/// and ends with the answer or with the connection. What a stream carried is kept by the session, for another
/// connection to carry it on.
class broker_state {
public:
  using interface = http_broker_actor;
  static constexpr const char* name = "broker";
  static constexpr bool is_short_lived = true;

  broker_state(pinned<interface>* self, std::unique_ptr<net::exchange> exchange,
               std::shared_ptr<const broker_setup> setup, counted_call call);
  interface::behavior_type make_behavior();

private:
  void finish(protocol::http_response answer);
  void begin_events(std::string first);
  void end_events(std::string last);
  void write(std::string events);
  void keep_alive();

  pinned<interface>* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::shared_ptr<const broker_setup> setup_;
  counted_alive counted_;
  counted_call call_;
  /// Of a stream.
  std::optional<protocol::keep_alive> silence_;
  reminder reminder_;
};

using broker = actor_of<broker_state>;

} // namespace troupe::actors

#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/address_limiter.hpp"
#include "net/server/exchange.hpp"
#include "protocol/http/http.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// What all brokers of a gateway share.
struct broker_setup {
  protocol::access_rules access;
  registry_actor registry;
  /// All brokers.
  std::shared_ptr<live_count> brokers = std::make_shared<live_count>();
  /// There are other nodes, of which one may have the session that ends here.
  bool is_node = false;
  std::shared_ptr<address_limiter> limiter = std::make_shared<address_limiter>();
};

/// BROKER: one HTTP exchange turned into messages. Reads the request by the rules, refuses it or passes it to the
/// REGISTRY, writes the answer, and ends with it or with its connection.
class broker_state {
public:
  using interface = http_broker_actor;
  static constexpr const char* name = "broker";
  static constexpr bool is_short_lived = true;

  broker_state(pinned<interface>* self, std::unique_ptr<net::exchange> exchange,
               std::shared_ptr<const broker_setup> setup);
  ~broker_state();
  broker_state(const broker_state&) = delete;
  broker_state& operator=(const broker_state&) = delete;
  interface::behavior_type make_behavior();

private:
  void read_request();
  bool refuse(const std::optional<protocol::rejection>& why);
  bool is_over_limit(const protocol::post_body& body);
  void take(protocol::rejection& refused);
  void take(protocol::wants_health&);
  void take(protocol::wants_readiness&);
  void take(protocol::wants_preflight&);
  void take(protocol::wants_state&);
  void take(protocol::wants_post& request);
  void take(protocol::wants_stream& request);
  void take(protocol::wants_end& request);
  void take(protocol::wants_sse& request);
  void take(protocol::wants_sse_post& request);

  void finish(protocol::http_response answer);
  void begin_events();
  void end_events();
  protocol::http_response with_cross_origin(protocol::http_response answer);
  void expect(bool begins);
  template <class Message>
  void pass_on(Message msg, protocol::transport via);
  broker_actor handle();

  pinned<interface>* self_;
  std::unique_ptr<net::exchange> exchange_;
  std::shared_ptr<const broker_setup> setup_;
  counted_alive counted_;
  /// Where its client is, when that is limited, and whether this is counted as one of the calls from there.
  std::string address_;
  bool is_call_ = false;
};

using broker = actor_of<broker_state>;

} // namespace troupe::actors

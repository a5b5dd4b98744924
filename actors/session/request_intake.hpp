#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/access/known_credentials.hpp"
#include "actors/access_messages.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/session/caller_limiter.hpp"
#include "actors/session/exchange_account.hpp"
#include "actors/session_messages.hpp"
#include "actors/troupe/access_record.hpp"
#include "net/server/exchange.hpp"
#include "protocol/access/endpoint_guard.hpp"
#include "protocol/http/http.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace troupe::actors {

/// Setup that all brokers of a gateway share.
struct broker_setup {
  protocol::access_rules access;
  registry_actor registry;
  /// Counter of all brokers.
  std::shared_ptr<live_count> brokers = std::make_shared<live_count>();
  /// Whether another node may have a session that ends here.
  bool is_node = false;
  std::shared_ptr<caller_limiter> limiter = std::make_shared<caller_limiter>();
  protocol::endpoint_guard_rules endpoint_guard = {};
  std::shared_ptr<known_credentials> credentials = std::make_shared<known_credentials>();
  protocol::certificate_rules certificates = {};
  /// Copy of the issuer's metadata; empty while unknown.
  std::shared_ptr<net::guarded<std::string>> issuer_text = std::make_shared<net::guarded<std::string>>();
  /// Tokens that callers have shown, for servers that take them in exchange.
  std::shared_ptr<caller_tokens> callers = std::make_shared<caller_tokens>();
  /// Null when neither keys nor tokens are configured.
  authenticator_actor authenticator = {};
  /// Longest silence of a stream.
  std::chrono::milliseconds keep_alive = std::chrono::seconds{15};
  /// Receives each exchange when it is over; may be empty.
  access_sink access_log = {};
  /// Proxies trusted to name the client that they forward for.
  protocol::ip_networks proxies = {};
  /// Time of the next allowed log warning of an untrusted proxy.
  std::shared_ptr<std::atomic<protocol::time_point>> next_proxy_warning =
      std::make_shared<std::atomic<protocol::time_point>>(protocol::time_point::min());
};

/// Counts as a call of a caller for its lifetime; a default-constructed one counts as none. Use on one unit.
class counted_call {
public:
  counted_call() = default;
  counted_call(std::shared_ptr<caller_limiter> limiter, std::string who, const unit& at)
      : limiter_{std::move(limiter)}, who_{std::move(who)}, at_{&at} {}
  ~counted_call() {
    if (limiter_)
      limiter_->call_ended(who_, at_->now());
  }
  counted_call(counted_call&&) noexcept = default;
  counted_call& operator=(counted_call&&) = delete;

private:
  std::shared_ptr<caller_limiter> limiter_;
  std::string who_;
  const unit* at_ = nullptr;
};

/// Reads the request of a new exchange. Refuses it, answers it at once, or makes a BROKER and passes it on: to the
/// session if a unit of this node has it, otherwise to the REGISTRY. While the owner of its token is unknown, a
/// PENDING_EXCHANGE holds the exchange. Call on the unit's thread, which is the exchange's.
void receive_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one);
/// Continues a request whose token was verified.
void resume_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one,
                    exchange_account account, const protocol::token_verdict& verdict);

/// Adds the fields that let a browser read the answer.
protocol::http_response with_cross_origin(protocol::http_response answer, const protocol::http_request& request,
                                          const protocol::access_rules& access);

} // namespace troupe::actors

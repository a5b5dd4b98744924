#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/access/known_credentials.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/session/caller_limiter.hpp"
#include "actors/session/exchange_account.hpp"
#include "actors/troupe/access_record.hpp"
#include "net/server/exchange.hpp"
#include "protocol/access/door.hpp"
#include "protocol/http/http.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace troupe::actors {

/// What all brokers of a gateway share.
struct broker_setup {
  protocol::access_rules access;
  registry_actor registry;
  /// All brokers.
  std::shared_ptr<live_count> brokers = std::make_shared<live_count>();
  /// There are other nodes, of which one may have the session that ends here.
  bool is_node = false;
  std::shared_ptr<caller_limiter> limiter = std::make_shared<caller_limiter>();
  protocol::door_rules door = {};
  std::shared_ptr<known_credentials> credentials = std::make_shared<known_credentials>();
  protocol::certificate_rules certificates = {};
  /// A copy of the issuer's metadata; empty while it is not known.
  std::shared_ptr<net::guarded<std::string>> issuer_text = std::make_shared<net::guarded<std::string>>();
  /// What callers have shown, where servers take that in exchange.
  std::shared_ptr<caller_tokens> callers = std::make_shared<caller_tokens>();
  /// Null where neither keys nor tokens are known.
  authenticator_actor authenticator = {};
  /// How long a stream may be silent.
  std::chrono::milliseconds keep_alive = std::chrono::seconds{15};
  /// Where each exchange is told once it is over; may be empty.
  access_sink access_log = {};
  /// Proxies that are believed when they say for whom they ask.
  protocol::ip_networks proxies = {};
  /// When the log may warn of an untrusted proxy again.
  std::shared_ptr<std::atomic<protocol::time_point>> next_proxy_warning =
      std::make_shared<std::atomic<protocol::time_point>>(protocol::time_point::min());
};

/// Counts as a call of a caller as long as it lives; a default one counts as none. Lives on one unit.
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

/// Reads the request of a new exchange by the rules. Refuses it, or answers it at once, or makes a BROKER for it and
/// passes it to its session, when that lives on this unit too, or else to the REGISTRY. When nobody knows yet whose
/// token it has, a VISITOR waits with it. On the unit's thread, which is the exchange's.
void take_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one);
/// Goes on with a request whose token was looked at.
void take_judged_request(unit& at, const std::shared_ptr<const broker_setup>& setup, std::unique_ptr<net::exchange> one,
                         exchange_account account, const protocol::token_verdict& verdict);

/// An answer that a browser may read.
protocol::http_response with_cross_origin(protocol::http_response answer, const protocol::http_request& request,
                                          const protocol::access_rules& access);

} // namespace troupe::actors

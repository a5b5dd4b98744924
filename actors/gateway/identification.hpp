#pragma once

#include "actors/gateway/access_setup.hpp"
#include "actors/gateway/actor_system.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/io_thread.hpp"
#include "net/worker_pool.hpp"

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Owner of an authenticator outside of a gateway, which receives the verdicts.
using token_query_actor = pending_exchange_actor::extend<caf::reacts_to<callers_revoked>>;

/// TOKEN ASKER: reports the authenticator's verdict on a token. Exits on an exit message.
class token_query_state {
public:
  using interface = token_query_actor;
  static constexpr const char* name = "token asker";

  token_query_state(pinned<interface>*, std::function<void(protocol::token_verdict)> tell) : tell_{std::move(tell)} {}

  interface::behavior_type make_behavior() {
    return {
        [this](token_checked& msg) { tell_(std::move(msg.verdict)); },
        [](exchange_closed&) {},
        [](callers_revoked&) {},
    };
  }

private:
  std::function<void(protocol::token_verdict)> tell_;
};

using token_query = actor_of<token_query_state>;

/// Finds out who a caller is, without the rest of a gateway. For one question, then destroyed.
class identification {
public:
  /// Caller, or in one line why the credentials are refused.
  using finding = std::variant<protocol::caller, std::string>;

  /// Throws `std::runtime_error` if keys cannot be used. The options must be checked.
  explicit identification(const gateway_options& options);

  const protocol::endpoint_guard_rules& endpoint_guard() const { return setup_.endpoint_guard; }
  /// Caller with this key or token. Blocks while an issuer is queried.
  finding identify_secret(const std::string& secret);
  /// Holders of a key and of a certificate of that name.
  std::vector<finding> identify_name(const std::string& name) const;
  /// Caller of a token for all endpoints with this subject, these scopes and groups.
  finding identify_subject(const std::string& subject, const std::vector<std::string>& scopes,
                           const std::vector<std::string>& groups) const;

private:
  /// Ends the actors; the destructor waits for their exit.
  struct actor_scope {
    ~actor_scope();
    live_count& alive;
    std::unique_ptr<net::io_thread>& thread;
    token_query_actor owner;
  };

  token_query_actor spawn_token_query();
  finding query_issuer(std::string_view token);
  protocol::token_verdict verdict();

  bool takes_certificates_;
  own_system system_{{}};
  std::shared_ptr<live_count> live_ = std::make_shared<live_count>();
  std::unique_ptr<net::io_thread> thread_ = std::make_unique<net::io_thread>();
  io_unit unit_;
  net::worker_pool checkers_{1};
  std::future<protocol::token_verdict> verdict_;
  actor_scope actors_;
  access_setup setup_;
};

} // namespace troupe::actors

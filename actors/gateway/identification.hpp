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
using token_asker_actor = visitor_actor::extend<caf::reacts_to<callers_stale>>;

/// TOKEN ASKER: reports the authenticator's verdict on a token. Exits on an exit message.
class token_asker_state {
public:
  using interface = token_asker_actor;
  static constexpr const char* name = "token asker";

  token_asker_state(pinned<interface>*, std::function<void(protocol::token_verdict)> tell) : tell_{std::move(tell)} {}

  interface::behavior_type make_behavior() {
    return {
        [this](token_judged& msg) { tell_(std::move(msg.verdict)); },
        [](exchange_closed&) {},
        [](callers_stale&) {},
    };
  }

private:
  std::function<void(protocol::token_verdict)> tell_;
};

using token_asker = actor_of<token_asker_state>;

/// Finds out who a caller is, without the rest of a gateway. For one question, then destroyed.
class identification {
public:
  /// Caller, or in one line why the credentials are refused.
  using finding = std::variant<protocol::caller, std::string>;

  /// Throws `std::runtime_error` if keys cannot be used. The options must be checked.
  explicit identification(const gateway_options& options);

  const protocol::door_rules& door() const { return setup_.door; }
  /// Caller with this key or token. Blocks while an issuer is queried.
  finding who_shows(const std::string& secret);
  /// Holders of a key and of a certificate of that name.
  std::vector<finding> who_is(const std::string& name) const;
  /// Caller of a token for all endpoints with this subject, these scopes and groups.
  finding who_would_be(const std::string& subject, const std::vector<std::string>& scopes,
                       const std::vector<std::string>& groups) const;

private:
  /// Ends the actors; the destructor waits for their exit.
  struct household {
    ~household();
    live_count& alive;
    std::unique_ptr<net::io_thread>& thread;
    token_asker_actor owner;
  };

  token_asker_actor spawn_asker();
  finding ask_issuer(std::string_view token);
  protocol::token_verdict verdict();

  bool takes_certificates_;
  own_system system_{{}};
  std::shared_ptr<live_count> live_ = std::make_shared<live_count>();
  std::unique_ptr<net::io_thread> thread_ = std::make_unique<net::io_thread>();
  io_unit unit_;
  net::worker_pool checkers_{1};
  std::future<protocol::token_verdict> verdict_;
  household actors_;
  access_setup setup_;
};

} // namespace troupe::actors

#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"

#include <functional>
#include <utility>

namespace troupe::actors {

/// What shows tokens to an authenticator without a gateway, and owns it.
using token_asker_actor = visitor_actor::extend<caf::reacts_to<callers_stale>>;

/// TOKEN ASKER: passes on what an authenticator finds out about a token. Ends when it is told to exit.
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

} // namespace troupe::actors

#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/awaited_reports.hpp"
#include "actors/session/made_answer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::actors {

/// LISTER: gathers what sessions say of themselves for one request of an operator. Answers when all have spoken, or
/// after a time limit: of a session that ends while it is asked, or has no time, there is what was known before.
class lister_state {
public:
  using interface = lister_actor;
  static constexpr const char* name = "lister";
  /// Makes the answer, or says why there is none.
  using writer = std::function<made_answer(std::vector<protocol::live_session> all)>;

  /// `asked` are those that are asked, as far as they are known.
  lister_state(pinned<interface>* self, broker_actor to, std::vector<protocol::live_session> asked, writer write);
  interface::behavior_type make_behavior();

private:
  void take(protocol::live_session&& what);
  void answer();

  pinned<interface>* self_;
  broker_actor to_;
  awaited_reports<interface> awaited_;
  writer write_;
  /// By number.
  std::vector<protocol::live_session> all_;
};

using lister = actor_of<lister_state>;

} // namespace troupe::actors

#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/made_answer.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace troupe::actors {

/// LISTER: gathers what sessions say of themselves for one request of an operator. Answers when all have spoken, or
/// after a time limit: a session may end while it is asked.
class lister_state {
public:
  using interface = lister_actor;
  static constexpr const char* name = "lister";
  /// Makes the answer, or says why there is none.
  using writer = std::function<made_answer(std::vector<protocol::live_session> all)>;

  /// `asked` is the number of those that were asked.
  lister_state(pinned<interface>* self, broker_actor to, std::size_t asked, writer write);
  interface::behavior_type make_behavior();

private:
  void answer();

  pinned<interface>* self_;
  /// Itself: sessions that end while they are asked may be the last to know it.
  lister_actor alive_;
  broker_actor to_;
  std::size_t missing_;
  writer write_;
  std::vector<protocol::live_session> all_;
  reminder reminder_;
};

using lister = actor_of<lister_state>;

} // namespace troupe::actors

#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/awaited_reports.hpp"
#include "actors/session/made_answer.hpp"
#include "protocol/session/state_report.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace troupe::actors {

/// COLLECTOR: gathers the counts of all sessions and servers for one request of `/debug/state` or of an operator.
/// Answers when all have reported, or after a time limit: a session may end while it is asked.
class collector_state {
public:
  using interface = collector_actor;
  static constexpr const char* name = "collector";

  /// Makes the answer, or says why there is none.
  using writer = std::function<made_answer(const protocol::state_report& all)>;

  /// `asked` is the number of those that were asked.
  collector_state(pinned<interface>* self, broker_actor to, std::size_t asked,
                  std::shared_ptr<const live_count> brokers, writer write = protocol::json_text);
  interface::behavior_type make_behavior();

private:
  void answer();

  pinned<interface>* self_;
  broker_actor to_;
  awaited_reports<interface> awaited_;
  std::shared_ptr<const live_count> brokers_;
  writer write_;
  protocol::state_report report_;
};

using collector = actor_of<collector_state>;

} // namespace troupe::actors

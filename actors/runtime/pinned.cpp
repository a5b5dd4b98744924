#include "actors/runtime/pinned.hpp"

#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>

namespace troupe::actors {

void drop_mailbox(caf::scheduled_actor& of) {
  auto& mailbox = of.mailbox();
  if (mailbox.closed())
    return;
  mailbox.close();
  of.get_normal_queue().flush_cache();
  of.get_urgent_queue().flush_cache();
  constexpr auto quantum = 1000;
  caf::detail::sync_request_bouncer drop{caf::exit_reason::unreachable};
  while (mailbox.queue().new_round(quantum, drop).consumed_items != 0) {
  }
}

} // namespace troupe::actors

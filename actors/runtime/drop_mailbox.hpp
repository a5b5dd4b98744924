#pragma once

#include <caf/fwd.hpp>

namespace troupe::actors {

/// Closes the mailbox of an ending actor and destroys the messages in it: they may hold the last handles to other
/// actors. Call from the actor itself only.
void drop_mailbox(caf::scheduled_actor& of);

} // namespace troupe::actors

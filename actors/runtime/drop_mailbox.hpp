#pragma once

#include <caf/fwd.hpp>

namespace troupe::actors {

/// Closes the mailbox of an actor that ends, and destroys the messages in it: they may hold the last handles to others.
/// Only from the actor itself.
void drop_mailbox(caf::scheduled_actor& of);

} // namespace troupe::actors

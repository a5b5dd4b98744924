#pragma once

namespace troupe::deploy {

// Processes that servers leave behind, when the process between ends.

/// They become children of this process, and not of the first of the system: so it is known whose they are.
void adopt_orphans();

/// While this lives, they do not: what is started as nobody's child then becomes that of who looks after this process.
class no_adoption {
public:
  no_adoption();
  ~no_adoption();
  no_adoption(const no_adoption&) = delete;
  no_adoption& operator=(const no_adoption&) = delete;

private:
  int before_ = 0;
};

/// Lets go of those that have ended. On the first thread, whose children they are; those of other threads are left to
/// them.
void reap_orphans();

/// The first process of a container ends by no signal that it does not handle. This has those handled by which people,
/// and who runs the container, mean that it ends.
void end_by_signals_if_first();

} // namespace troupe::deploy

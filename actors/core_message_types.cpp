#include "actors/messages.hpp"
#include "actors/session_messages.hpp"

namespace caf {

TROUPE_CORE_MESSAGES(TROUPE_IS_HERE)
TROUPE_SESSION_MESSAGES(TROUPE_IS_HERE)

} // namespace caf

#include "actors/access_messages.hpp"
#include "actors/upstream_messages.hpp"

namespace caf {

TROUPE_UPSTREAM_MESSAGES(TROUPE_IS_HERE)
TROUPE_ACCESS_MESSAGES(TROUPE_IS_HERE)

} // namespace caf

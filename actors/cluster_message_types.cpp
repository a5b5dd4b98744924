#include "actors/cluster_messages.hpp"

namespace caf {

TROUPE_CLUSTER_MESSAGES(TROUPE_IS_HERE)

} // namespace caf

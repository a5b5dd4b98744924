#include "actors/message_types.hpp"

namespace caf {

TROUPE_CORE_MESSAGES(TROUPE_IS_HERE)

} // namespace caf

#include "actors/operator_messages.hpp"

namespace caf {

TROUPE_OPERATOR_MESSAGES(TROUPE_IS_HERE)

} // namespace caf

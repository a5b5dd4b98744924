#include "protocol/cluster/node_identity.hpp"

namespace troupe::protocol {

spoken_versions versions_spoken_here() { return {8, 8}; }

} // namespace troupe::protocol

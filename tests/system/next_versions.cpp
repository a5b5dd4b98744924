// The node protocol versions of a program that is one version ahead.

#include "protocol/cluster/node_identity.hpp"

namespace troupe::protocol {

spoken_versions versions_spoken_here() { return {8, 9}; }

} // namespace troupe::protocol

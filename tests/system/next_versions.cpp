// What a program speaks that is one version of the messages between nodes ahead.

#include "protocol/cluster/spoken_versions.hpp"

namespace troupe::protocol {

spoken_versions versions_spoken_here() { return {8, 9}; }

} // namespace troupe::protocol

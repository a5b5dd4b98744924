#pragma once

#include "protocol/text/sse.hpp"

#include <string>

namespace troupe::deploy {

/// An event of a session that is followed, as a line for people; empty for what is none of theirs.
std::string followed_line(const protocol::event& event);

} // namespace troupe::deploy

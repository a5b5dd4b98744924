#pragma once

#include "actors/troupe/gateway.hpp"

namespace troupe::deploy {

enum class log_format { text, json };

/// A log on stderr, one line for each record of at least `threshold`. Lines are written by a thread of its own: a
/// reader that is slow costs the oldest lines, never the gateway's time. Destroying the last copy writes what is left.
log_sink stderr_log(log_level threshold, log_format format);

} // namespace troupe::deploy

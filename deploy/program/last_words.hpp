#pragma once

#include "deploy/program/signals.hpp"

#include <functional>

namespace troupe::deploy {

/// Runs `write`, which writes to stderr, and returns when it is done. Nobody may read stderr: then the process ends
/// with `status`, after two seconds, or at once when a stop signal arrives.
void last_words(const std::function<void()>& write, signals& arrived, int status);

} // namespace troupe::deploy

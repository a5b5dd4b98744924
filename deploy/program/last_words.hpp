#pragma once

#include "deploy/program/signals.hpp"

#include <functional>

namespace troupe::deploy {

/// Runs `write`, which writes to stderr or stdout, and returns when it is done. Nobody may read these: then the process
/// ends with `status`, after two seconds, or at once when a stop signal arrives.
void last_words(const std::function<void()>& write, signals& arrived, int status);

} // namespace troupe::deploy

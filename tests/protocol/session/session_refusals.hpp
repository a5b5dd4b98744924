#pragma once

#include "tests/support/session_talk.hpp"

#include <string>
#include <utility>

namespace troupe::tests {

/// What a session answers to what it does not take from its client.
inline rejection refused(std::string text, std::string id = {}) {
  return {400, -32600, "Bad Request: " + std::move(text), std::move(id)};
}

/// And to everything once it is over.
const rejection no_session{404, -32600, "Session not found: it ended, or never was; start again with initialize"};

} // namespace troupe::tests

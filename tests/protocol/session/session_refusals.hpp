#pragma once

#include "tests/support/session_driver.hpp"

#include <string>
#include <utility>

namespace troupe::tests {

/// Refusals of client messages by a session.
inline rejection refused(std::string text, std::string id = {}) {
  return {400, -32600, "Bad Request: " + std::move(text), std::move(id)};
}

/// The refusal of every message after the end of the session.
const rejection no_session{404, -32600, "Session not found: it ended, or never was; start again with initialize"};

} // namespace troupe::tests

#pragma once

#include "protocol/text/words.hpp"

#include <exception>
#include <string>

namespace troupe::actors {

/// The text of an exception. Code of the host may throw anything, not only `std::exception`.
inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return protocol::one_line(error.what());
  } catch (...) {
    return "what was thrown is no std::exception";
  }
}

} // namespace troupe::actors

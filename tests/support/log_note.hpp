#pragma once

#include "protocol/log.hpp"

#include <ostream>

namespace troupe::protocol {

/// Printer for failed comparisons of log lines.
inline void PrintTo(const log_note& one, std::ostream* out) {
  *out << "note " << static_cast<int>(one.is) << ' ' << one.text;
  for (auto& [name, value] : one.facts)
    *out << ' ' << name << '=' << value;
}

} // namespace troupe::protocol

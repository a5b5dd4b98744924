#pragma once

#include "protocol/modern_client/stateless_effects.hpp"

#include <ostream>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const send_notification& one, std::ostream* out) {
  *out << "precede_answer " << one.exchange << ' ' << one.text;
}
inline void PrintTo(const send_response& one, std::ostream* out) {
  *out << "give_answer " << one.exchange << ' ' << one.error << ' ' << call_outcome{one.how}.text() << ' ' << one.text;
}
inline void PrintTo(const forward_to_server& one, std::ostream* out) { *out << "ask_server " << one.what.text; }

} // namespace troupe::protocol

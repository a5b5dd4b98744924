#pragma once

#include "protocol/remote/remote_effects.hpp"
#include "tests/support/log_note.hpp"

#include <ostream>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const send_call& one, std::ostream* out) {
  *out << "send_call " << one.call << ' ' << one.method << ' ' << one.url;
  for (auto& [name, value] : one.fields)
    *out << ' ' << name << ": " << value;
  *out << ' ' << one.body << ' ' << one.patience.count() << " ms, turn " << static_cast<int>(one.turn);
}
inline void PrintTo(const release_call& one, std::ostream* out) {
  *out << "release_call " << one.call << (one.may_end ? ", may end" : "");
}
inline void PrintTo(const drop_call& one, std::ostream* out) { *out << "drop_call " << one.call; }
inline void PrintTo(const deliver_message& one, std::ostream* out) {
  *out << "take_message " << one.concerns << (one.concerns.empty() ? "" : " ") << one.what.text;
}
inline void PrintTo(const lose_server& one, std::ostream* out) {
  *out << "lose_server " << one.why << (one.is_expired ? ", expired" : "");
}
inline void PrintTo(const send_last_request& one, std::ostream* out) {
  *out << "say_farewell " << one.method << ' ' << one.url;
  for (auto& [name, value] : one.fields)
    *out << ' ' << name << ": " << value;
}

} // namespace troupe::protocol

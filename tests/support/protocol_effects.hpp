#pragma once

#include "protocol/effects.hpp"

#include <ostream>

// How a failing test shows effects.
namespace troupe::protocol {

inline void PrintTo(const rejection& why, std::ostream* out) {
  *out << why.status << ' ' << why.code << " id:" << why.id << ' ' << why.text;
  for (auto& [name, value] : why.headers)
    *out << ' ' << name << ": " << value;
}

inline void PrintTo(const forward& one, std::ostream* out) { *out << "forward " << one.text << " call:" << one.call; }
inline void PrintTo(const reply& one, std::ostream* out) {
  *out << "reply " << one.exchange << ' ' << one.text << (one.opens ? " opens" : "");
}
inline void PrintTo(const accept& one, std::ostream* out) { *out << "accept " << one.exchange; }
inline void PrintTo(const reject& one, std::ostream* out) {
  *out << "reject " << one.exchange << ' ';
  PrintTo(one.why, out);
}
inline void PrintTo(const confirm_end& one, std::ostream* out) { *out << "confirm_end " << one.exchange; }
inline void PrintTo(const open_stream& one, std::ostream* out) { *out << "open_stream " << one.stream; }
inline void PrintTo(const publish& one, std::ostream* out) { *out << "publish " << one.stream << ' ' << one.text; }
inline void PrintTo(const end_stream& one, std::ostream* out) { *out << "end_stream " << one.stream; }
inline void PrintTo(const end_session& one, std::ostream* out) { *out << "end_session " << one.why; }

} // namespace troupe::protocol

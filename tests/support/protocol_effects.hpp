#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/event_store.hpp"

#include <chrono>
#include <ostream>
#include <string>
#include <utility>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const rejection& why, std::ostream* out) {
  *out << why.status << ' ' << why.code << " id:" << why.id << ' ' << why.text;
  for (auto& [name, value] : why.headers)
    *out << ' ' << name << ": " << value;
}

inline void PrintTo(const forward& one, std::ostream* out) { *out << "forward " << one.what.text; }
inline void PrintTo(const reply& one, std::ostream* out) {
  *out << "reply " << one.exchange << ' ' << one.text << (one.opens ? " opens" : "");
}
inline void PrintTo(const accept& one, std::ostream* out) { *out << "accept " << one.exchange; }
inline void PrintTo(const reject& one, std::ostream* out) {
  *out << "reject " << one.exchange << ' ';
  PrintTo(one.why, out);
}
inline void PrintTo(const confirm_end& one, std::ostream* out) { *out << "confirm_end " << one.exchange; }
inline void PrintTo(const open_stream& one, std::ostream* out) { *out << "open_stream " << one.exchange; }
inline void PrintTo(const publish& one, std::ostream* out) {
  *out << "publish " << one.exchange << ' ' << one.what.type << " id:" << one.what.id.value_or("none") << ' '
       << one.what.data;
}
inline void PrintTo(const end_stream& one, std::ostream* out) { *out << "end_stream " << one.exchange; }
inline void PrintTo(const remember& one, std::ostream* out) { *out << "remember " << one.record; }
inline void PrintTo(const keep_event& one, std::ostream* out) {
  *out << "keep_event " << one.what.stream << '-' << one.what.position << ' ' << one.what.text
       << (one.what.vital ? " vital" : "");
}
inline void PrintTo(const hand_over&, std::ostream* out) { *out << "hand_over"; }
inline void PrintTo(const pass_on& one, std::ostream* out) { *out << "pass_on " << one.exchange; }
inline void PrintTo(const forget_session&, std::ostream* out) { *out << "forget_session"; }
inline void PrintTo(const end_session& one, std::ostream* out) {
  *out << "end_session " << one.why << (one.survives ? " survives" : "");
}

} // namespace troupe::protocol

namespace troupe::tests {

/// The prefix of the session's event ids.
const std::string tag = "t";

/// A message on the exchange that carries a stream, at a position of the stream.
inline protocol::publish carries(protocol::exchange_id exchange, protocol::event_id at, std::string text) {
  return {exchange, {.id = protocol::event_id_text(tag, at), .type = "message", .data = std::move(text)}};
}

/// The priming event with the client's position and its retry delay.
inline protocol::publish primes(protocol::exchange_id exchange, protocol::event_id at) {
  return {exchange, {.id = protocol::event_id_text(tag, at), .retry = std::chrono::seconds{3}}};
}

/// A message at any position of its stream.
inline protocol::publish says(protocol::exchange_id exchange, std::string text) {
  return {exchange, {.type = "message", .data = std::move(text)}};
}

/// The effects without the positions of messages and without priming events, for tests of contents only.
inline protocol::effects without_positions(const protocol::effects& all) {
  protocol::effects result;
  for (auto& one : all) {
    auto said = std::get_if<protocol::publish>(&one);
    if (!said)
      result.push_back(one);
    else if (!said->what.data.empty())
      result.push_back(protocol::publish{said->exchange, {.type = said->what.type, .data = said->what.data}});
  }
  return result;
}

} // namespace troupe::tests

#pragma once

#include "protocol/cluster/membership.hpp"
#include "tests/support/log_note.hpp"

#include <ostream>
#include <string>
#include <vector>

// How a failing test shows effects.
namespace troupe::protocol {

inline void PrintTo(const look_up& one, std::ostream* out) { *out << "look_up " << one.name; }
inline void PrintTo(const dial& one, std::ostream* out) { *out << "dial " << one.address; }
inline void PrintTo(const greet& one, std::ostream* out) {
  *out << "greet " << one.link << (one.hello.draining ? " draining" : "") << " knows " << one.hello.known.size();
}
inline void PrintTo(const take_link& one, std::ostream* out) { *out << "take " << one.link; }
inline void PrintTo(const refuse_link& one, std::ostream* out) { *out << "refuse " << one.link << ' ' << one.why; }
inline void PrintTo(const cut_link& one, std::ostream* out) { *out << "cut " << one.link; }
inline void PrintTo(const members_known& one, std::ostream* out) {
  *out << "members" << (one.settled ? " settled" : "");
  for (auto& node : one.nodes)
    *out << ' ' << node.name << '@' << node.link << (node.draining ? " draining" : "");
}

} // namespace troupe::protocol

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;

inline node_life life_of(char name, std::uint64_t incarnation = 1) {
  return {static_cast<std::uint64_t>(name), incarnation};
}

/// A node is named by a letter, and reached at 10.0.0.<letter>:1.
inline std::string address_of(char name) { return std::string{"10.0.0."} + name + ":1"; }

inline node_card card_of(char name, std::uint64_t incarnation = 1) {
  return {"1", life_of(name, incarnation), std::string{name}};
}

inline membership_options options_of(char name, std::vector<std::string> seeds = {}, std::uint64_t incarnation = 1) {
  membership_options result;
  result.self = card_of(name, incarnation);
  result.address = address_of(name);
  result.seeds = std::move(seeds);
  return result;
}

inline node_hello hello_of(char name, std::vector<std::string> known = {}, std::uint64_t incarnation = 1) {
  return {life_of(name, incarnation), address_of(name), false, std::move(known)};
}

} // namespace troupe::tests

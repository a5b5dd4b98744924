#pragma once

#include "protocol/cluster/membership.hpp"
#include "tests/support/log_note.hpp"

#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Printers for failed comparisons of effects.
namespace troupe::protocol {

inline void PrintTo(const look_up& one, std::ostream* out) { *out << "look_up " << one.name; }
inline void PrintTo(const dial& one, std::ostream* out) { *out << "dial " << one.address; }
inline void PrintTo(const greet& one, std::ostream* out) {
  *out << "greet " << one.link << (one.hello.draining ? " draining" : "") << (one.hello.has_tenure ? " has tenure" : "")
       << " knows " << one.hello.known.size();
}
inline void PrintTo(const accept_link& one, std::ostream* out) { *out << "take " << one.link; }
inline void PrintTo(const refuse_link& one, std::ostream* out) { *out << "refuse " << one.link << ' ' << one.why; }
inline void PrintTo(const cut_link& one, std::ostream* out) { *out << "cut " << one.link; }
inline void PrintTo(const store_cut_off& one, std::ostream* out) { *out << "store cut off " << one.is_so; }
inline void PrintTo(const members_known& one, std::ostream* out) {
  *out << "members" << (one.settled ? " settled" : "");
  for (auto& node : one.nodes)
    *out << ' ' << node.name << '@' << node.link << (node.draining ? " draining" : "");
  for (auto life : one.ended)
    *out << " ended " << life_text(life);
}

} // namespace troupe::protocol

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;

inline node_life life_of(char name, std::uint64_t incarnation = 1) {
  return {static_cast<std::uint64_t>(name), incarnation};
}

/// The address of the node with this letter: 10.0.0.<letter>:1.
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

/// Drives the membership of node m. Time passes only explicitly.
struct member : membership {
  explicit member(std::vector<std::string> seeds = {}) : membership{options_of('m', std::move(seeds)), 1, at()} {}
  static time_point at() { return time_point{1h}; }

  membership_effects after(std::chrono::milliseconds time) { return tick(now += time); }
  /// A node calls us, or answers our call.
  membership_effects is_called(char name, link_id link, std::uint64_t life = 1) {
    return offered(link, {}, card_of(name, life), now);
  }
  membership_effects calls(char name, link_id link, std::uint64_t life = 1) {
    return offered(link, address_of(name), card_of(name, life), now);
  }
  membership_effects hears(char name, link_id link, std::vector<std::string> known = {}, std::uint64_t life = 1) {
    return greeted(link, hello_of(name, std::move(known), life), now);
  }
  membership_effects meets(char name, link_id link, std::vector<std::string> known = {}, std::uint64_t life = 1) {
    is_called(name, link, life);
    return hears(name, link, std::move(known), life);
  }
  membership_effects fails(const std::string& address, const std::string& why) {
    return dial_failed(address, why, {}, now);
  }
  /// No process listens at the address of the node.
  membership_effects is_refused(char name) { return dial_failed(address_of(name), "refused", {}, now, true); }

  time_point now = at();
};

/// The effects of one kind.
template <class Effect>
std::vector<Effect> only(const membership_effects& all) {
  std::vector<Effect> result;
  for (auto& one : all)
    if (auto wanted = std::get_if<Effect>(&one))
      result.push_back(*wanted);
  return result;
}

inline std::vector<std::string> dialled(const membership_effects& all) {
  std::vector<std::string> result;
  for (auto& one : only<dial>(all))
    result.push_back(one.address);
  return result;
}

using names = std::vector<std::string>;

inline names members(const membership& one) {
  names result;
  for (auto& node : one.nodes())
    result.push_back(node.name);
  return result;
}

} // namespace troupe::tests

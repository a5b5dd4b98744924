#pragma once

#include "protocol/cluster/store_effects.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;
using lines = std::vector<std::string>;

/// The start time of store tests.
constexpr time_point begun{1h};

/// Milliseconds since the start of the test.
inline std::string since_begun(time_point when) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(when - begun).count());
}

inline std::string line_of(const renew_tenure&) { return "renew"; }
inline std::string line_of(const extend_tenure& one) { return "extend until " + since_begun(one.until); }
inline std::string line_of(const end_tenure&) { return "end"; }
inline std::string line_of(const claim_again& one) {
  return std::string{one.is_new_store ? "claim in a new store" : "claim again"} + (one.is_held ? " what was held" : "");
}
inline std::string line_of(const move_tenure& one) { return "move until " + since_begun(one.until); }
inline std::string line_of(const doubt_session& one) { return "doubt " + one.session; }
inline std::string line_of(const claimed& one) { return "claimed " + one.session + " #" + std::to_string(one.term); }
inline std::string line_of(const end_foreign_session& one) { return "disown " + one.session; }
inline std::string line_of(const let_go& one) { return "let go " + one.session; }
inline std::string line_of(const session_gone& one) {
  return one.session + (one.is_done ? " is gone" : " is not gone");
}
inline std::string line_of(const take_over_session& one) { return "take " + one.session; }
inline std::string name_of(search_outcome::outcome one) {
  constexpr const char* names[] = {"here", "ours", "elsewhere", "over", "unknown", "unavailable"};
  return names[static_cast<std::size_t>(one)];
}
inline std::string line_of(const search_outcome& one) {
  auto result = "tell " + one.session + " " + name_of(one.is);
  if (!one.owner.empty())
    result += " at " + one.owner;
  if (!one.record.empty())
    result += " " + one.record;
  for (auto& event : one.events)
    result += " " + std::to_string(event.position);
  return one.taken == 0 ? result : result + " #" + std::to_string(one.taken);
}
inline std::string line_of(const log_note& one) {
  auto result = "note " + one.text;
  for (auto& [name, value] : one.facts)
    result += " " + name + "=" + value;
  return result;
}

inline lines lines_of(const store_effects& effects) {
  lines result;
  for (auto& one : effects)
    result.push_back(std::visit([](auto& effect) { return line_of(effect); }, one));
  return result;
}

} // namespace troupe::tests

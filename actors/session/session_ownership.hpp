#pragma once

#include "actors/session/registry_parts.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace troupe::actors {

/// Ownership of the sessions that a store keeps: which of them are this node's, by its tenure, and which go to other
/// nodes.
class session_ownership {
public:
  /// `parts` outlives it.
  explicit session_ownership(registry_parts& parts) : parts_{parts} {}

  /// Term of this node's tenure; 0 without a store.
  std::uint64_t term() const { return parts_.cluster.tenure ? parts_.cluster.tenure->term() : 0; }
  /// Whether the tenure has run without interruption since the term `since`.
  bool holds_tenure(std::uint64_t since) const;
  /// Lets a new session survive this node.
  void keep(new_session& what, std::uint64_t since) const;
  /// Lets all sessions that can leave go to other nodes.
  void move_sessions();
  /// Lets all leases end once no call is in flight or parked. They do not move: their callers get other leases.
  void close_leases(const std::string& why);

  // -- facts
  void disown(const tenure_lost& what);
  void end_taken(const session_taken& what);
  void change_contact(const node_cut_off& what);
  void claim(const tenure_regained& what);
  void regain(session_regained& what);
  void pass_on(session_gone& what);

private:
  static bool has_tenure(const known_session& one) { return one.kept && one.kept->has_tenure(); }
  /// False for sessions begun by a renewed tenure before this node knew that the previous tenure had run out.
  bool may_be_lost(const known_session& one) const { return !has_tenure(one) || !one.kept->is_ours(); }
  bool has_held_tenure(const known_session& one) const;
  void move(known_session& one);
  void give_up_doubtful();

  registry_parts& parts_;
  /// Sides that are out of contact: other nodes, the store.
  std::set<node_cut_off::side> cut_off_;
};

} // namespace troupe::actors

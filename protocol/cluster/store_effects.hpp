#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Connections to a store. Tenures, writes and searches have one each, so that none delays the others.
enum class store_connection { tenure, writes, searches };

/// Result of a command. `foreign`: another node owns the session. `lapsed`: this node's tenure had ended in the store;
/// after a renewal it runs again. `emptied`: it runs, in a store that did not know this node. `moved`: it runs, in
/// another store than before, or with older data. `unknown`: no such session. `untold`: the store has lost data
/// recently, and the owner may be about to claim the session. `busy`: the owner's tenure runs. `failed`: the store
/// could not. `lost`: unknown whether it was carried out.
enum class store_verdict { done, foreign, lapsed, emptied, moved, unknown, untold, busy, failed, lost };

/// Knowledge of a node about the store since its last renewal, to notice another store or older data.
struct store_sight {
  /// Id of the process of the store; empty if unknown.
  std::string process = {};
  /// Number of the node's last confirmed renewal; 0 if there is none.
  std::uint64_t renewal = 0;
  /// Number of the last query that took a session; 0 if there is none.
  std::uint64_t taken = 0;
  friend bool operator==(const store_sight&, const store_sight&) = default;
};

struct store_answer {
  store_verdict is = store_verdict::failed;
  /// Reason of a failure, in one line.
  std::string why = {};
  /// Bytes of all stored events of the session, after an event was kept or the session was claimed.
  std::size_t bytes = 0;
  /// Id of the process of the store, after a renewal; empty if unknown.
  std::string process = {};
};

/// Result of a search for a session.
struct search_result {
  std::string session;
  store_answer answer = {};
  /// Owner of a `busy` session, or the earlier one of a session that is this node's now (`done`).
  std::string owner = {};
  /// Record of a session that is this node's now (`done`).
  std::string record = {};
  std::vector<saved_event> events = {};
};

// Effects of `session_store`, carried out by its actor in this order. Writes are not among them: see
// `session_store::next_write`.

/// Renew the tenure in the store. A store without what this node has `seen` confirmed has lost data.
struct renew_tenure {
  /// Number of this renewal.
  std::uint64_t number = 0;
  store_sight seen = {};
  /// Number of the connection for writes: the store refuses later writes of earlier ones.
  std::uint64_t writer = 0;
  friend bool operator==(const renew_tenure&, const renew_tenure&) = default;
};
/// The tenure runs until then: this node may answer for its sessions.
struct extend_tenure {
  time_point until;
  friend bool operator==(const extend_tenure&, const extend_tenure&) = default;
};
/// The store has lost data while the tenure ran. This node owns its sessions `until` then, and longer those that it
/// claims.
struct move_tenure {
  time_point until;
  friend bool operator==(const move_tenure&, const move_tenure&) = default;
};
/// The tenure has ended: nothing more may be sent about the sessions that the store keeps for this node.
struct end_tenure {
  friend bool operator==(const end_tenure&, const end_tenure&) = default;
};
/// The tenure runs again, or in another store: claim the sessions that were this node's before. Sessions unknown to the
/// store are this node's only in a new store, one that came back empty or older.
struct claim_again {
  bool is_new_store = false;
  /// Claim only sessions of terms since which the tenure has run without a break. The others follow later.
  bool is_held = false;
  friend bool operator==(const claim_again&, const claim_again&) = default;
};
/// A session is this node's again, in the tenure of that term.
struct claimed {
  std::string session;
  std::uint64_t term = 0;
  friend bool operator==(const claimed&, const claimed&) = default;
};
/// The store names another owner for a session, although the tenure has not run out: claim the session.
struct doubt_session {
  std::string session;
  friend bool operator==(const doubt_session&, const doubt_session&) = default;
};
/// A session has another owner, and ends here.
struct end_foreign_session {
  std::string session;
  friend bool operator==(const end_foreign_session&, const end_foreign_session&) = default;
};
/// A session was released at this node's request.
struct let_go {
  std::string session;
  friend bool operator==(const let_go&, const let_go&) = default;
};
/// The store has forgotten a session on this node's request. Without `is_done`, the request was given up.
struct session_gone {
  std::string session;
  bool is_done = true;
  friend bool operator==(const session_gone&, const session_gone&) = default;
};
/// Query the store for a session, and take it if its owner's tenure has ended.
struct take_over_session {
  std::string session;
  /// Number of the query, unique on this node. The store notes it when the session becomes this node's.
  std::uint64_t number = 0;
  friend bool operator==(const take_over_session&, const take_over_session&) = default;
};
/// Outcome of a search, for the actor that started it.
struct search_outcome {
  /// `here`: it lives on this node, so that the store is not asked. `ours`: this node owns the session now.
  /// `elsewhere`: a reachable node owns it. `over`: it ended on this node. `unknown`: it has no owner. `unavailable`:
  /// its owner may still live, or the store cannot tell.
  enum class outcome { here, ours, elsewhere, over, unknown, unavailable };
  std::string session;
  outcome is = outcome::unknown;
  /// Owner, if `elsewhere`; the earlier one, if `ours`.
  std::string owner = {};
  /// Record, if `ours`.
  std::string record = {};
  std::vector<saved_event> events = {};
  /// Number of the query that took the session, if `ours`.
  std::uint64_t taken = 0;
  friend bool operator==(const search_outcome&, const search_outcome&) = default;
};

using store_effect =
    std::variant<renew_tenure, extend_tenure, move_tenure, end_tenure, claim_again, claimed, doubt_session,
                 end_foreign_session, let_go, session_gone, take_over_session, search_outcome, log_note>;
using store_effects = std::vector<store_effect>;

} // namespace troupe::protocol

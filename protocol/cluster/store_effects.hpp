#pragma once

#include "protocol/delivery/saved_event.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// The connections to a store: tenures, writes and searches have one each, so that none waits for the others.
enum class store_connection { tenure, writes, searches };

/// The result of a command. `foreign`: another node owns the session. `lapsed`: this node's tenure had run out in the
/// store, which for a renewal means that it runs again. `emptied`: it runs, in a store that knew nothing of this node.
/// `unknown`: the store has no such session. `untold`: nor has it, but it has lost everything a while ago, and the
/// owner may be about to say so. `busy`: the tenure of another owner runs. `failed`: the store could not. `lost`:
/// nobody knows whether it was carried out.
enum class store_verdict { done, foreign, lapsed, emptied, unknown, untold, busy, failed, lost };

struct store_answer {
  store_verdict is = store_verdict::failed;
  /// Why it failed, in one line.
  std::string why = {};
  /// Of an event that was kept, or of a session that was claimed: the size of all events that are kept of it.
  std::size_t bytes = 0;
};

/// What a search for a session found.
struct search_result {
  std::string session;
  store_answer answer = {};
  /// Of a session that is `busy`.
  std::string owner = {};
  /// Of a session that is this node's now (`done`).
  std::string record = {};
  std::vector<saved_event> events = {};
};

// What the machine of a store decides, and its actor carries out in this order. What is to be written is not among
// them: see `session_store::next_write`.

/// Ask the store to let the tenure run anew. When it `has_run`, a store that does not know this node has lost
/// everything.
struct renew_tenure {
  bool has_run = false;
  friend bool operator==(const renew_tenure&, const renew_tenure&) = default;
};
/// The tenure runs until then: sessions that are this node's may be answered for.
struct extend_tenure {
  time_point until;
  friend bool operator==(const extend_tenure&, const extend_tenure&) = default;
};
/// The tenure has run out: nobody may hear anything of the sessions that the store keeps for this node.
struct end_tenure {
  friend bool operator==(const end_tenure&, const end_tenure&) = default;
};
/// The tenure runs again: sessions that were this node's before are to be claimed. Those that the store does not know
/// are this node's only in a new one, which came back empty.
struct claim_again {
  bool is_new_store = false;
  /// Only those that were this node's in the last term; the others follow later.
  bool only_last_term = false;
  friend bool operator==(const claim_again&, const claim_again&) = default;
};
/// One session is this node's again, by the tenure of that term.
struct claimed {
  std::string session;
  std::uint64_t term = 0;
  friend bool operator==(const claimed&, const claimed&) = default;
};
/// One session has another owner, and ends here.
struct disown {
  std::string session;
  friend bool operator==(const disown&, const disown&) = default;
};
/// One session is no longer this node's, as it has wanted.
struct let_go {
  std::string session;
  friend bool operator==(const let_go&, const let_go&) = default;
};
/// Ask the store for a session. It becomes this node's if the tenure of its owner has run out.
struct take_session {
  std::string session;
  /// Numbers what this node has asked for; no two questions have the same number. The store notes it when the session
  /// becomes this node's.
  std::uint64_t number = 0;
  friend bool operator==(const take_session&, const take_session&) = default;
};
/// Tell who sought a session what became of that.
struct tell_seeker {
  /// `ours`: it belongs to this node now. `elsewhere`: a node that is there owns it. `unknown`: nobody has it.
  /// `unavailable`: its owner may still live, or nobody can tell.
  enum class outcome { ours, elsewhere, unknown, unavailable };
  std::string session;
  outcome is = outcome::unknown;
  /// Of one that is elsewhere.
  std::string owner = {};
  /// Of one that is ours.
  std::string record = {};
  std::vector<saved_event> events = {};
  /// Of one that is ours: the number of the question by which it is.
  std::uint64_t taken = 0;
  friend bool operator==(const tell_seeker&, const tell_seeker&) = default;
};

using store_effect = std::variant<renew_tenure, extend_tenure, end_tenure, claim_again, claimed, disown, let_go,
                                  take_session, tell_seeker, log_note>;
using store_effects = std::vector<store_effect>;

} // namespace troupe::protocol

#pragma once

#include "protocol/cluster/session_searches.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_failure_log.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/cluster/tenure.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Sessions of a node in the store (Redis) that the nodes share: the node's tenure, the queue of writes, and the
/// searches for sessions of other nodes. Facts in, effects out.
///
/// Two nodes never answer for one session. A node answers only while its tenure runs (see `tenure`). The store lets
/// only the owner write to a session, while its tenure runs there; other nodes may take the session only after that. A
/// store that has lost data may name an earlier owner: the node claims its sessions before it writes to them again.
class session_store {
public:
  /// `tenure_time`: how long a node's tenure runs in the store after its renewal.
  session_store(std::chrono::milliseconds tenure_time, const store_limits& waiting);

  // -- facts of the sessions of this node
  void remember(const std::string& session, std::string record);
  /// Claims a session that was this node's before; `claimed` or `end_foreign_session` follows.
  void claim(const std::string& session, std::string record, session_claim how);
  /// Remembers the record of a session from before a `move_tenure`: claims the session with it, unless that was done.
  void remember_moved(const std::string& session, std::string record, session_claim how);
  /// Later writes of the session come from before a `move_tenure`: they wait for its claim, unless that was made.
  void await_claim(const std::string& session) { writes_.await_claim(session); }
  store_effects keep(const std::string& session, saved_event what);
  /// An event of the session is not kept; the earlier ones are dropped, too.
  void miss(const std::string& session) { writes_.miss(session); }
  /// The session is over. `session_gone` follows, or `end_foreign_session` if another node has it. `is_held`: see
  /// `session_claim`.
  void forget(const std::string& session, bool is_held = false);
  /// The session ends here at once: its pending writes are dropped.
  void give_up(const std::string& session) { writes_.drop(session); }
  /// Gives back a session taken by the query `taken` that does not begin here; no effect if taken again since.
  void give_back(const std::string& session, std::uint64_t taken);
  /// The session ends here. Other nodes may have it once its pending writes are done.
  void release(const std::string& session) { writes_.release(session); }
  /// Searches for a session. `alive` are reachable owners, not waited for, except `uncertain_owner`. If the store could
  /// not forget the session, this is tried again.
  store_effects searched(const std::string& session, std::vector<std::string> alive, std::string uncertain_owner,
                         time_point now);
  /// The reachable owners have changed, for the searches under way.
  void nodes_alive(const std::vector<std::string>& alive) { searches_.nodes_alive(alive); }

  // -- facts of the store
  store_effects reached(store_connection by, time_point now);
  store_effects lost(store_connection by, const std::string& why, time_point now);
  /// Takes the answer to `renew_tenure`.
  store_effects renewed(const store_answer& answer, time_point now);
  /// Takes the answer to a `next_write`; `term`: that of a claim, 0 for other writes.
  store_effects written(const std::string& session, store_task what, const store_answer& answer, time_point now,
                        std::uint64_t term = 0);
  /// Takes the answer to `take_over_session`.
  store_effects found(search_result&& what, time_point now);
  store_effects tick(time_point now);

  // -- pending writes and times
  /// Next write to send now; to be called after each fact.
  std::optional<store_write> next_write();
  /// Next write regardless of the limits on writes in flight; for a node that is about to exit.
  std::optional<store_write> next_write_unlimited();
  /// When `tick` has something to do.
  time_point deadline() const;
  bool reaches(store_connection by) const { return tenure_.reaches(by); }
  /// Knowledge about the store since the last renewal.
  const store_sight& seen() const { return tenure_.seen(); }
  /// Number of the last connection for writes.
  std::uint64_t writer() const { return tenure_.writer(); }

private:
  session_searches::moment can_ask(const std::string& session, time_point now) const;
  void search_due(time_point now, store_effects& out);
  void log_failure(const store_answer& answer, store_effects& out);
  void forgot(const std::string& session, bool is_done, store_effects& out);
  void give_up_unknown(const std::string& session, store_effects& out);
  void disown_foreign(const std::string& session, store_effects& out);
  void doubt(const std::string& session, store_effects& out);
  store_effects follow(store_effects effects);
  void follow(const store_effect& effect);

  tenure tenure_;
  store_writes writes_;
  session_searches searches_;
  store_failure_log failure_log_;
};

} // namespace troupe::protocol

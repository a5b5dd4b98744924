#pragma once

#include "protocol/cluster/session_searches.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/cluster/tenure.hpp"
#include "protocol/log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Which failures of a store are worth a line in the log: that something was not kept, once until something is; and
/// that a session has another owner, once for each session.
class store_complaints {
public:
  /// Sessions that are remembered; beyond that all are forgotten.
  static constexpr std::size_t most_foreign = 1000;

  std::optional<log_note> not_kept(const std::string& why);
  void kept() { is_troubled_ = false; }
  std::optional<log_note> foreign(const std::string& session);
  /// The session is over, or this node's again.
  void forget(const std::string& session) { foreign_.erase(session); }

private:
  bool is_troubled_ = false;
  std::set<std::string> foreign_;
};

/// What a node keeps of its sessions in a store that it shares with others, and which of theirs it takes over: the
/// node's tenure, what waits to be written, and what is sought. Facts in, effects out.
///
/// Two nodes never answer for one session: a node answers only while its tenure runs (see `tenure`), and the store lets
/// nobody write to a session or take it who does not own it, or whose tenure has run out there.
class session_store {
public:
  /// `tenure_time` is how long the tenure of any node runs in the store.
  session_store(std::chrono::milliseconds tenure_time, const store_limits& waiting);

  // -- facts of the sessions of this node
  void remember(const std::string& session, std::string record);
  /// It was ours, and is to be again as `how` says: then that is told (`claimed`), or that it is not (`disown`).
  void claim(const std::string& session, std::string record, session_claim how);
  store_effects keep(const std::string& session, saved_event what);
  /// An event of the session is not kept, nor are those before it.
  void miss(const std::string& session) { writes_.miss(session); }
  void forget(const std::string& session);
  /// The session ends here without another word: what waits to be written of it is void.
  void give_up(const std::string& session) { writes_.drop(session); }
  /// A session does not begin here that is ours by that question; nothing if it has become ours by another since.
  void give_back(const std::string& session, std::uint64_t taken);
  /// A session ends here, and others may have it once all is written that waits.
  void release(const std::string& session) { writes_.release(session); }
  /// `alive` are owners that are there, and need not be waited for; the `doubted` one of them could not tell.
  store_effects sought(const std::string& session, std::vector<std::string> alive, std::string doubted, time_point now);

  // -- facts of the store
  store_effects reached(store_connection by, time_point now);
  store_effects lost(store_connection by, const std::string& why, time_point now);
  /// The answer to `renew_tenure`.
  store_effects renewed(const store_answer& answer, time_point now);
  /// The answer to what `next_write` gave; of a claim, in that term.
  store_effects written(const std::string& session, store_task what, const store_answer& answer, time_point now,
                        std::uint64_t term = 0);
  /// The answer to `take_session`.
  store_effects found(search_result&& what, time_point now);
  store_effects tick(time_point now);

  // -- what to do, besides the effects
  /// What is to be written now; to be asked for after each fact.
  std::optional<store_write> next_write();
  /// The same, however much is being written; for one who will not be there later.
  std::optional<store_write> next_write_in_haste();
  /// When `tick` has something to do.
  time_point deadline() const;
  bool reaches(store_connection by) const { return tenure_.reaches(by); }

private:
  session_searches::moment can_ask(const std::string& session, time_point now) const;
  void search_due(time_point now, store_effects& out);
  void complain(const store_answer& answer, store_effects& out);
  void give_up_unknown(const std::string& session, store_effects& out);
  void disown_foreign(const std::string& session, store_effects& out);
  store_effects follow(store_effects effects);
  void follow(const store_effect& effect);

  tenure tenure_;
  store_writes writes_;
  session_searches searches_;
  store_complaints complaints_;
};

} // namespace troupe::protocol

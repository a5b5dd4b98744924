#pragma once

#include "actors/session/new_session.hpp"
#include "actors/session_messages.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "protocol/session/session_admission.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Entry of a session or lease in the book of sessions.
struct known_session {
  session_actor session;
  protocol::session_binding binding;
  /// Number for operators, see `admin_command`.
  std::uint64_t number = 0;
  protocol::caller caller;
  protocol::time_point began;
  /// Null when the session does not survive this node.
  std::shared_ptr<session_persistence> kept;
  std::shared_ptr<const idle_mark> idle;
  /// Caller that the session's place counts for; empty once the session was ordered to end.
  std::optional<std::string> address;
  /// Key of a lease, see `protocol::lease_key`; empty when it has none.
  protocol::lease_key key = {};
  protocol::lease_affinity affinity = {};
  /// Numbers of the servers that make the key depend on more than the caller's identity.
  std::vector<std::uint64_t> rule_servers = {};
};

/// Book of the sessions and leases of a gateway: finds them by id, by number, by the key of a lease and by actor, and
/// keeps count of the places that they take. Owned by the registry, on its thread.
class session_book {
public:
  using sessions = std::unordered_map<std::string, known_session>;

  /// `places` outlives the book.
  explicit session_book(protocol::session_places& places) : places_{places} {}

  /// Enters a session that has begun, gives it the next number, and takes a place for its caller.
  known_session& add(std::string id, known_session what);
  /// Removes the session of an actor that has ended. False if the actor is no session.
  bool remove(const caf::actor_addr& ended);
  /// Removes a session that another node has now, whose actor is about to end.
  void let_go(const std::string& id);
  /// Removes the key of a lease: the next request with that key gets another lease.
  void forget_key(known_session& one);
  /// Gives the place of a session back before the session has ended.
  void free_place(known_session& one);

  const sessions& all() const { return all_; }
  sessions& all() { return all_; }
  /// True if no session's actor is alive.
  bool is_empty() const { return ids_.empty(); }
  /// Number of the session actors that are alive.
  std::size_t alive() const { return ids_.size(); }
  /// Ids by number; the book owns the texts.
  const std::map<std::uint64_t, const std::string*>& numbers() const { return numbers_; }

  // Null when there is none.
  known_session* find(const std::string& id);
  known_session* find_lease(const std::string& key);
  known_session* numbered(std::uint64_t number);
  /// Returns the caller's session that has been idle for longest, and long enough to end for another; null when none.
  known_session* most_idle(const std::string& address, protocol::time_point now);
  /// Returns the longest idle session of the caller with the most sessions, among those that `counts` accepts and
  /// callers with `least` sessions or more; null when there is none.
  known_session* most_idle_holder(std::size_t least, protocol::time_point now,
                                  const std::function<bool(const known_session&)>& counts);

  /// Returns the caller that a session counts for, even if the session has ended lately; empty when unknown.
  std::optional<std::string> counted_as(const caf::actor_addr& session) const;

private:
  void forget(sessions::iterator one);
  void note_left(const known_session& one);

  protocol::session_places& places_;
  sessions all_;
  std::uint64_t last_number_ = 0;
  /// Leases by key; each lease owns its key.
  std::unordered_map<std::string_view, known_session*> leases_;
  std::map<std::uint64_t, const std::string*> numbers_;
  /// Ids by session actor; `all_` owns the texts. Null once the session has been let go, and is about to end.
  std::map<caf::actor_addr, const std::string*> ids_;
  /// Callers of sessions that have ended lately. A session that could not begin may end before the registry is notified
  /// of the shortage.
  std::deque<std::pair<caf::actor_addr, std::string>> left_;
};

} // namespace troupe::actors

#pragma once

#include "protocol/delivery/saved_event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace troupe::protocol {

/// What is asked of a store: to own a session again, or to keep a record or an event of it; to clear away all events
/// before the next one; to forget the session; to let others have what did not begin here, or what has ended here.
enum class store_task { claim, record, event, clear, forget, give_back, release };

/// How a session is claimed: see `claim_again`.
struct session_claim {
  std::uint64_t term = 0;
  bool is_new_store = false;
  friend bool operator==(const session_claim&, const session_claim&) = default;
};

/// A task that is to be carried out now, after those before it.
struct store_write {
  store_task what = store_task::record;
  std::string session;
  /// Of a record or a claim.
  std::string record = {};
  /// Of an event.
  saved_event event = {};
  /// Of what is given back: see `tell_seeker`.
  std::uint64_t taken = 0;
  session_claim claim = {};

  friend bool operator==(const store_write&, const store_write&) = default;
};

/// What became of a task: `refused` and `failed` ones were not done, the latter perhaps later; of one that is `lost`
/// nobody knows, and those that followed it are lost with it.
enum class store_fate { done, refused, failed, lost };

struct store_limits {
  /// Events that wait, of all sessions and of one, and their bytes.
  std::size_t events = 10'000;
  std::size_t bytes = 32 * 1024 * 1024;
  std::size_t events_of_one = 1'000;
  std::size_t bytes_of_one = 8 * 1024 * 1024;
  /// Bytes of events in the store, of all sessions of this node.
  std::size_t kept_bytes = 256 * 1024 * 1024;
  /// Tasks that are carried out at a time, and their bytes: so few that none is late because of those before it.
  std::size_t sent = 256;
  std::size_t sent_bytes = 1024 * 1024;
  /// Sessions that the store does not want to forget.
  std::size_t unforgotten = 10'000;
};

/// The queue of writes to the store. Sessions take turns.
///
/// Of each session the latest record is written, sooner or later. Its events give way to later ones when they are too
/// many; then all before them is cleared away, so that none is missing among those that the store has. What was lost on
/// its way is written again: an event that the store has twice is read once, by its position.
class store_writes {
public:
  explicit store_writes(const store_limits& limits = {}) : limits_{limits} {}

  // -- facts
  void remember(const std::string& session, std::string record);
  /// The session was ours, and is to be again. Nothing else is written of it before.
  void claim(const std::string& session, std::string record, session_claim how);
  /// False when an event is not kept, be it this one or those before it.
  bool keep(const std::string& session, saved_event what);
  /// An event was not kept: those before it go, too.
  void miss(const std::string& session) { clear(session, all_[session]); }
  /// The session is over.
  void forget(const std::string& session);
  /// The session became ours by the question of that number, and others may have it.
  void give_back(const std::string& session, std::uint64_t taken);
  /// Others may have the session once all is written that waits.
  void release(const std::string& session);
  /// What the store has now is not what we wrote last: what waits is dropped.
  void drop(const std::string& session);
  /// The same, and the session is ours by what the store has.
  void take(const std::string& session);
  /// The store has lost everything that it was told.
  void store_is_new() { recorded_.clear(); }
  /// No session is ours any more: all is dropped but what is to be forgotten or given back.
  void drop_all();
  void carried_out(const std::string& session, store_task what, store_fate fate);
  /// The store has so many bytes of the session's events. False when it has too much of all sessions: the events of the
  /// one that has most are cleared away.
  bool holds(const std::string& session, std::size_t bytes);
  /// What failed or was lost may be tried again.
  void try_again();

  // -- what to do
  /// The next task, unless there is none or enough is being carried out.
  std::optional<store_write> next();
  /// The next task; for one who will not be there later.
  std::optional<store_write> next_in_haste();
  /// Whether the store has said that it has a record of the session, which is ours since.
  bool has_recorded(const std::string& session) const { return recorded_.contains(session); }
  /// Whether anything of a session is not carried out yet.
  bool waits(const std::string& session) const;

private:
  /// A task that is done once, and repeated when it fails.
  struct single_task {
    bool is_wanted = false;
    bool is_sent = false;
    bool is_open() const { return is_wanted || is_sent; }
    bool is_due() const { return is_wanted && !is_sent; }
  };
  struct one {
    std::string record;
    std::size_t sent_record = 0;
    single_task claiming, remembering, clearing, forgetting, giving_back, releasing;
    session_claim claim;
    /// The last number by which it was ours and is not to be any more.
    std::uint64_t taken = 0;
    /// The first of them are being carried out.
    std::deque<saved_event> events;
    std::size_t sent_events = 0;
    std::size_t bytes = 0;
    /// The clearing does not wait for the next event: the store is to have room.
    bool is_too_much = false;
    bool in_turn = false;
    /// What is on its way is of a session that is not ours any more.
    bool is_dropped = false;

    bool waits() const;
    /// Whether its events go, or the session does.
    bool does_away() const { return clearing.is_open() || forgetting.is_open() || releasing.is_open(); }
    std::optional<store_task> task() const;
    bool may_release() const;
    single_task& single_task_for(store_task what);
  };

  bool fits(const one& of, std::size_t size) const;
  store_write begin(const std::string& session, one& of, store_task what);
  void queue(const std::string& session, one& of);
  void push(one& of, saved_event what);
  void pop(one& of);
  /// Those that are not sent.
  template <class Condition>
  void drop_events(one& of, Condition which);
  void drop_news(one& of);
  void clear(const std::string& session, one& of);
  void forget_kept(const std::string& session);
  void end_event(one& of, store_fate fate);
  void end_task(const std::string& session, one& of, store_task what, store_fate fate);
  void tidy(const std::string& session);

  store_limits limits_;
  std::map<std::string, one> all_;
  /// Sessions of which the store has confirmed a record.
  std::set<std::string> recorded_;
  std::deque<std::string> turns_;
  /// Bytes of events that the store has of each session, as far as it has said, and of all.
  std::map<std::string, std::size_t> kept_;
  std::size_t kept_bytes_ = 0;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
  std::size_t sent_ = 0;
  std::size_t sent_bytes_ = 0;
};

} // namespace troupe::protocol

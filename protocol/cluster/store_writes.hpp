#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/delivery/effects.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Writes to a store. `clear` removes all events before the next one; `give_back` returns a session that did not begin
/// here, `release` one that has ended here.
enum class store_task { claim, record, event, clear, forget, give_back, release };

/// Conditions of a claim on a session, see `claim_again`.
struct session_claim {
  std::uint64_t term = 0;
  bool is_new_store = false;
  /// The tenure has run without a break since this node owned the session: it replaces an owner without a tenure.
  bool is_held = false;
  friend bool operator==(const session_claim&, const session_claim&) = default;
};

/// A task to send now, after the earlier ones.
struct store_write {
  store_task what = store_task::record;
  std::string session;
  /// Record of a `record` or `claim`.
  std::string record = {};
  /// Event of an `event`.
  saved_event event = {};
  /// Query number of a `give_back`, see `search_outcome`.
  std::uint64_t taken = 0;
  /// Conditions of a `claim`; of a `forget` only `is_held`.
  session_claim claim = {};

  friend bool operator==(const store_write&, const store_write&) = default;
};

/// Outcome of a task. `refused` and `failed` ones were not done; the latter may succeed later. Of a `lost` one the
/// outcome is unknown, and those sent after it are lost with it.
enum class store_fate { done, refused, failed, lost };

struct store_limits {
  /// Limits of events in the queue, for all sessions and for one, and of their bytes.
  std::size_t events = 10'000;
  std::size_t bytes = 32 * 1024 * 1024;
  std::size_t events_of_one = 1'000;
  std::size_t bytes_of_one = 8 * 1024 * 1024;
  /// Limit of bytes of events in the store, for all sessions of this node.
  std::size_t kept_bytes = 256 * 1024 * 1024;
  /// Limits of tasks in flight and of their bytes: few, so that none waits long for the earlier ones.
  std::size_t sent = 256;
  std::size_t sent_bytes = 1024 * 1024;
  /// Limit of sessions that the store has failed to forget.
  std::size_t unforgotten = 10'000;
};

/// Queue of writes to the store. Sessions take turns.
///
/// The latest record of each session is always written in the end. If its events are too many, the queued ones give way
/// to later ones, and the store drops all earlier events: the stored ones never have a gap. A lost write is repeated.
/// An event stored twice is read once, by its position.
class store_writes {
public:
  explicit store_writes(const store_limits& limits = {}) : limits_{limits} {}

  // -- facts
  void remember(const std::string& session, std::string record);
  /// Claims a session that was ours before. Nothing else is written of it until then.
  void claim(const std::string& session, std::string record, session_claim how);
  /// False if this event or earlier ones are not kept.
  bool keep(const std::string& session, saved_event what);
  /// An event was not kept: drops the earlier ones, too.
  void miss(const std::string& session) { clear(session, entry(session)); }
  /// Drops a session that is over, here and in the store. `is_held`: see `session_claim`.
  void forget(const std::string& session, bool is_held = false);
  /// Gives back a session that the query `taken` took, so that other nodes may have it.
  void give_back(const std::string& session, std::uint64_t taken);
  /// Lets other nodes have the session once its pending writes are done.
  void release(const std::string& session);
  /// The store's data of the session is not ours any more: drops the pending writes.
  void drop(const std::string& session);
  /// Drops pending writes of a session that the store just gave to us with its record.
  void take_over(const std::string& session);
  /// The store has lost data: no session is known to have a record there.
  void store_is_new() { recorded_.clear(); }
  /// Blocks the writes of all sessions with pending writes until the sessions are claimed. Ends are not blocked.
  void await_claims();
  /// Blocks the writes of one session likewise, unless it was claimed since the store was new.
  void await_claim(const std::string& session);
  /// Blocks the writes of a session until it is claimed again: the store names another owner.
  void doubt(const std::string& session);
  /// No session is ours any more: drops all tasks except `forget` and `give_back`.
  void drop_all();
  void carried_out(const std::string& session, store_task what, store_fate fate);
  /// Notes how many bytes of the session's events the store has. False if it has too many of all sessions: the events
  /// of the session with most are cleared.
  bool holds(const std::string& session, std::size_t bytes);
  /// Queues failed and lost tasks again.
  void try_again();

  // -- pending writes
  /// Next task; empty if there is none or enough are in flight.
  std::optional<store_write> next();
  /// Next task regardless of the limits on tasks in flight; for a node that is about to exit.
  std::optional<store_write> next_unlimited();
  /// True if the store has confirmed a record of the session since the session became ours.
  bool has_recorded(const std::string& session) const { return recorded_.contains(session); }
  /// True if the session was not claimed, or recorded, since the store was new.
  bool lacks_claim(const std::string& session) const;
  /// True if any task of a session is not done yet.
  bool waits(const std::string& session) const;
  /// True if the session is to be forgotten, and is not yet.
  bool forgets(const std::string& session) const;

private:
  /// A task that is done once, and repeated if it fails.
  struct single_task {
    bool is_wanted = false;
    bool is_sent = false;
    bool is_open() const { return is_wanted || is_sent; }
    bool is_due() const { return is_wanted && !is_sent; }
  };
  struct one {
    explicit one(std::shared_ptr<byte_total> bytes) : events{std::move(bytes)} {}

    std::string record;
    std::size_t sent_record = 0;
    single_task claiming, remembering, clearing, forgetting, giving_back, releasing;
    session_claim claim;
    /// Highest number of a query that took the session to be given back.
    std::uint64_t taken = 0;
    /// Queued events; the first `sent_events` are in flight.
    counted_queue<std::deque<saved_event>, &saved_event::bytes> events;
    std::size_t sent_events = 0;
    /// True if clearing must not wait for the next event, to make room in the store.
    bool is_too_much = false;
    bool in_turn = false;
    /// True if the tasks in flight are of a time in which the session was ours, and it is not any more.
    bool is_dropped = false;
    /// True if the session must be claimed before anything else is written of it.
    bool is_unclaimed = false;

    bool waits() const;
    /// True if its events are being cleared, or the session forgotten or released.
    bool is_discarding() const { return clearing.is_open() || forgetting.is_open() || releasing.is_open(); }
    std::optional<store_task> task() const;
    bool may_release() const;
    single_task& single_task_for(store_task what);
  };

  one& entry(const std::string& session) { return all_.try_emplace(session, bytes_).first->second; }
  bool fits(const one& of, std::size_t size) const;
  store_write begin(const std::string& session, one& of, store_task what);
  void queue(const std::string& session, one& of);
  void push(one& of, saved_event what);
  void pop(one& of);
  /// Drops matching events that are not in flight.
  template <class Condition>
  void drop_events(one& of, Condition which);
  void drop_news(one& of);
  void clear(const std::string& session, one& of);
  void forget_kept(const std::string& session);
  void end_event(one& of, store_fate fate);
  void end_task(const std::string& session, one& of, store_task what, store_fate fate);
  void tidy(const std::string& session);

  store_limits limits_;
  /// Bytes of the queued events of all sessions.
  std::shared_ptr<byte_total> bytes_ = std::make_shared<byte_total>(limits_.bytes);
  std::map<std::string, one> all_;
  /// Sessions with a record that the store has confirmed.
  std::set<std::string> recorded_;
  std::deque<std::string> turns_;
  /// Bytes of events in the store, as far as confirmed: of each session, and of all.
  std::map<std::string, std::size_t> kept_;
  std::size_t kept_bytes_ = 0;
  std::size_t events_ = 0;
  std::size_t sent_ = 0;
  std::size_t sent_bytes_ = 0;
};

} // namespace troupe::protocol

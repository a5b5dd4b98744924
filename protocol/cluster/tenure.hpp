#pragma once

#include "protocol/cluster/lost_lives.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Tenure of this node in the store: while it runs, no other node takes a session of this one. Facts in, effects out.
///
/// The store counts a tenure from the request. This side counts from before the request, and a tenth less: its view
/// ends first, even if the speeds of the two clocks differ by a tenth. It relies only on confirmations of the store.
///
/// After an interruption this node may claim its former sessions again: at once if the store knows their owners. A
/// store that comes back empty, older or as another process has lost data: then no node takes a session of another for
/// a while. A node whose tenure ran without a break keeps its sessions for that time, and claims them at once. If its
/// tenure had ended, it claims them later than all nodes whose tenure may have run in the earlier store. If data are
/// lost twice before that, it waits longer: other nodes may have taken its sessions, and must have time to notify it.
class tenure {
public:
  /// `time`: how long the tenure runs in the store after its renewal.
  explicit tenure(std::chrono::milliseconds time) : time_{time}, claim_pause_{usual_claim_pause()} {}
  /// How long no node takes a session of another after a store with tenures of `time` was found to have lost data.
  /// Until then each node has noticed it and claimed its sessions, or has lost its tenure; clock speeds may differ.
  static constexpr std::chrono::milliseconds pause_for(std::chrono::milliseconds time) { return time * 3 / 2; }
  /// How long a store that was empty, or was found to have lost data, calls no session unknown. Any node may own it:
  /// the id names only its first owner. An owner out of reach may return within the patience of the others, which
  /// begins up to one tenure after its last renewal.
  static constexpr std::chrono::milliseconds untold_for(std::chrono::milliseconds time) {
    return lost_lives::limits::patience_with(time) + time;
  }

  // -- facts
  /// The store can be queried over a connection from now on.
  store_effects reached(store_connection by, time_point now);
  store_effects lost(store_connection by, const std::string& why, time_point now);
  /// Takes the answer to the last `renew_tenure`.
  store_effects answered(const store_answer& answer, time_point now);
  /// The query of that number has taken a session.
  void took(std::uint64_t number) { seen_.taken = std::max(seen_.taken, number); }
  /// A write was refused because the tenure had ended in the store.
  store_effects refused(time_point now);
  /// The store may never have known a claimed session: the remaining claims are made as in a new store, after a pause.
  void claim_later(time_point now);
  store_effects tick(time_point now);

  // -- state after the last fact
  /// When `tick` has something to do.
  time_point deadline() const;
  /// True until the tenure has run for the first time.
  bool is_beginning() const { return !has_run(); }
  /// True while the tenure runs.
  bool is_held() const { return until_.has_value(); }
  /// True if writes may go: the store that they reach has confirmed the tenure.
  bool is_open() const { return is_open_; }
  /// Knowledge about the store since the last renewal.
  const store_sight& seen() const { return seen_; }
  /// Number of the last connection for writes. Commands of a broken one may reach the store late.
  std::uint64_t writer() const { return writer_; }
  bool reaches(store_connection by) const { return reached_[static_cast<std::size_t>(by)]; }
  bool reaches_all() const;
  /// True if the store is reached or was lost less than one tenure ago. A Redis fail-over, or a node without processor
  /// time, lasts a moment only.
  bool may_reach_soon(time_point now) const { return !unreached_since_ || now < *unreached_since_ + time_; }

private:
  store_effects change(store_connection by, bool is_reached, const std::string& why_lost, time_point now);
  void note_reached(const std::string& why_lost, store_effects& out);
  /// True if the tenure runs or ran before.
  bool has_run() const { return until_ || was_lost_; }
  bool may_renew() const;
  time_point next_renewal() const;
  void renew(time_point now, store_effects& out);
  void extend(time_point now, store_effects& out);
  void move(time_point now, store_effects& out);
  void claim_in_new_store(time_point now);
  /// Time in which the tenures of an earlier store end on all nodes; clock speeds may differ.
  std::chrono::milliseconds usual_claim_pause() const { return time_ * 5 / 4; }
  void regain(bool is_new_store, time_point now, store_effects& out);
  void see(const store_answer& answer);
  void check(time_point now, store_effects& out);
  void end(store_effects& out);

  std::chrono::milliseconds time_;
  /// Empty while all connections reach the store, and before the first was tried.
  std::optional<time_point> unreached_since_;
  /// Whether each connection reaches the store.
  std::array<bool, 3> reached_{};
  /// Whether all connections reach the store, as last logged.
  std::optional<bool> noted_reached_;
  time_point writable_since_{};
  std::uint64_t writer_ = 0;
  bool is_open_ = false;
  /// Time of the last renewal request.
  time_point asked_{};
  bool is_renewing_ = false;
  /// Number of the last renewal request.
  std::uint64_t asked_number_ = 0;
  store_sight seen_;
  /// End of the tenure on this side; empty unless it runs.
  std::optional<time_point> until_;
  bool was_lost_ = false;
  /// When to claim former sessions in a store that came back empty or never knew them.
  std::optional<time_point> claims_at_;
  /// Pause before these claims.
  std::chrono::milliseconds claim_pause_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/cluster/store_effects.hpp"
#include "protocol/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::protocol {

/// The tenure of this node in the store: as long as it runs, no other node takes a session of this one. Facts in,
/// effects out.
///
/// The store counts a tenure from when it is asked for it. This side counts from before it asks, and a tenth less: what
/// it believes ends first, though the two clocks may differ by a tenth in speed. It believes in nothing that the store
/// has not confirmed.
///
/// When it was interrupted and runs again, what was this node's before may be claimed again: at once where the store
/// knows whose it is. In one that came back empty, who has lost the tenure before comes after all whose tenure may have
/// run in the store that was there.
class tenure {
public:
  /// `time` is how long the tenure runs in the store after it was renewed.
  explicit tenure(std::chrono::milliseconds time) : time_{time} {}

  // -- facts
  /// The store can be asked over that connection from now on.
  store_effects reached(store_connection by, time_point now);
  store_effects lost(store_connection by, const std::string& why, time_point now);
  /// The answer to the last `renew_tenure`.
  store_effects answered(store_verdict is, time_point now);
  /// A write was refused since the tenure had run out in the store.
  store_effects refused(time_point now);
  /// A session that was claimed is one that the store may never have heard of: what waits is claimed as in a new store,
  /// later.
  void claim_later(time_point now);
  store_effects tick(time_point now);

  // -- what follows, as of the last fact
  /// When `tick` has something to do.
  time_point deadline() const;
  /// Whether the tenure has not run yet.
  bool is_beginning() const { return !has_run(); }
  /// Whether the tenure runs.
  bool is_held() const { return until_.has_value(); }
  /// Whether writes may go: the store that they reach has confirmed the tenure.
  bool is_open() const { return is_open_; }
  bool reaches(store_connection by) const { return reached_[static_cast<std::size_t>(by)]; }
  bool reaches_all() const;
  /// Whether the store is reached, or may be again soon: it was lost less than the time of a tenure ago. A Redis that
  /// fails over, or a node that gets no processor time, is away for a moment only.
  bool may_reach_soon(time_point now) const { return !unreached_since_ || now < *unreached_since_ + time_; }

private:
  store_effects change(store_connection by, bool is_reached, const std::string& why_lost, time_point now);
  void note_reached(const std::string& why_lost, store_effects& out);
  /// Whether it has run, now or before.
  bool has_run() const { return until_ || was_lost_; }
  bool may_renew() const;
  time_point next_renewal() const;
  void renew(time_point now, store_effects& out);
  void extend(time_point now, store_effects& out);
  void regain(bool is_new_store, bool ran, time_point now, store_effects& out);
  void check(time_point now, store_effects& out);
  void end(store_effects& out);

  std::chrono::milliseconds time_;
  /// Nothing while the store is reached by all connections, and before the first one was tried.
  std::optional<time_point> unreached_since_;
  /// By each connection.
  std::array<bool, 3> reached_{};
  /// Whether all connections do, as the log was told last.
  std::optional<bool> noted_reached_;
  time_point writable_since_{};
  bool is_open_ = false;
  /// When it was last asked for.
  time_point asked_{};
  bool is_renewing_ = false;
  /// Nothing unless it runs.
  std::optional<time_point> until_;
  bool was_lost_ = false;
  /// In a store that came back empty, or never heard of it: when what was this node's may be claimed.
  std::optional<time_point> claims_at_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/saved_event.hpp"
#include "protocol/message/message.hpp"
#include "protocol/session/session_limits.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// The id by which a refusal names what was sent; empty when it has none.
std::string first_id(const waiting_client& one);

/// The requests of clients that wait until their session is restored, or gone to another node, in the order in which
/// they came; bounded in number and bytes.
class waiting_clients {
public:
  waiting_clients(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  /// Adds a request; false when it does not fit. The first always does.
  bool push(waiting_client one);
  /// Whether a request of that id waits.
  bool has_request(std::string_view id) const;
  /// A connection is gone. Who wanted to listen waits no more; what was sent or ended stays so, as with a connection
  /// that goes later.
  void left(exchange_id exchange);
  /// Takes all of them out.
  std::vector<waiting_client> take();

private:
  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::vector<waiting_client> all_;
};

/// A session on its way to another node. Calls in flight finish here; those that come meanwhile wait, so that there is
/// a moment without one, however busy the client is. Then the session lets go: from there on everything waits, until
/// the store lets other nodes have the session and what waits is passed on to them.
class departure {
public:
  departure(std::string why, const session_limits& limits)
      : why_{std::move(why)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  const std::string& why() const { return why_; }
  void let_go() { has_let_go_ = true; }
  bool has_let_go() const { return has_let_go_; }
  /// Whether a POST waits: what begins a call does, and what cancels one that waits. Another notification, or an
  /// answer, may be what a call in flight needs.
  bool holds(const post_body& body) const;
  /// A client waits, or is refused because too much waits already.
  void let_wait(waiting_client one, effects& out);
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// What has waited goes to another node. What nobody awaits any more has never begun, and does not.
  void pass_on_all(effects& out);
  /// Nobody takes it any more: clients are to come again.
  void turn_away(effects& out);

private:
  std::string why_;
  bool has_let_go_ = false;
  waiting_clients waiting_;
};

/// A session that is being restored, until its new server has initialized: the kept events of its streams, and the
/// requests of clients that wait.
class restoration {
public:
  restoration(std::vector<saved_event> events, const session_limits& limits)
      : events_{std::move(events)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  const std::vector<saved_event>& events() const { return events_; }
  /// A client waits, or is refused because too much waits already.
  void let_wait(waiting_client one, effects& out);
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// The requests that waited, in the order in which they came; none waits afterwards.
  std::vector<waiting_client> take_clients() { return waiting_.take(); }
  /// The session ends before it began again. `for_now` says why, when it may begin later or at another node; else it is
  /// gone.
  void turn_away(const std::optional<std::string>& for_now, effects& out);

private:
  std::vector<saved_event> events_;
  waiting_clients waiting_;
};

/// Removes, from the effects beginning with `first`, those that answer an exchange whose connection is gone.
void drop_answers(effects& all, std::size_t first, exchange_id to);

/// What a session has decided while nobody knows whether it is still this node's: it is carried out when it is. Of the
/// records only the latest counts.
class held_effects {
public:
  /// Of one session: effects, and their bytes, those of their texts among them.
  static constexpr std::size_t most = 1'000;
  static constexpr std::size_t most_bytes = 4 * 1024 * 1024;

  /// `all` counts the bytes of what waits in all sessions, and may be null: while those have too many, this one may
  /// have as many as a backlog has then.
  explicit held_effects(std::shared_ptr<byte_total> all) : counted_{std::move(all)} {}

  void add(effects more);
  /// Why the session cannot wait any longer; nothing when it can. One that is over has nothing to wait for: what the
  /// store has of it is for whoever owns it.
  std::optional<std::string_view> trouble() const;
  /// The session is claimed with a record of its own.
  void drop_record();
  /// All, in the order in which it was decided.
  effects take();

  std::size_t bytes() const { return counted_.bytes(); }

private:
  counted_bytes counted_;
  effects held_;
  bool is_over_ = false;
};

} // namespace troupe::protocol

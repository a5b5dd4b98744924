#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Returns the id of a client's request for a refusal; empty if it has none.
std::string first_id(const waiting_client& one);
/// Size of the texts of a client's request, in bytes.
std::size_t bytes_of_client(const waiting_client& one);
/// Size of an effect with its texts, in bytes.
std::size_t bytes_of_effect(const effect& one);

/// Queue of client requests that wait until their session is restored, or has moved to another node; limited in number
/// and bytes.
class waiting_clients {
public:
  waiting_clients(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  /// Adds a request, or refuses it with `full` if it does not fit. The first always fits.
  void add(waiting_client one, const char* full, effects& out);
  /// True if a POST belongs behind the waiting ones: one that begins a call, or cancels a waiting one. Other
  /// notifications and responses pass, because a request of the gateway or a call in flight may need them.
  bool holds(const post_body& body) const;
  /// A connection is gone. Removes the exchange if its client wanted to listen. A POST or DELETE stays valid, as for a
  /// connection lost later.
  void left(exchange_id exchange);
  /// Takes all requests out.
  std::vector<waiting_client> extract_all() { return all_.extract_all(); }

private:
  bool has_request(std::string_view id) const;

  std::size_t most_;
  std::size_t most_bytes_;
  counted_queue<std::vector<waiting_client>, bytes_of_client> all_;
};

/// A session on its move to another node. Calls in flight finish here, and new ones wait, so that a moment without
/// calls comes even for a busy client. Then the session lets go: everything waits until the store releases the session
/// and the waiting requests are passed on.
class departure {
public:
  departure(std::string why, const session_limits& limits)
      : why_{std::move(why)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  const std::string& why() const { return why_; }
  /// True if a POST must wait even before the session lets go.
  bool holds(const post_body& body) const { return waiting_.holds(body); }
  /// Queues a client's request, or refuses it if too much waits.
  void let_wait(waiting_client one, effects& out) {
    waiting_.add(std::move(one), "too much waits for the session to move to another node", out);
  }
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// Passes waiting requests on to another node, and drops those without a connection: they have never begun.
  void pass_on_all(effects& out);
  /// Refuses waiting requests: the move failed, and clients are to retry.
  void reject_all(effects& out);

private:
  std::string why_;
  waiting_clients waiting_;
};

/// A session that is being restored: the stored events of its streams, and the waiting requests of clients. All wait
/// until the new server has initialized; calls wait until it has answered the settings that the gateway repeats, too,
/// because over HTTP they would overtake these.
class restoration {
public:
  /// Limit of the time in which calls wait for the answers to the repeated settings.
  static constexpr auto settings_patience = std::chrono::seconds{5};

  restoration(std::vector<saved_event> events, const session_limits& limits)
      : events_{std::move(events)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  /// Takes the stored events out.
  std::vector<saved_event> extract_events() { return std::exchange(events_, {}); }
  /// The new server has initialized, and gets the settings.
  void initialized(time_point now) { deadline_ = now + settings_patience; }
  bool is_initialized() const { return deadline_ != time_point::max(); }
  /// Time when nothing waits any longer; max() until the new server has initialized.
  time_point deadline() const { return deadline_; }
  /// True if a client's request must wait.
  bool holds(const waiting_client& one) const;
  /// Queues a client's request, or refuses it if too much waits.
  void let_wait(waiting_client one, effects& out) {
    waiting_.add(std::move(one), "too much waits for the session to be restored", out);
  }
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// Takes the waiting requests out, in order of arrival.
  std::vector<waiting_client> extract_clients() { return waiting_.extract_all(); }
  /// The session ends before it is restored, for this reason. It may be restored later or at another node.
  void reject_all(const std::string& why, effects& out);

private:
  std::vector<saved_event> events_;
  time_point deadline_ = time_point::max();
  waiting_clients waiting_;
};

/// A session that has ended for good, but may still be in the store: if this node exited now, it would be restored.
/// Requests wait until the store has forgotten the session. After `patience` they are refused with 503.
class pending_end {
public:
  /// Longer than the time limit of a request to the store.
  static constexpr auto patience = std::chrono::seconds{3};

  pending_end(std::string why, const session_limits& limits)
      : why_{std::move(why)}, waiting_{limits.waiting, limits.waiting_bytes} {}

  const std::string& why() const { return why_; }
  /// Queues a client's request, or refuses it if too much waits.
  void let_wait(waiting_client one, time_point now, effects& out);
  /// The connection of a client that may wait is gone.
  void left(exchange_id exchange) { waiting_.left(exchange); }
  /// The gateway is about to stop: the session ends once no client waits.
  void close() { closes_ = true; }
  bool may_end() const { return closes_ && !is_awaited(); }
  /// True if a client waits.
  bool is_awaited() const { return deadline_ != time_point::max(); }
  /// Time when the waiting clients are refused; max() if none waits.
  time_point deadline() const { return deadline_; }
  /// The store has forgotten the session: confirms each DELETE. Other requests find no session.
  void confirm_all(effects& out);
  /// Asks the waiting clients to try again.
  void refuse_all(effects& out);

private:
  std::vector<waiting_client> extract_clients();

  std::string why_;
  waiting_clients waiting_;
  time_point deadline_ = time_point::max();
  bool closes_ = false;
};

/// Error of a call whose session another node may own.
inline constexpr const char* answer_lost =
    "The session may have moved to another node before the call was answered; the call may have run";

/// Answers for the clients of a session that another node may own. `failed` are effects of its end; answers among the
/// `held` effects become errors, as their calls have run. Each exchange gets its answer without a stream.
effects answers_of_given_up(const effects& held, effects failed);

/// Removes effects, from index `first` on, that answer an exchange without a connection.
void drop_answers(effects& all, std::size_t first, exchange_id to);

/// Effects held back while it is unknown whether the session is still this node's. They are carried out once that is
/// confirmed. Of the records only the latest is held.
class held_effects {
public:
  /// Limits for one session: effects, and their bytes with their texts.
  static constexpr std::size_t most = 1'000;
  static constexpr std::size_t most_bytes = 4 * 1024 * 1024;

  /// `all` counts the held bytes of all sessions; may be null. While those have too many, this session may hold as much
  /// as a backlog then may.
  explicit held_effects(std::shared_ptr<byte_total> all) : held_{std::move(all)} {}

  void add(effects more);
  /// Returns why the session cannot wait any longer; empty if it can. A session that has ended does not wait: its data
  /// in the store belong to the owner.
  std::optional<std::string_view> failure() const;
  /// Drops the held record: the session is claimed with a newer one.
  void drop_record();
  /// Takes all held effects out, in order.
  effects extract_all();

  std::size_t bytes() const { return held_.bytes(); }

private:
  counted_queue<effects, bytes_of_effect> held_;
  bool is_over_ = false;
};

} // namespace troupe::protocol

#pragma once

#include "actors/operator_messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/session/state_report.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Reports that a gathering actor awaits: one from each queried actor. A time limit covers actors that end before they
/// answer. Keeps the gathering actor alive meanwhile: actors that end may hold its last other handle.
template <class Interface>
class awaited_reports {
public:
  awaited_reports(pinned<Interface>* self, std::size_t asked) : missing_{asked}, reminder_{self->at()} {}

  /// Starts to wait. The actor gets a `tick` after 500 milliseconds; at once when no actor was queried.
  void begin(pinned<Interface>* self) {
    constexpr std::chrono::milliseconds patience{500};
    alive_ = caf::actor_cast<Interface>(self);
    reminder_.set(self->address(), self->at().now() + (missing_ == 0 ? patience.zero() : patience));
  }
  /// Counts a report, which announces `more` others. True if it was the last.
  bool took_last(std::size_t more = 0) {
    missing_ += more;
    return --missing_ == 0;
  }
  /// Call when the `tick` has arrived.
  void are_late() { reminder_.arrived(); }

private:
  Interface alive_;
  std::size_t missing_;
  reminder reminder_;
};

/// A JSON text, or why there is none.
using answer_or_rejection = std::variant<std::string, protocol::rejection>;

/// Sends the text or the rejection to a broker.
template <class Self>
void answer_with(Self* self, const broker_actor& to, answer_or_rejection made) {
  if (auto* text = std::get_if<std::string>(&made))
    self->send(to, http_reply{std::move(*text), {}});
  else
    self->send(to, http_rejected{std::get<protocol::rejection>(std::move(made))});
}

/// COLLECTOR: gathers the counts of all sessions and servers for one request of `/debug/state` or of an operator.
/// Answers when all have reported, or after a time limit: a session may end while it is queried.
class collector_state {
public:
  using interface = collector_actor;
  static constexpr const char* name = "collector";

  /// Makes the answer, or says why there is none.
  using writer = std::function<answer_or_rejection(const protocol::state_report& all)>;

  /// `asked` is the number of queried actors.
  collector_state(pinned<interface>* self, broker_actor to, std::size_t asked,
                  std::shared_ptr<const live_count> brokers, writer write = protocol::json_text);
  interface::behavior_type make_behavior();

private:
  void answer();

  pinned<interface>* self_;
  broker_actor to_;
  awaited_reports<interface> awaited_;
  std::shared_ptr<const live_count> brokers_;
  writer write_;
  protocol::state_report report_;
};

using collector = actor_of<collector_state>;

/// LISTER: gathers descriptions of sessions for one request of an operator. Answers when all have reported, or after a
/// time limit. Sessions that have ended or are too busy appear as the registry knew them.
class session_collector_state {
public:
  using interface = session_collector_actor;
  static constexpr const char* name = "lister";
  /// Makes the answer, or says why there is none.
  using writer = std::function<answer_or_rejection(std::vector<protocol::live_session> all)>;

  /// `asked` are the queried sessions, as far as the registry knows them.
  session_collector_state(pinned<interface>* self, broker_actor to, std::vector<protocol::live_session> asked,
                          writer write);
  interface::behavior_type make_behavior();

private:
  void add(protocol::live_session&& what);
  void answer();

  pinned<interface>* self_;
  broker_actor to_;
  awaited_reports<interface> awaited_;
  writer write_;
  /// Sessions in the order of their numbers.
  std::vector<protocol::live_session> all_;
};

using session_collector = actor_of<session_collector_state>;

} // namespace troupe::actors

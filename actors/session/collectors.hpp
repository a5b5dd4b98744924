#pragma once

#include "actors/messages.hpp"
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

/// What an actor waits for that gathers reports: one from each actor that was asked, or a time limit, since an actor
/// may end before it has answered. Keeps its own actor alive meanwhile: actors that end may have the last other handle.
template <class Interface>
class awaited_reports {
public:
  awaited_reports(pinned<Interface>* self, std::size_t asked) : missing_{asked}, reminder_{self->at()} {}

  /// The actor begins. It gets a `tick` when the time is over; at once when nobody was asked.
  void begin(pinned<Interface>* self) {
    constexpr std::chrono::milliseconds patience{500};
    alive_ = caf::actor_cast<Interface>(self);
    reminder_.set(self->address(), self->at().now() + (missing_ == 0 ? patience.zero() : patience));
  }
  /// One has come, and says that `more` will. True when it was the last.
  bool took_last(std::size_t more = 0) {
    missing_ += more;
    return --missing_ == 0;
  }
  /// The `tick` has come.
  void are_late() { reminder_.arrived(); }

private:
  Interface alive_;
  std::size_t missing_;
  reminder reminder_;
};

/// A JSON text, or why there is none.
using made_answer = std::variant<std::string, protocol::rejection>;

/// Tells a broker.
template <class Self>
void answer_with(Self* self, const broker_actor& to, made_answer made) {
  if (auto* text = std::get_if<std::string>(&made))
    self->send(to, http_reply{std::move(*text), {}});
  else
    self->send(to, http_rejected{std::get<protocol::rejection>(std::move(made))});
}

/// COLLECTOR: gathers the counts of all sessions and servers for one request of `/debug/state` or of an operator.
/// Answers when all have reported, or after a time limit: a session may end while it is asked.
class collector_state {
public:
  using interface = collector_actor;
  static constexpr const char* name = "collector";

  /// Makes the answer, or says why there is none.
  using writer = std::function<made_answer(const protocol::state_report& all)>;

  /// `asked` is the number of those that were asked.
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

/// LISTER: gathers what sessions say of themselves for one request of an operator. Answers when all have spoken, or
/// after a time limit: of a session that ends while it is asked, or has no time, there is what was known before.
class lister_state {
public:
  using interface = lister_actor;
  static constexpr const char* name = "lister";
  /// Makes the answer, or says why there is none.
  using writer = std::function<made_answer(std::vector<protocol::live_session> all)>;

  /// `asked` are those that are asked, as far as they are known.
  lister_state(pinned<interface>* self, broker_actor to, std::vector<protocol::live_session> asked, writer write);
  interface::behavior_type make_behavior();

private:
  void take(protocol::live_session&& what);
  void answer();

  pinned<interface>* self_;
  broker_actor to_;
  awaited_reports<interface> awaited_;
  writer write_;
  /// By number.
  std::vector<protocol::live_session> all_;
};

using lister = actor_of<lister_state>;

} // namespace troupe::actors

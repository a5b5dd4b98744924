#pragma once

#include "actors/messages.hpp"
#include "actors/upstream/stdio_wire.hpp"
#include "protocol/modern/session_face.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::actors {

/// The wire to a server on stdio, and the face by which a server of 2026-07-28 looks like one of the session era, as
/// long as there is need for one. In the actor that owns the child, which tells it what happens, and hears from it what
/// the user hears.
class faced_wire {
public:
  /// Starts a child.
  using starter = std::function<std::unique_ptr<stdio_wire>()>;

  /// `is_modern`: the server is known to speak 2026-07-28. The SERVER is told when that turns out to be otherwise.
  faced_wire(starter start, server_actor server, bool is_modern);

  // -- what the user hears of a fact
  std::vector<protocol::show_user> write(protocol::message&& what, protocol::time_point now);
  /// The child is gone.
  std::vector<protocol::show_user> lost(protocol::time_point now, bool is_shortage);
  std::vector<protocol::show_user> tick(protocol::time_point now);
  /// The server said that. `show` may destroy this.
  template <class Show>
  void hear(protocol::message&& what, protocol::time_point now, Show show) {
    if (!face_)
      return show(protocol::show_user{std::move(what)});
    for (auto& one : carry_out(face_->server_sent(std::move(what), now), now))
      show(std::move(one));
  }

  /// The child is gone, and no other was started in its place.
  bool is_lost() const { return lost_; }
  /// When `tick` has something to do.
  protocol::time_point deadline() const { return face_ ? face_->deadline() : protocol::time_point::max(); }
  stdio_wire* operator->() { return wire_.get(); }
  const stdio_wire* operator->() const { return wire_.get(); }

private:
  std::vector<protocol::show_user> carry_out(protocol::face_effects effects, protocol::time_point now);
  void apply(protocol::show_user& effect) { shown_.push_back(std::move(effect)); }
  void apply(protocol::send_server& effect);
  void apply(const protocol::note_era& effect);
  void apply(const protocol::start_again&);
  void apply(protocol::log_note& effect) { wire_->log_note(std::move(effect)); }

  starter start_;
  std::unique_ptr<stdio_wire> wire_;
  bool lost_ = false;
  server_actor server_;
  /// Null when the server is known to be of the session era.
  std::unique_ptr<protocol::session_face> face_;
  std::vector<protocol::show_user> shown_;
  /// Errors in place of answers, for what the child does not read.
  std::vector<protocol::message> refused_;
};

} // namespace troupe::actors

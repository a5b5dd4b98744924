#pragma once

#include "actors/messages.hpp"
#include "actors/upstream/stdio_wire.hpp"
#include "actors/upstream/upstream_face.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::actors {

/// The wire to a server on stdio, and the face above it. In the actor that owns the child, which tells it what happens,
/// and hears from it what the user hears.
class faced_wire : private server_path {
public:
  /// Starts a child.
  using starter = std::function<std::unique_ptr<stdio_wire>()>;

  /// `known` is what the server was found to speak before.
  faced_wire(starter start, server_actor server, protocol::server_era known);

  // -- what the user hears of a fact
  /// `envelope`: see `protocol::stateless_server`.
  upstream_face::shown write(protocol::message&& what, protocol::time_point now,
                             protocol::envelope_of_user envelope = nullptr) {
    return face_.user_sent(std::move(what), now, std::move(envelope));
  }
  /// The child is gone.
  upstream_face::shown lost(protocol::time_point now, bool is_shortage) {
    lost_ = true;
    return face_.server_lost(now, is_shortage);
  }
  upstream_face::shown tick(protocol::time_point now) { return face_.tick(now); }
  /// The server said that. `show` may destroy this.
  template <class Show>
  void hear(protocol::message&& what, protocol::time_point now, Show show) {
    face_.server_sent(std::move(what), now, std::move(show));
  }

  /// The child is gone, and no other was started in its place.
  bool is_lost() const { return lost_; }
  /// When `tick` has something to do.
  protocol::time_point deadline() const { return face_.deadline(); }
  stdio_wire* operator->() { return wire_.get(); }
  const stdio_wire* operator->() const { return wire_.get(); }

private:
  std::optional<protocol::message> pass(protocol::message&& what) override { return wire_->write(std::move(what)); }
  void start_again() override;
  /// Its user stops it.
  void give_up(const std::string&) override {}
  void note(protocol::log_note&& line) override { wire_->log_note(std::move(line)); }

  starter start_;
  std::unique_ptr<stdio_wire> wire_;
  bool lost_ = false;
  upstream_face face_;
};

} // namespace troupe::actors

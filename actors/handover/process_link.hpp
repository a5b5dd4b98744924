#pragma once

#include "actors/cluster_messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/frame_stream.hpp"
#include "protocol/handover/process_watch.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace troupe::actors {

/// Messages between two processes about requests, as between nodes.
using relay_word = std::variant<relay_request, relay_taken, relay_closed, relay_answer>;

/// Serializes a message. `read_frame` is the inverse; empty if the bytes are invalid.
std::string frame_of(caf::actor_system& system, relay_word& what);
std::optional<relay_word> read_frame(caf::actor_system& system, const std::string& text);

/// PROCESS_LINK: connection to the other process. Exits when that is gone or sends an invalid frame.
class process_link_state {
public:
  using interface = process_link_actor;
  static constexpr const char* name = "process_link";

  /// `gate` receives the requests of the other process, `peer` its answers and signs.
  process_link_state(pinned<interface>* self, net::io_thread& thread,
                     const std::shared_ptr<net::owned_descriptor>& socket, gate_actor gate, handover_peer_actor peer);
  interface::behavior_type make_behavior();

private:
  template <class Word>
  void tell(Word& what);
  void receive_frame(const std::string& text);
  template <class Word>
  void pass_on(Word& what) {
    self_->send(gate_, std::move(what));
  }
  void pass_on(relay_answer& what) { self_->send(peer_, std::move(what)); }

  pinned<interface>* self_;
  gate_actor gate_;
  handover_peer_actor peer_;
  net::frame_stream stream_;
};

} // namespace troupe::actors

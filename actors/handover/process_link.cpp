#include "actors/handover/process_link.hpp"

#include "actors/handover/relay_frames.hpp"

#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

/// Gives a message to an actor that may have ended.
template <class Message>
auto to_actor(caf::actor_addr who) {
  return [who = std::move(who)](auto... what) {
    if (auto alive = caf::actor_cast<caf::actor>(who))
      caf::anon_send(alive, Message{std::move(what)...});
  };
}

} // namespace

process_link_state::process_link_state(pinned<interface>* self, net::io_thread& thread,
                                       const std::shared_ptr<net::owned_descriptor>& socket, gate_actor gate,
                                       remote_router_actor router)
    : self_{self}, gate_{std::move(gate)}, router_{std::move(router)}, stream_{
                                                                           thread, std::move(*socket),
                                                                           to_actor<process_said>(self->address()),
                                                                           to_actor<process_gone>(self->address())} {}

/// What was said to it before its owner ended goes out.
process_link_actor::behavior_type process_link_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg&) { self_->send(self_, process_gone{}); });
  return {
      [](peer_hello&) {}, // only nodes say who they are,
      [this](relay_request& msg) { tell(msg); },
      [this](relay_taken& msg) { tell(msg); },
      [this](relay_closed& msg) { tell(msg); },
      [](session_taken&) {}, // and take sessions from each other
      [this](relay_answer& msg) { tell(msg); },
      [this](process_said& msg) { take(msg.text); },
      [this](process_gone&) { self_->quit(); },
  };
}

template <class Word>
void process_link_state::tell(Word& what) {
  relay_word word{std::move(what)};
  stream_.write(frame_of(self_->system(), word));
}

void process_link_state::take(const std::string& text) {
  auto word = read_frame(self_->system(), text);
  if (!word)
    return self_->quit(caf::exit_reason::unhandled_exception);
  std::visit([this](auto& what) { hear(what); }, *word);
}

} // namespace troupe::actors

#include "actors/handover/process_link.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace troupe::actors {

namespace {

template <class Word>
std::optional<relay_word> read_word(caf::binary_deserializer& from) {
  Word result;
  if (inspect(from, result) || from.remaining() != 0)
    return std::nullopt;
  return result;
}

using word_reader = std::optional<relay_word> (*)(caf::binary_deserializer&);

/// Readers by the first byte of a frame, the index of the message type.
template <std::size_t... I>
constexpr std::array<word_reader, sizeof...(I)> readers_of(std::index_sequence<I...>) {
  return {read_word<std::variant_alternative_t<I, relay_word>>...};
}
constexpr auto readers = readers_of(std::make_index_sequence<std::variant_size_v<relay_word>>{});

/// Sends a message to an actor that may have ended.
template <class Message>
auto to_actor(caf::actor_addr who) {
  return [who = std::move(who)](auto... what) { send_if_alive(who, Message{std::move(what)...}); };
}

} // namespace

std::string frame_of(caf::actor_system& system, relay_word& what) {
  std::vector<char> bytes{static_cast<char>(what.index())};
  caf::binary_serializer to{system, bytes};
  std::visit([&](auto& word) { inspect(to, word); }, what);
  return {bytes.begin(), bytes.end()};
}

std::optional<relay_word> read_frame(caf::actor_system& system, const std::string& text) {
  const auto which = text.empty() ? readers.size() : static_cast<std::size_t>(static_cast<unsigned char>(text.front()));
  if (which >= readers.size())
    return std::nullopt;
  caf::binary_deserializer from{system, text.data() + 1, text.size() - 1};
  return readers[which](from);
}

process_link_state::process_link_state(pinned<interface>* self, net::io_thread& thread,
                                       const std::shared_ptr<net::owned_descriptor>& socket, gate_actor gate,
                                       handover_peer_actor peer)
    : self_{self}, gate_{std::move(gate)}, peer_{std::move(peer)}, stream_{thread, std::move(*socket),
                                                                           to_actor<process_said>(self->address()),
                                                                           to_actor<process_gone>(self->address())} {}

/// Exits through a message to itself: messages that were queued before its owner exited are sent.
process_link_actor::behavior_type process_link_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg&) { self_->send(self_, process_gone{}); });
  return {
      [](peer_hello&) {}, // nodes only
      [this](relay_request& msg) { tell(msg); },
      [this](relay_taken& msg) { tell(msg); },
      [this](relay_closed& msg) { tell(msg); },
      [](session_taken&) {}, // nodes only
      [this](relay_answer& msg) { tell(msg); },
      [this](process_said& msg) { receive_frame(msg.text); },
      [this](process_gone&) { self_->quit(); },
      [this](process_sign& msg) { stream_.write(protocol::sign_frame(msg.is)); },
  };
}

template <class Word>
void process_link_state::tell(Word& what) {
  relay_word word{std::move(what)};
  stream_.write(frame_of(self_->system(), word));
}

void process_link_state::receive_frame(const std::string& text) {
  if (const auto sign = protocol::read_sign(text))
    return self_->send(peer_, process_sign{*sign});
  auto word = read_frame(self_->system(), text);
  if (!word)
    return self_->quit(caf::exit_reason::unhandled_exception);
  std::visit([this](auto& what) { pass_on(what); }, *word);
}

} // namespace troupe::actors

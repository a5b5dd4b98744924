#include "actors/handover/handover.hpp"

#include "actors/handover/handover_peer.hpp"
#include "net/crypto.hpp"
#include "net/frame_stream.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace actors {

namespace {

/// Longest wait for the other process's card. It is already sent when this process reads it.
constexpr std::chrono::milliseconds card_patience{1000};

/// Longest wait for the older process to hand over, once this one is ready.
constexpr std::chrono::milliseconds hand_over_patience{10'000};
/// Prefix of the older process's confirmation. Its life follows: the first card of the link does not have it.
constexpr std::string_view handed_over = "handed over ";

/// Makes the card that a process shows to another: as between nodes, so that both can check their versions.
protocol::node_card own_card() {
  return {protocol::versions_text(protocol::versions_spoken_here()), {net::random_64(), net::random_64()}, "process"};
}

protocol::node_card read_card_of(int link) {
  const auto text = net::read_frame(link, card_patience);
  const auto card = text ? protocol::read_card(*text) : std::nullopt;
  if (!card)
    throw std::runtime_error{"the other process does not say that it is a gateway"};
  if (const auto why = protocol::why_strange(card->version, own_card().version); !why.empty())
    throw std::runtime_error{"the other process is of another release: " + why};
  return *card;
}

void show(const protocol::node_card& card, int link) {
  if (!net::write_frame(link, protocol::card_text(card)))
    throw std::runtime_error{"the other process is gone"};
}

handover_peer_setup setup_between(const protocol::node_card& self, protocol::node_life other,
                                  std::shared_ptr<net::owned_descriptor> link, const handover_home& at) {
  auto& first = *at.units.front();
  handover_peer_setup result{self.life, other, at.thread, std::move(link), at.units};
  result.keep_token = token_keeper_of(at.callers, first);
  result.token_of = token_finder_of(at.callers, first);
  return result;
}

} // namespace

listening_sockets handed_sockets(int clients, std::optional<int> admin) {
  net::owned_descriptor one{clients};
  net::owned_descriptor other{admin.value_or(-1)};
  if (!one || (admin && !other))
    throw std::runtime_error{"no descriptor is left"};
  return {one.release(), other.release()};
}

handover::handover(int link)
    : self_{own_card()}, link_{link < 0 ? nullptr : std::make_shared<net::owned_descriptor>(link)} {
  if (link_)
    read_card_of(link_->get());
}

void handover::watch(registry_setup& to) {
  to.on_use = [this](bool has_sessions, bool has_other) { change_use(has_sessions, has_other); };
}

void handover::take_over(const handover_home& at, const registry_actor& registry) {
  if (!link_)
    return;
  show(self_, link_->get());
  const auto word = net::read_frame(link_->get(), hand_over_patience).value_or("");
  const auto life = word.starts_with(handed_over) ? protocol::read_life(word.substr(handed_over.size())) : std::nullopt;
  if (!life)
    throw std::runtime_error{"the process before has not handed over"};
  use_.with([](use& now) { now.awaits_other = true; });
  handover_peer_actor before = at.system.spawn<handover_peer>(std::ref(*at.units.front()), registry,
                                                              setup_between(self_, *life, std::move(link_), at));
  caf::anon_send(registry, handover_peer_known{std::move(before)});
}

void handover::check_is_alone() const {
  const auto [is_handed_over, has_other] = use_.with([](const use& now) {
    return std::pair{now.is_handed_over, now.has_other || now.awaits_other};
  });
  if (is_handed_over)
    throw std::runtime_error{"it has handed over to another process already"};
  if (has_other)
    throw std::runtime_error{"the process before this one has sessions yet"};
}

/// Hands over. The newer process is notified after the registry knows of it: no request for its sessions is lost.
void handover::hand_over(int link, std::function<void()> then, std::chrono::milliseconds time, const handover_home& at,
                         const registry_actor& registry, const std::function<void()>& leave_to_it) {
  auto other = std::make_shared<net::owned_descriptor>(link);
  check_is_alone();
  if (net::is_abandoned(link))
    throw std::runtime_error{"the other process has ended before it served"};
  const auto card = read_card_of(link);
  auto unnotified = net::copy_of(*other);
  use_.with([&](use& now) {
    now.is_handed_over = true;
    now.unnotified = std::move(unnotified);
    now.then = std::move(then);
  });
  auto& first = *at.units.front();
  auto setup = setup_between(self_, card.life, std::move(other), at);
  setup.until = first.now() + time;
  setup.then = [this] { finish(); };
  handover_peer_actor after = at.system.spawn<handover_peer>(std::ref(first), registry, std::move(setup));
  leave_to_it();
  caf::anon_send(registry, handover_peer_known{std::move(after), true});
}

void handover::change_use(bool has_sessions, bool has_other) {
  const auto is_over = use_.with([&](use& now) {
    now.has_sessions = has_sessions;
    now.has_other = has_other;
    if (has_other)
      now.awaits_other = false;
    if (const auto unnotified = has_other ? std::move(now.unnotified) : net::owned_descriptor{})
      net::write_frame(unnotified.get(), std::string{handed_over} + protocol::life_text(self_.life));
    return now.is_handed_over && !has_sessions;
  });
  if (is_over)
    finish();
}

void handover::finish() {
  if (auto then = use_.with([](use& now) { return std::exchange(now.then, {}); }))
    then();
}

} // namespace actors

process_link make_process_link() {
  auto ends = net::make_socket_pair();
  actors::show(actors::own_card(), ends.first.get());
  return {ends.first.release(), ends.second.release()};
}

} // namespace troupe

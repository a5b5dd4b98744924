#include "actors/gateway/succession.hpp"

#include "actors/gateway/shown_tokens.hpp"
#include "actors/upgrade/other_process.hpp"
#include "net/frame_stream.hpp"
#include "net/random.hpp"
#include "protocol/cluster/spoken_versions.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace actors {

namespace {

/// What the other process says first is there by the time it is asked for.
constexpr std::chrono::milliseconds card_patience{1000};

/// How long the process before may take to hand over, once this one is ready.
constexpr std::chrono::milliseconds hand_over_patience{10'000};
/// What it says then, and its life, which its first word could not have.
constexpr std::string_view handed_over = "handed over ";

/// To another process: the same as a node's to others, so that both know whether they understand each other.
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

other_process_setup setup_between(const protocol::node_card& self, protocol::node_life other,
                                  std::shared_ptr<net::owned_descriptor> link, const succession_home& at) {
  auto& first = *at.units.front();
  other_process_setup result{self.life, other, at.thread, std::move(link), at.units};
  result.keep_token = token_keeper_of(at.callers, first);
  result.token_of = token_finder_of(at.callers, first);
  return result;
}

} // namespace

listening_sockets duplicates_of(const net::listener& clients, const admin_desk* admin) {
  net::owned_descriptor one{clients.duplicate()};
  net::owned_descriptor other{admin ? admin->duplicate() : -1};
  if (!one || (admin && !other))
    throw std::runtime_error{"no descriptor is left"};
  return {one.release(), other.release()};
}

succession::succession(int link)
    : self_{own_card()}, link_{link < 0 ? nullptr : std::make_shared<net::owned_descriptor>(link)} {
  if (link_)
    read_card_of(link_->get());
}

void succession::watch(registry_setup& to) {
  to.on_use = [this](bool has_sessions, bool has_other) { change_use(has_sessions, has_other); };
}

void succession::take_over(const succession_home& at, const registry_actor& registry) {
  if (!link_)
    return;
  show(self_, link_->get());
  const auto word = net::read_frame(link_->get(), hand_over_patience).value_or("");
  const auto life = word.starts_with(handed_over) ? protocol::read_life(word.substr(handed_over.size())) : std::nullopt;
  if (!life)
    throw std::runtime_error{"the process before has not handed over"};
  use_.with([](use& now) { now.awaits_other = true; });
  other_process_actor before = at.system.spawn<other_process>(std::ref(*at.units.front()), registry,
                                                              setup_between(self_, *life, std::move(link_), at));
  caf::anon_send(registry, other_process_known{std::move(before)});
}

void succession::check_is_alone() const {
  const auto [is_handed_over, has_other] = use_.with([](const use& now) {
    return std::pair{now.is_handed_over, now.has_other || now.awaits_other};
  });
  if (is_handed_over)
    throw std::runtime_error{"it has handed over to another process already"};
  if (has_other)
    throw std::runtime_error{"the process before this one has sessions yet"};
}

/// The other process hears of it once the registry has: then no request for its sessions is lost here.
void succession::hand_over(int link, std::function<void()> then, std::chrono::milliseconds time,
                           const succession_home& at, const registry_actor& registry,
                           const std::function<void()>& leave_to_it) {
  auto other = std::make_shared<net::owned_descriptor>(link);
  check_is_alone();
  if (net::is_abandoned(link))
    throw std::runtime_error{"the other process has ended before it served"};
  const auto card = read_card_of(link);
  auto untold = net::copy_of(*other);
  use_.with([&](use& now) {
    now.is_handed_over = true;
    now.untold = std::move(untold);
    now.then = std::move(then);
  });
  auto& first = *at.units.front();
  auto setup = setup_between(self_, card.life, std::move(other), at);
  setup.until = first.now() + time;
  setup.then = [this] { finish(); };
  other_process_actor after = at.system.spawn<other_process>(std::ref(first), registry, std::move(setup));
  leave_to_it();
  caf::anon_send(registry, other_process_known{std::move(after), true});
}

void succession::change_use(bool has_sessions, bool has_other) {
  const auto is_over = use_.with([&](use& now) {
    now.has_sessions = has_sessions;
    now.has_other = has_other;
    if (has_other)
      now.awaits_other = false;
    if (const auto untold = has_other ? std::move(now.untold) : net::owned_descriptor{})
      net::write_frame(untold.get(), std::string{handed_over} + protocol::life_text(self_.life));
    return now.is_handed_over && !has_sessions;
  });
  if (is_over)
    finish();
}

void succession::finish() {
  if (auto then = use_.with([](use& now) { return std::exchange(now.then, {}); }))
    then();
}

} // namespace actors

process_link make_process_link() {
  auto [here, there] = net::make_socket_pair();
  actors::show(actors::own_card(), here.get());
  return {here.release(), there.release()};
}

} // namespace troupe

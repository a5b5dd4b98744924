#include "actors/handover/handover.hpp"

#include "actors/handover/handover_peer.hpp"
#include "net/crypto.hpp"
#include "net/frame_stream.hpp"
#include "protocol/handover/predecessor.hpp"
#include "protocol/handover/process_watch.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace actors {

namespace {

/// Longest wait for the other process's card. It is already sent when this process reads it.
constexpr std::chrono::milliseconds card_patience{1000};

/// Prefix of the older process's confirmation. Its life follows: the first card of the link does not have it.
constexpr std::string_view handed_over = "handed over ";

/// Makes the card that a process shows to another: as between nodes, so that both can check their versions.
protocol::node_card own_card() {
  return {protocol::versions_text(protocol::versions_spoken_here()),
          {net::random_64(), net::random_64()},
          std::string{protocol::signing_process}};
}

bool gives_signs(const protocol::node_card& card) { return card.name.starts_with(protocol::signing_process); }

protocol::node_card read_card_of(int link) {
  const auto text = net::read_frame(link, card_patience);
  const auto card = text ? protocol::read_card(*text) : std::nullopt;
  if (!card)
    throw std::runtime_error{"the other process does not say that it is a gateway"};
  if (const auto why = protocol::why_strange(card->version, own_card().version); !why.empty())
    throw std::runtime_error{"the other process is of another release: " + why};
  return *card;
}

handover_peer_setup setup_between(const protocol::node_card& self, protocol::node_life other, bool has_signs,
                                  std::shared_ptr<net::owned_descriptor> link, const handover_home& at) {
  auto& first = *at.units.front();
  handover_peer_setup result{self.life, other, at.thread, std::move(link), at.units};
  result.keep_token = token_keeper_of(at.callers, first);
  result.token_of = token_finder_of(at.callers, first);
  result.has_signs = has_signs;
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

handover::handover(int link, event_log log)
    : log_{std::move(log)}, self_{own_card()}, link_{link < 0 ? nullptr
                                                              : std::make_shared<net::owned_descriptor>(link)} {
  if (!link_)
    return;
  older_ = net::other_process{net::maker_of(link)};
  has_older_signs_ = gives_signs(read_card_of(link));
}

void handover::watch(registry_setup& to) {
  to.on_use = [this](bool has_sessions, bool has_other) {
    decide([=](protocol::handover& machine) { return machine.use(has_sessions, has_other); });
  };
}

/// Returns the life of the older process once it has handed over; empty if it has ended before.
std::optional<protocol::node_life> handover::await_handover() const {
  using order = protocol::predecessor::order;
  protocol::predecessor older{std::chrono::steady_clock::now()};
  const auto is_shown = net::write_frame(link_->get(), protocol::card_text(self_));
  const auto word = is_shown ? net::read_frame(link_->get(), older.hand_over_limit).value_or("") : "";
  const auto life = word.starts_with(handed_over) ? protocol::read_life(word.substr(handed_over.size())) : std::nullopt;
  auto what = life ? older.handed_over() : older.not_handed_over(std::chrono::steady_clock::now());
  if (what == order::wait)
    what = older_.has_ended(older.end_limit) ? older.ended() : older.tick(older.due());
  if (what == order::give_up)
    throw std::runtime_error{"the old process has not handed over"};
  return life;
}

void handover::take_over(const handover_home& at, const registry_actor& registry) {
  if (!link_)
    return;
  const auto life = await_handover();
  if (!life) {
    link_ = nullptr;
    return log_(log_level::warning, "the old process has ended before the handover: this one starts without it");
  }
  older_ = {};
  use_.with([](use& now) { now.machine.take_over(); });
  auto setup = setup_between(self_, *life, has_older_signs_, std::move(link_), at);
  setup.report = [this](protocol::peer_fact what) {
    if (what == protocol::peer_fact::silent)
      log_(log_level::warning, "the old process gives no sign of life: its sessions are lost");
  };
  handover_peer_actor before = at.system.spawn<handover_peer>(std::ref(*at.units.front()), registry, std::move(setup));
  caf::anon_send(registry, handover_peer_known{std::move(before)});
}

void handover::check_can_hand_over() const {
  if (const auto why = use_.with([](const use& now) { return now.machine.why_not(); }); !why.empty())
    throw std::runtime_error{why};
}

/// Hands over. The newer process is notified after the registry knows of it: no request for its sessions is lost.
void handover::hand_over(net::owned_descriptor link, handover_callbacks report, kept_sockets sockets,
                         const handover_times& times, const handover_home& at, const registry_actor& registry,
                         const std::function<void()>& leave_to_it) {
  auto other = std::make_shared<net::owned_descriptor>(std::move(link));
  check_can_hand_over();
  if (net::is_abandoned(other->get()))
    throw std::runtime_error{"the other process has ended before it served"};
  const auto card = read_card_of(other->get());
  const auto has_signs = gives_signs(card);
  auto unnotified = net::copy_of(*other);
  use_.with([&](use& now) {
    now.machine.hand_over(has_signs && report.lost);
    now.unnotified = std::move(unnotified);
    now.sockets = std::move(sockets);
    now.report = std::move(report);
    now.grace = times.grace;
    now.registry = registry;
  });
  auto& first = *at.units.front();
  auto setup = setup_between(self_, card.life, has_signs, std::move(other), at);
  setup.until = first.now() + times.sessions;
  setup.grace = times.grace;
  setup.may_sign = [this] { return use_.with([](const use& now) { return now.machine.is_confirmed(); }); };
  setup.report = [this](protocol::peer_fact what) { take(what); };
  handover_peer_actor after = at.system.spawn<handover_peer>(std::ref(first), registry, std::move(setup));
  leave_to_it();
  caf::anon_send(registry, handover_peer_known{std::move(after), true});
}

kept_sockets handover::take_back() {
  return use_.with([](use& now) {
    if (!now.machine.take_back())
      throw std::runtime_error{"no new process has ended"};
    return std::exchange(now.sockets, {});
  });
}

void handover::close_sockets() {
  use_.with([](use& now) { now.sockets = {}; });
}

void handover::take(protocol::peer_fact what) {
  decide([=](protocol::handover& machine) { return machine.take(what); });
}

/// Calls the host after the lock is free: it may use the gateway.
template <class Fact>
void handover::decide(Fact fact) {
  const auto out = use_.with([&](use& now) {
    reports result;
    for (const auto what : fact(now.machine))
      perform(what, now, result);
    return result;
  });
  for (const auto& one : out)
    one();
}

void handover::perform(protocol::handover_effect what, use& now, reports& out) const {
  using effect = protocol::handover_effect;
  switch (what) {
  case effect::confirm:
    net::write_frame(now.unnotified.get(), std::string{handed_over} + protocol::life_text(self_.life));
    now.unnotified = {};
    return;
  case effect::close_sockets:
    now.sockets = {};
    return;
  case effect::report_closed:
    return out.push_back([lost = now.report.lost] { lost(false); });
  case effect::report_silent:
    return out.push_back([lost = now.report.lost] { lost(true); });
  case effect::close_sessions:
    return caf::anon_send(now.registry, drain{drain_step::close_sessions, now.grace});
  case effect::hurry:
    return caf::anon_send(now.registry, drain{drain_step::at_once});
  case effect::end:
    return out.push_back(std::exchange(now.report.over, {}));
  }
}

} // namespace actors

process_link make_process_link() {
  auto ends = net::make_socket_pair();
  if (!net::write_frame(ends.first.get(), protocol::card_text(actors::own_card())))
    throw std::runtime_error{"the other process is gone"};
  return {ends.first.release(), ends.second.release()};
}

} // namespace troupe

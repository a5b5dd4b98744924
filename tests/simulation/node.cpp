#include "tests/simulation/node.hpp"

#include "protocol/modern_client/lease_key.hpp"
#include "protocol/text/fnv1a.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr std::size_t many_connections = 1000;
/// Node part of the life of the node on the first host.
constexpr std::uint64_t first_node = 1000;

constexpr auto return_time = 2s;

lost_lives::limits limits_for(std::chrono::milliseconds heartbeat) {
  return {return_time, lost_lives::limits::patience_with(heartbeat)};
}

/// Seals that no client of the simulation forges.
std::vector<random_bytes> seal(std::string_view text) {
  const std::uint64_t digest[2] = {fnv1a_64(text), fnv1a_64(text) * 0x9e3779b97f4a7c15U};
  random_bytes result;
  std::memcpy(result.data(), digest, result.size());
  return {result};
}

membership_options options_for(const node_card& card, std::size_t host, std::vector<std::string> seeds,
                               std::chrono::milliseconds heartbeat, const members_kept* memory) {
  membership_options result;
  result.remembers = memory != nullptr;
  if (memory)
    result.remembered = *memory;
  result.self = card;
  result.address = address_of_host(host);
  result.seeds = std::move(seeds);
  result.settle = heartbeat;
  result.alone = return_time;
  result.silence = heartbeat * 4 / 5;
  result.store_patience = 3 * heartbeat;
  return result;
}

} // namespace

std::size_t host_of(node_life life) { return life.node - first_node; }

std::string address_of_host(std::size_t host) { return "10.0.0." + std::to_string(host + 1) + ":7000"; }

node::node(const surroundings& around, std::size_t host, std::uint64_t incarnation, double speed,
           std::vector<std::string> seeds, members_kept* memory)
    : around_{around}, host_{host}, card_{"1", {first_node + host, incarnation}, "node" + std::to_string(host + 1)},
      process_{
          std::make_shared<process>(around.time, around.log, card_.name + "." + std::to_string(incarnation), speed)},
      ids_{seal}, seeds_{std::move(seeds)}, memory_{memory} {
  process_->ignores_suspension = has(planted::suspension_ignored);
}

void node::begin() {
  if (around_.store)
    store_ = std::make_shared<store_actor>(process_, *this, *around_.store, around_.heartbeat, life_text(card_.life));
  registry_ = std::make_shared<registry_actor>(process_, *this, store_ != nullptr);
  stopping_ = std::make_shared<stop_actor>(process_, *this);
  router_ = std::make_shared<router_actor>(process_, *this, around_.net, ids_, store_ != nullptr,
                                           limits_for(around_.heartbeat));
  gate_ = std::make_shared<gate_actor>(process_, *this, around_.net,
                                       [this](bool is_normal) { cluster_->gate_ended(is_normal); });
  cluster_ = std::make_shared<cluster_actor>(process_, *this, around_.net,
                                             options_for(card_, host_, seeds_, around_.heartbeat, memory_));
  around_.net.enter(address_of_host(host_), host_, weak_from_this());
  process_->note("starts");
  checks().node_starts(host_);
  if (store_)
    store_->begin();
  cluster_->begin();
}

void node::begin_alone(process_host& host) {
  upgrade_ = std::make_shared<upgrade_actor>(process_, *this, around_.net, host);
  registry_ = std::make_shared<registry_actor>(process_, *this, false);
  process_->note("starts");
  checks().node_starts(host_);
}

void node::answered(std::uint64_t number, answer what, const std::shared_ptr<link_end>& by) {
  if (!upgrade_)
    return router_->answered(number, std::move(what));
  if (auto& peer = upgrade_->peer(); peer && peer->link() == by)
    peer->answered(number, std::move(what));
}

void node::heard(peer_sign what, const std::shared_ptr<link_end>& by) {
  if (auto& peer = upgrade_->peer(); peer && peer->link() == by)
    peer->heard(what);
}

void node::closed(const std::shared_ptr<link_end>& end) {
  if (upgrade_)
    upgrade_->closed(end);
  else
    cluster_->closed(end);
}

void node::kill(bool silent) {
  process_->note(silent ? "loses power" : "is killed");
  around_.net.leave(*this, silent);
  process_->is_alive = false;
  checks().node_ends(host_);
  for (auto& weak : connections_)
    if (auto one = weak.which.lock(); one && !one->is_over())
      one->break_off();
}

void node::pause(span_of_time how_long) {
  process_->note("pauses", std::to_string(how_long / 1ms) + " ms");
  process_->paused_until = std::max(process_->paused_until, around_.time.now() + how_long);
}

void node::suspend(span_of_time how_long) {
  process_->note("is suspended", std::to_string(how_long / 1ms) + " ms");
  process_->suspend(how_long);
}

void node::receive(request what, const std::shared_ptr<connection>& by) {
  if (connections_.size() > many_connections)
    std::erase_if(connections_, [](auto& one) { return one.which.expired(); });
  if (what.via == transport::stateless)
    what.session = lease_of_retry(what.body.messages.front());
  last_request_ = process_->now();
  connections_.push_back({last_request_, by});
  auto made = std::make_shared<client_broker>(process_, by, what.session.empty() || what.via == transport::stateless);
  if (has(planted::unread_kept))
    by->keep_all();
  by->attach(made, [one = made.get()] { one->closed(); });
  what.from = std::move(made);
  auto found = table_.find(what.session);
  auto here = found == table_.end() ? nullptr : found->second.lock();
  if (here && here->owner() == what.owner)
    here->submit(std::move(what));
  else
    registry_->submit(std::move(what));
}

void node::stop(span_of_time grace, std::function<void()> then) {
  process_->note("is told to stop within", std::to_string(grace / 1ms) + " ms");
  is_stopping_ = true;
  stopping_->begin(grace, std::move(then));
}

bool node::answers_probe() {
  auto is_ready = registry_->takes_new() && router_->is_ready();
  probes_.asked("load balancer", process_->now(), is_ready);
  return is_ready;
}

bool node::is_answering_since(time_point when) const {
  return std::ranges::any_of(connections_, [&](auto& one) {
    auto open = one.which.lock();
    return one.since < when && open && !open->is_over();
  });
}

std::string node::make_id() {
  random_bytes bytes;
  const std::uint64_t some[2] = {around_.time.luck().next(), around_.time.luck().next()};
  std::memcpy(bytes.data(), some, bytes.size());
  return ids_.make(bytes, card_.life);
}

state_seal node::seal_for(const std::string& owner) const {
  return [key = owner + (is_alone() ? "\n" + life_text(card_.life) : "")](std::string_view text) {
    return std::vector{std::to_string(fnv1a_64(key + "\n" + std::string{text}))};
  };
}

void node::remove_session(const std::string& id, const session_actor* one) {
  if (auto found = table_.find(id); found != table_.end() && found->second.lock().get() == one)
    table_.erase(found);
}

} // namespace troupe::tests::simulation

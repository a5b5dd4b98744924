#include "actors/cluster.hpp"

#include "actors/gate.hpp"
#include "net/random.hpp"
#include "protocol/host_port.hpp"

#include <caf/io/middleman.hpp>

#include <utility>

namespace troupe::actors {

namespace {

/// How long an address may take to answer before the middleman, which waits in line, is asked to connect to it.
constexpr std::chrono::seconds reach_limit{1};

/// A peer that is frozen is noticed by its heartbeats; this is for those that have none.
constexpr std::chrono::seconds connect_limit{10};

template <class Actor>
caf::strong_actor_ptr pointer_to(const Actor& whom) {
  return caf::actor_cast<caf::strong_actor_ptr>(whom);
}

log_level level_of(protocol::note::weight weight) {
  switch (weight) {
  case protocol::note::weight::info:
    return log_level::info;
  case protocol::note::weight::warning:
    return log_level::warning;
  default:
    return log_level::error;
  }
}

} // namespace

cluster_state::cluster_state(pinned<interface>* self, registry_actor owner, router_actor router,
                             std::shared_ptr<const cluster_setup> setup)
    : self_{self}, owner_{std::move(owner)}, router_{std::move(router)}, setup_{std::move(setup)},
      lookup_{*setup_->thread}, reach_{*setup_->thread}, reminder_{self->at()} {}

/// What is published keeps its port open for as long as the actor system lives.
cluster_state::~cluster_state() {
  caf::anon_send(setup_->middleman, caf::unpublish_atom::value, caf::actor_addr{gate_.address()}, std::uint16_t{0});
}

cluster_actor::behavior_type cluster_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { lost(msg.source); });
  gate_ = spawn_linked<gate_state>(self_, self_->at(), caf::actor_cast<cluster_actor>(self_), owner_, setup_->units);
  publish();
  return {
      [this](peer_hello& msg) { take(msg); },
      [this](peer_refusal& msg) { take(msg); },
      [this](name_found& msg) { apply(machine_->looked_up(msg.name, msg.addresses, now())); },
      [this](address_tried& msg) {
        if (msg.why_not.empty())
          connect(msg.address);
        else
          apply(machine_->dial_failed(msg.address, msg.why_not, now()));
      },
      [this](node_drains&) {
        drains_ = true;
        if (machine_)
          apply(machine_->drain());
      },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) {
        reminder_.arrived();
        apply(machine_->tick(now()));
      },
  };
}

// -- finding each other -----------------------------------------------------------------------

void cluster_state::publish() {
  auto listens = [this](std::uint16_t port) {
    setup_->on_listening(port, {});
    begin(port);
  };
  auto fails = [this](const caf::error& why) { setup_->on_listening(0, self_->system().render(why)); };
  self_
      ->request(setup_->middleman, caf::infinite, caf::publish_atom::value, setup_->port, pointer_to(gate_),
                self_->system().message_types<gate_actor>(), setup_->host, true)
      .then(listens, fails);
}

void cluster_state::begin(std::uint16_t port) {
  auto options = setup_->membership;
  if (options.address.empty())
    options.address = protocol::host_port_text(setup_->host, port);
  machine_ = std::make_unique<protocol::membership>(std::move(options), net::random_64(), now());
  if (drains_)
    machine_->drain();
  apply(machine_->begin(now()));
}

void cluster_state::connect(const std::string& address) {
  auto at = protocol::read_host_port(address);
  if (!at)
    return apply(machine_->dial_failed(address, "it is no address", now()));
  auto found = [this, address](caf::node_id, const caf::strong_actor_ptr& gate, const std::set<std::string>& speaks) {
    connected(address, gate, speaks);
  };
  auto fails = [this, address](const caf::error& why) {
    apply(machine_->dial_failed(address, self_->system().render(why), now()));
  };
  self_->request(setup_->middleman, connect_limit, caf::connect_atom::value, at->host, at->port).then(found, fails);
}

void cluster_state::connected(const std::string& address, const caf::strong_actor_ptr& found,
                              const std::set<std::string>& speaks) {
  if (!found || !self_->system().assignable(speaks, self_->system().message_types<gate_actor>()))
    return apply(machine_->dial_failed(address, "who listens there is no node of this version", now()));
  auto gate = caf::actor_cast<gate_actor>(found);
  if (is_self(gate))
    apply(machine_->dialled_self(address, now()));
  else
    apply(machine_->dialled(address, link_to(gate), now()));
}

protocol::link_id cluster_state::link_to(const gate_actor& gate) {
  auto [at, fresh] = ids_.try_emplace(gate.address(), last_link_ + 1);
  if (fresh) {
    links_[++last_link_].gate = gate;
    self_->monitor(gate);
  }
  return at->second;
}

/// One that comes too early is lost, but then we call, and whoever joins is greeted.
void cluster_state::take(peer_hello& msg) {
  if (!machine_ || !msg.gate || !msg.router || is_self(msg.gate))
    return;
  auto id = link_to(msg.gate);
  links_[id].router = std::move(msg.router);
  apply(machine_->greeted(id, msg.hello, now()));
}

void cluster_state::take(peer_refusal& msg) {
  if (machine_ && msg.gate)
    apply(machine_->refused(link_to(msg.gate), msg.why, now()));
}

void cluster_state::lost(const caf::actor_addr& gate) {
  auto id = ids_.extract(gate);
  if (id.empty())
    return;
  links_.erase(id.mapped());
  apply(machine_->link_lost(id.mapped(), now()));
}

void cluster_state::report(const collector_actor& to) const {
  counted result;
  result.part.actors = 1;
  result.asked = 1;
  if (machine_)
    for (auto& one : machine_->nodes())
      result.part.nodes.push_back({one.name, one.draining});
  self_->send(to, std::move(result));
  self_->send(gate_, report_request{to});
}

void cluster_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == owner_.address() || msg.source == self_->address() || msg.source == gate_.address())
    self_->quit(msg.reason);
}

// -- effects ----------------------------------------------------------------------------------

void cluster_state::apply(protocol::membership_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  reminder_.set(self_->address(), machine_->deadline());
}

void cluster_state::apply(protocol::look_up& effect) {
  auto at = protocol::read_host_port(effect.name);
  if (!at)
    return;
  lookup_.find(at->host, at->port,
               [self = self_->address(), name = effect.name](std::vector<std::string> found, const std::string&) {
                 if (auto alive = caf::actor_cast<caf::actor>(self))
                   caf::anon_send(alive, name_found{name, std::move(found)});
               });
}

/// Nodes may call their own place by a name.
void cluster_state::apply(protocol::dial& effect) {
  auto tell = [self = self_->address(), address = effect.address](std::string why_not) {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, address_tried{address, std::move(why_not)});
  };
  auto at = protocol::read_host_port(effect.address);
  if (!at)
    return tell("it is no address");
  lookup_.find(at->host, at->port, [this, tell](const std::vector<std::string>& found, std::string why_not) {
    if (found.empty())
      tell(std::move(why_not));
    else
      reach_.attempt(found.front(), reach_limit, tell);
  });
}

void cluster_state::apply(protocol::greet& effect) {
  if (auto to = links_.find(effect.link); to != links_.end())
    self_->send(to->second.gate, peer_hello{std::move(effect.hello), caf::actor_cast<gate_actor>(gate_),
                                            caf::actor_cast<remote_router_actor>(router_)});
}

void cluster_state::apply(protocol::refuse_node& effect) {
  auto node = links_.extract(effect.link);
  if (node.empty())
    return;
  self_->send(node.mapped().gate, peer_refusal{std::move(effect.why), caf::actor_cast<gate_actor>(gate_)});
  self_->demonitor(node.mapped().gate.address());
  ids_.erase(node.mapped().gate.address());
}

void cluster_state::apply(protocol::cut_link& effect) {
  auto node = links_.extract(effect.link);
  if (node.empty())
    return;
  self_->demonitor(node.mapped().gate.address());
  ids_.erase(node.mapped().gate.address());
}

void cluster_state::apply(protocol::members_known& effect) {
  members_of_cluster result{{}, effect.settled};
  for (auto& one : effect.nodes)
    if (auto found = links_.find(one.link); found != links_.end())
      result.nodes.push_back({std::move(one), found->second.gate, found->second.router});
  self_->send(gate_, result);
  self_->send(router_, std::move(result));
}

void cluster_state::apply(protocol::note& effect) {
  setup_->log(level_of(effect.is), std::move(effect.text), std::move(effect.facts));
}

} // namespace troupe::actors

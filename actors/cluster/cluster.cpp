#include "actors/cluster/cluster.hpp"

#include "actors/cluster/gate.hpp"
#include "actors/cluster/members_file.hpp"
#include "actors/runtime/unit.hpp"
#include "net/crypto.hpp"
#include "protocol/text/host_port.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace troupe::actors {

namespace {

constexpr const char* no_card = "it does not say who it is";
constexpr const char* stopping = "the node is stopping";

/// When this node exits: longest wait for its own relays, and then for other nodes to close their links.
constexpr std::chrono::seconds gate_limit{5};
constexpr std::chrono::seconds leave_limit{1};

void tell_of_new_files(const cluster_setup& setup, const std::string& why_not) {
  if (why_not.empty())
    setup.log(log_level::info, "the new certificates of the node are used");
  else
    setup.log(log_level::warning, "the files of the node's certificate have changed, but those read before are used",
              {{"why", why_not}});
}

} // namespace

/// Links by id. Used on the actor's thread only, where connections report, too.
struct cluster_state::links {
  protocol::link_id add(net::pending_link one) {
    by_id[++last].connection = std::move(one);
    return last;
  }

  protocol::link_id last = 0;
  std::map<protocol::link_id, link> by_id;
};

cluster_state::cluster_state(pinned<interface>* self, registry_actor owner, router_actor router,
                             std::shared_ptr<const cluster_setup> setup)
    : self_{self}, owner_{std::move(owner)}, router_{std::move(router)}, setup_{std::move(setup)},
      lookup_{*setup_->thread}, reminder_{self->at()}, links_{std::make_shared<links>()},
      nodes_up_{share_of(self->at(), protocol::metric::nodes, {"up"})},
      nodes_draining_{share_of(self->at(), protocol::metric::nodes, {"draining"})},
      link_count_{share_of(self->at(), protocol::metric::links)} {}

/// Unpublishes the gate: the middleman would keep it for the lifetime of the actor system.
cluster_state::~cluster_state() {
  caf::anon_send(setup_->middleman, caf::unpublish_atom::value, caf::actor_addr{gate_.address()}, std::uint16_t{0});
}

cluster_actor::behavior_type cluster_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg); });
  gate_ = spawn_linked<gate_state>(self_, *setup_->units.front(), self_->address(),
                                   caf::actor_cast<cluster_actor>(self_), owner_, setup_->units, setup_->keep_token);
  publish();
  return {
      [this](peer_hello& msg) { handle(msg); },
      [this](name_found& msg) { carry_out(machine_->looked_up(msg.name, msg.addresses, now())); },
      [this](link_offered& msg) { handle(msg); },
      [this](link_failed& msg) {
        carry_out(machine_->dial_failed(msg.address, msg.why, protocol::read_card(msg.hello), now(), msg.is_refused));
      },
      [this](link_opened& msg) { handle(msg); },
      [this](link_closed& msg) { lose(msg.link); },
      [this](node_drains& msg) { handle(msg); },
      [this](node_open& msg) { handle(msg); },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) { on_time(); },
  };
}

// -- publishing and listening -----------------------------------------------------------------

/// Publishes the gate. BASP requires a port number; no socket uses it.
void cluster_state::publish() {
  auto number = static_cast<std::uint16_t>(self_->id() % 0xFFFF + 1);
  auto fails = [this](const caf::error& why) { setup_->on_listening(0, self_->system().render(why)); };
  self_
      ->request(setup_->middleman, caf::infinite, caf::publish_atom::value, number,
                caf::actor_cast<caf::strong_actor_ptr>(gate_), self_->system().message_types<gate_actor>(),
                std::string{}, false)
      .then([this](std::uint16_t) { listen(); }, fails);
}

void cluster_state::listen() {
  auto options = setup_->links;
  options.on_new_files = [setup = setup_](const std::string& why_not) { tell_of_new_files(*setup, why_not); };
  auto called = [self = self_->address(), all = links_](net::pending_link one) {
    auto says = one.hello();
    send_if_alive(self, link_offered{all->add(std::move(one)), {}, std::move(says)});
  };
  try {
    calls_ = std::make_unique<net::node_links>(
        *setup_->thread, options, protocol::card_text(setup_->membership.self), called,
        [this](const std::string& address, const net::node_links::failure& why) { log_rejected(address, why); });
  } catch (const std::runtime_error& error) {
    return setup_->on_listening(0, error.what());
  }
  auto membership = setup_->membership;
  if (membership.address.empty())
    membership.address = protocol::host_port_text(setup_->links.host, calls_->port());
  machine_ = std::make_unique<protocol::membership>(std::move(membership), net::random_64(), now());
  if (drains_)
    machine_->drain();
  setup_->on_listening(calls_->port(), {});
  carry_out(machine_->begin(now()));
}

/// Called on the actor's thread, and only while the actor lives.
void cluster_state::log_rejected(const std::string& address, const net::node_links::failure& why) {
  if (auto line = refused_peer_log_.add(address, why.why, why.is_stranger, now()))
    perform(*line);
}

// -- links ------------------------------------------------------------------------------------

void cluster_state::handle(const link_offered& msg) {
  if (leaves_by_)
    return decline(msg.link, stopping);
  if (auto who = protocol::read_card(msg.hello))
    return carry_out(machine_->offered(msg.link, msg.address, *who, now()));
  decline(msg.link, no_card);
  carry_out(machine_->dial_failed(msg.address, no_card, {}, now()));
}

/// Hands an accepted link to BASP, where the dialling node speaks first, too. Callbacks run on the actor's thread.
void cluster_state::perform(protocol::accept_link& effect) {
  auto& connection = *links_->by_id.at(effect.link).connection;
  auto opened = [self = self_->address(), id = effect.link, open = setup_->open,
                 dialled = connection.dialled](std::shared_ptr<net::node_link_stream> bytes) {
    if (!dialled)
      return open->offer(std::move(bytes));
    open->put(std::to_string(id), std::move(bytes));
    send_if_alive(self, link_opened{id});
  };
  connection.accept(opened, [self = self_->address(), id = effect.link] { send_if_alive(self, link_closed{id}); });
}

/// Drops the bytes of a link that was closed in the meantime.
void cluster_state::handle(const link_opened& msg) {
  if (links_->by_id.contains(msg.link))
    reach(msg.link);
  else
    setup_->open->extract(std::to_string(msg.link));
}

void cluster_state::reach(protocol::link_id id) {
  auto number = static_cast<std::uint16_t>(id);
  auto found = [this, id](const caf::node_id& at, const caf::strong_actor_ptr& gate,
                          const std::set<std::string>& speaks) { reached(id, at, gate, speaks); };
  self_->request(setup_->middleman, caf::infinite, caf::connect_atom::value, std::to_string(id), number)
      .then(found, [this, id](const caf::error&) { lose(id); });
}

void cluster_state::reached(protocol::link_id id, const caf::node_id& at, const caf::strong_actor_ptr& found,
                            const std::set<std::string>& speaks) {
  if (!links_->by_id.contains(id))
    return;
  if (at == self_->system().node())
    return carry_out(machine_->misidentified(id, now()));
  if (!found || !self_->system().assignable(speaks, self_->system().message_types<gate_actor>()))
    return lose(id);
  if (!register_gate(id, caf::actor_cast<gate_actor>(found)))
    return carry_out(machine_->misidentified(id, now()));
  carry_out(machine_->reached(id));
}

/// True if the gate belongs to this link alone.
bool cluster_state::register_gate(protocol::link_id id, gate_actor gate) {
  auto& one = links_->by_id.at(id);
  auto [known, is_new] = gates_.emplace(gate.address(), id);
  if (!is_new)
    return known->second == id;
  forget(one.gate, gates_);
  self_->monitor(gate);
  one.gate = std::move(gate);
  return true;
}

void cluster_state::register_router(protocol::link_id id, remote_router_actor router) {
  auto& one = links_->by_id.at(id);
  forget(one.router, routers_);
  self_->monitor(router);
  routers_.insert_or_assign(router.address(), id);
  one.router = std::move(router);
}

template <class Actor>
void cluster_state::forget(const Actor& one, links_by_actor& in) {
  if (!one)
    return;
  self_->demonitor(one.address());
  in.erase(one.address());
}

/// A router that shuts down normally owes no answer, and expects none. Answers to any other that has ended would be
/// lost, and its node would wait for them.
void cluster_state::on_down_of(const caf::down_msg& msg) {
  const auto is_normal = msg.reason == caf::exit_reason::user_shutdown;
  if (auto gate = gates_.find(msg.source); gate != gates_.end())
    lose(gate->second, is_normal);
  else if (auto router = routers_.find(msg.source); router != routers_.end() && !is_normal)
    lose(router->second);
}

/// Ignores a greeting whose link is gone: the nodes dial each other again.
void cluster_state::handle(peer_hello& msg) {
  auto id = machine_ ? machine_->link_to(msg.hello.life) : std::nullopt;
  if (!id || !msg.gate || !msg.router)
    return;
  if (!register_gate(*id, std::move(msg.gate)))
    return carry_out(machine_->misidentified(*id, now()));
  register_router(*id, std::move(msg.router));
  carry_out(machine_->greeted(*id, msg.hello, now()));
}

void cluster_state::handle(const node_drains& msg) {
  auto is_news = !std::exchange(drains_, true);
  if (msg.is_last)
    self_->send(gate_, msg);
  if (machine_ && is_news)
    carry_out(machine_->drain());
}

void cluster_state::handle(const node_open& msg) {
  if (std::exchange(drains_, !msg.is_so) == msg.is_so && machine_)
    carry_out(machine_->drain(drains_));
}

void cluster_state::lose(protocol::link_id id, bool has_left) {
  if (auto node = machine_ ? machine_->member_at(id) : std::nullopt; node && has_left)
    self_->send(router_, node_left{*node});
  auto gone = forget(id);
  if (!gone)
    return;
  gone->connection->cut();
  carry_out(machine_->link_lost(id, now(), has_left));
  end_when_left();
}

void cluster_state::decline(protocol::link_id id, std::string why) {
  if (auto one = forget(id))
    one->connection->refuse(std::move(why));
}

std::optional<cluster_state::link> cluster_state::forget(protocol::link_id id) {
  auto node = links_->by_id.extract(id);
  if (node.empty())
    return std::nullopt;
  setup_->open->extract(std::to_string(id));
  forget(node.mapped().gate, gates_);
  forget(node.mapped().router, routers_);
  return std::move(node.mapped());
}

void cluster_state::report(const collector_actor& to) const {
  counted result{{.actors = 1}};
  result.asked = 1;
  if (machine_)
    for (auto& one : machine_->nodes())
      result.part.nodes.push_back({one.name, one.draining});
  self_->send(to, std::move(result));
  self_->send(gate_, report_request{to});
}

// -- the end ----------------------------------------------------------------------------------

void cluster_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == owner_.address() && msg.reason == caf::exit_reason::user_shutdown && calls_ && !leaves_by_)
    leave();
  else if (msg.source == owner_.address() || msg.source == self_->address() ||
           (msg.source == gate_.address() && !leaves_by_))
    self_->quit(msg.reason);
  else if (msg.source == gate_.address())
    leave_by(leave_limit);
}

void cluster_state::leave_by(std::chrono::seconds limit) {
  leaves_by_ = now() + limit;
  reminder_.set(self_->address(), *leaves_by_, now());
}

/// Begins the exit. Closing a link would cut off messages in transit. Instead the gate exits; other nodes receive its
/// exit after all its messages, and close the link.
void cluster_state::leave() {
  leave_by(gate_limit);
  self_->send_exit(gate_, caf::exit_reason::user_shutdown);
  std::vector<protocol::link_id> unheard;
  for (auto& [id, one] : links_->by_id)
    if (!one.gate)
      unheard.push_back(id);
  for (auto id : unheard)
    lose(id);
  end_when_left();
}

void cluster_state::end_when_left() {
  if (leaves_by_ && (links_->by_id.empty() || now() >= *leaves_by_))
    self_->quit(caf::exit_reason::user_shutdown);
}

void cluster_state::on_time() {
  reminder_.arrived();
  if (leaves_by_) {
    reminder_.set(self_->address(), *leaves_by_, now());
    return end_when_left();
  }
  if (setup_->tenure)
    carry_out(machine_->tenure_runs(setup_->tenure->holds()));
  carry_out(machine_->tick(now()));
}

// -- effects ----------------------------------------------------------------------------------

void cluster_state::carry_out(protocol::membership_effects effects) {
  if (leaves_by_)
    return;
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  if (auto addresses = machine_->next_remembered(now()))
    setup_->members->write(*addresses);
  link_count_.set(static_cast<std::int64_t>(links_->by_id.size()));
  reminder_.set(self_->address(), machine_->deadline(), now());
}

void cluster_state::perform(protocol::look_up& effect) {
  auto at = protocol::read_host_port(effect.name);
  if (!at)
    return send_if_alive(self_->address(), name_found{effect.name, {}});
  lookup_.find(at->host, at->port,
               [self = self_->address(), name = effect.name](std::vector<std::string> found, const std::string&) {
                 send_if_alive(self, name_found{name, std::move(found)});
               });
}

/// Dials an address after a look-up of its host: nodes may advertise a name. Of several addresses of a name, one that
/// refuses proves nothing.
void cluster_state::perform(protocol::dial& effect) {
  auto fails = [self = self_->address(), address = effect.address](net::node_links::failure why) {
    send_if_alive(self, link_failed{address, std::move(why.why), std::move(why.hello), why.is_refused});
  };
  auto at = protocol::read_host_port(effect.address);
  if (!at)
    return fails({"it is no address"});
  auto then = [self = self_->address(), address = effect.address, all = links_, fails](net::node_links::outcome said,
                                                                                       bool is_only_one) {
    if (auto failure = std::get_if<net::node_links::failure>(&said)) {
      failure->is_refused = failure->is_refused && is_only_one;
      return fails(std::move(*failure));
    }
    auto& one = std::get<net::pending_link>(said);
    auto says = one.hello();
    send_if_alive(self, link_offered{all->add(std::move(one)), address, std::move(says)});
  };
  lookup_.find(at->host, at->port, [this, fails, then](const std::vector<std::string>& found, std::string why_not) {
    if (found.empty())
      fails({std::move(why_not)});
    else
      calls_->dial(found[attempts_++ % found.size()],
                   [then, is_only_one = found.size() == 1](auto said) { then(std::move(said), is_only_one); });
  });
}

void cluster_state::perform(protocol::refuse_link& effect) { decline(effect.link, std::move(effect.why)); }

void cluster_state::perform(protocol::cut_link& effect) {
  if (auto one = forget(effect.link))
    one->connection->cut();
}

void cluster_state::perform(protocol::greet& effect) {
  auto to = links_->by_id.find(effect.link);
  if (to != links_->by_id.end() && to->second.gate)
    self_->send(to->second.gate, peer_hello{std::move(effect.hello), caf::actor_cast<gate_actor>(gate_),
                                            caf::actor_cast<remote_router_actor>(router_)});
}

void cluster_state::perform(protocol::members_known& effect) {
  const auto draining = std::ranges::count(effect.nodes, true, &protocol::known_node::draining);
  nodes_draining_.set(draining);
  nodes_up_.set(std::ssize(effect.nodes) - draining);
  cluster_members result{{}, effect.settled, std::move(effect.ended)};
  for (auto& one : effect.nodes)
    if (auto found = links_->by_id.find(one.link); found != links_->by_id.end())
      result.nodes.push_back({std::move(one), found->second.gate, found->second.router});
  self_->send(gate_, result);
  self_->send(router_, std::move(result));
}

void cluster_state::perform(const protocol::store_cut_off& effect) {
  self_->send(owner_, node_cut_off{node_cut_off::side::store, effect.is_so});
}

} // namespace troupe::actors

#include "actors/upstream/catalog_upstream.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

std::vector<protocol::catalog_server> servers_of(const std::vector<member>& members) {
  std::vector<protocol::catalog_server> result;
  for (auto& one : members)
    result.push_back(one.server);
  return result;
}

} // namespace

catalog_upstream_state::catalog_upstream_state(pinned<interface>* self, registry_actor registry, downstream_actor user,
                                               std::string session, const protocol::catalog_limits& limits,
                                               const std::vector<member>& members)
    : self_{self}, registry_{std::move(registry)}, user_{std::move(user)}, session_{std::move(session)},
      machine_{limits, servers_of(members)}, reminder_{self->at()} {
  for (auto& one : members)
    add(one);
}

catalog_actor::behavior_type catalog_upstream_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) {
    if (msg.source == user_.address() || msg.source == self_->address())
      self_->quit(caf::exit_reason::user_shutdown);
  });
  self_->set_down_handler([this](caf::down_msg& msg) { lose(msg.source, "the MCP server is gone"); });
  return {
      [this](to_server& msg) { apply(machine_.client_sent(std::move(msg.message), now())); },
      [this](from_server& msg) {
        if (auto found = speakers_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
            found != speakers_.end())
          apply(machine_.server_sent(found->second, std::move(msg.message), now()));
      },
      [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); },
      [this](server_given& msg) { give(msg); },
      [this](server_lost& msg) {
        lose(caf::actor_cast<caf::actor_addr>(self_->current_sender()), msg.why, msg.is_shortage);
      },
      [this](members_changed& msg) { change(msg.members); },
      [this](tick&) {
        reminder_.arrived();
        apply(machine_.tick(now()));
      },
  };
}

void catalog_upstream_state::add(const member& one) {
  upstreams_.try_emplace(one.server.id, one.actor, server_wanted::use::merged, session_);
  speakers_.emplace(one.actor.address(), one.server.id);
}

void catalog_upstream_state::change(const std::vector<member>& members) {
  for (auto& one : members)
    add(one);
  apply(machine_.servers_changed(servers_of(members), now()));
}

/// Comes from the SERVER.
void catalog_upstream_state::give(server_given& msg) {
  auto server = speakers_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
  if (server == speakers_.end())
    return;
  auto address = msg.upstream.address();
  auto& upstream = upstreams_.at(server->second);
  upstream.given(self_, msg);
  if (upstream.leads_to(address))
    speakers_.emplace(address, server->second);
}

void catalog_upstream_state::lose(const caf::actor_addr& who, const std::string& why, bool is_shortage) {
  auto found = speakers_.find(who);
  if (found == speakers_.end())
    return;
  auto server = found->second;
  auto& upstream = upstreams_.at(server);
  if (upstream.leads_to(who))
    speakers_.erase(found);
  upstream.drop(self_);
  apply(machine_.server_lost(server, why, now(), is_shortage));
}

void catalog_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  for (auto& [id, upstream] : upstreams_)
    result.asked += upstream.to_report();
  self_->send(to, std::move(result));
  for (auto& [id, upstream] : upstreams_)
    upstream.report(self_, to);
}

// -- effects -----------------------------------------------------------------------------

void catalog_upstream_state::apply(protocol::catalog_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  reminder_.set(self_->address(), machine_.deadline());
}

void catalog_upstream_state::apply(protocol::tell_member& effect) {
  if (auto found = upstreams_.find(effect.server); found != upstreams_.end())
    found->second.send(self_, std::move(effect.what));
}

void catalog_upstream_state::apply(protocol::tell_client& effect) {
  self_->send(user_, from_server{std::move(effect.what)});
}

void catalog_upstream_state::apply(protocol::member_known& effect) {
  self_->send(registry_, server_known{effect.server, std::move(effect.result)});
}

void catalog_upstream_state::apply(protocol::member_slow& effect) {
  self_->send(registry_, server_known{effect.server, {}});
}

void catalog_upstream_state::apply(protocol::name_hidden& effect) {
  self_->send(registry_, name_left_out{std::move(effect)});
}

void catalog_upstream_state::apply(protocol::member_left& effect) {
  auto node = upstreams_.extract(effect.server);
  if (node.empty())
    return;
  node.mapped().drop(self_);
  std::erase_if(speakers_, [&](auto& one) { return one.second == effect.server; });
}

void catalog_upstream_state::apply(protocol::end_catalog& effect) {
  self_->send(user_, server_lost{std::move(effect.why), effect.is_shortage});
}

} // namespace troupe::actors

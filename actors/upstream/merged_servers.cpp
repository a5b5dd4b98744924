#include "actors/upstream/merged_servers.hpp"

#include "net/crypto.hpp"

#include <utility>

namespace troupe::actors {

namespace {

std::vector<protocol::catalog_server> catalog_servers_of(const std::vector<member>& members) {
  std::vector<protocol::catalog_server> result;
  for (auto& one : members)
    result.push_back(one.server);
  return result;
}

/// No two sessions retry in step.
protocol::catalog_limits with_jitter(protocol::catalog_limits limits) {
  limits.seed = net::random_64();
  return limits;
}

} // namespace

merged_servers::merged_servers(pinned<session_actor>* self, registry_actor registry, std::string session,
                               protocol::caller caller, const protocol::catalog_limits& limits,
                               const std::vector<member>& members, protocol::cursor_seal seal, bool is_local)
    : self_{self}, registry_{std::move(registry)}, session_{std::move(session)}, caller_{std::move(caller)},
      is_local_{is_local}, machine_{with_jitter(limits), catalog_servers_of(members), std::move(seal)} {
  for (auto& one : members)
    add(one);
}

void merged_servers::add(const member& one) {
  upstreams_.try_emplace(one.server.id, one.actor, upstream_request::use::lasting, session_, caller_, one.access,
                         one.peer, self_->at().metrics(), !one.roots.pass(is_local_));
  speakers_.emplace(one.actor.address(), one.server.id);
}

void merged_servers::change(const std::vector<member>& members) {
  for (auto& one : members)
    add(one);
  carry_out(machine_.servers_changed(catalog_servers_of(members), now()));
}

void merged_servers::drop() {
  for (auto& which : std::exchange(failed_lists_, {}))
    self_->send(registry_, list_part_changed{which, list_part_changed::state::session_ended});
  for (auto& [id, upstream] : upstreams_)
    upstream.drop(self_);
}

void merged_servers::server_sent(protocol::message&& what) {
  auto found = speakers_.find(sender());
  if (found == speakers_.end())
    return;
  if (upstreams_.at(found->second).show(self_, what))
    carry_out(machine_.server_sent(found->second, std::move(what), now()));
}

/// The sender is the SERVER.
void merged_servers::given(upstream_granted& msg) {
  auto server = speakers_.find(sender());
  if (server == speakers_.end())
    return;
  auto address = msg.upstream.address();
  auto& upstream = upstreams_.at(server->second);
  upstream.given(self_, msg);
  if (upstream.leads_to(address))
    speakers_.emplace(address, server->second);
}

void merged_servers::lost(const caf::actor_addr& who, const std::string& why, bool is_shortage) {
  auto found = speakers_.find(who);
  if (found == speakers_.end())
    return;
  auto server = found->second;
  auto& upstream = upstreams_.at(server);
  if (upstream.leads_to(who))
    speakers_.erase(found);
  upstream.lost(self_);
  carry_out(machine_.server_lost(server, why, now(), is_shortage));
}

std::optional<merged_servers::server_event> merged_servers::next() {
  if (events_.empty())
    return std::nullopt;
  auto result = std::move(events_.front());
  events_.pop_front();
  return result;
}

std::string_view merged_servers::last_receiver() const {
  auto one = asked_ && !asks_several_ ? upstreams_.find(*asked_) : upstreams_.end();
  return one != upstreams_.end() ? one->second.server_name() : std::string_view{};
}

std::size_t merged_servers::count_own() const {
  std::size_t result = 0;
  for (auto& [id, upstream] : upstreams_)
    result += upstream.count_own();
  return result;
}

void merged_servers::report(const collector_actor& to) const {
  for (auto& [id, upstream] : upstreams_)
    upstream.report(self_, to);
}

void merged_servers::restart(std::uint64_t server) const {
  if (auto found = upstreams_.find(server); found != upstreams_.end())
    found->second.restart(self_);
}

// -- effects -----------------------------------------------------------------------------

void merged_servers::carry_out(protocol::catalog_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  while (!refused_.empty()) {
    auto [server, answer] = std::move(refused_.front());
    refused_.pop_front();
    carry_out(machine_.server_sent(server, std::move(answer), now()));
  }
}

void merged_servers::asks(const protocol::caller& caller) {
  caller_ = caller;
  for (auto& [id, upstream] : upstreams_)
    upstream.asks(caller);
}

void merged_servers::perform(protocol::send_to_member& effect) {
  asks_several_ = (asked_ && asks_several_) || asked_.value_or(effect.server) != effect.server;
  asked_ = effect.server;
  if (!effect.what.trace && protocol::is_request(effect.what))
    effect.what.trace = trace_;
  if (auto found = upstreams_.find(effect.server); found != upstreams_.end())
    if (auto refused = found->second.send(self_, std::move(effect.what)))
      refused_.emplace_back(effect.server, std::move(*refused));
}

void merged_servers::perform(protocol::send_to_client& effect) { events_.emplace_back(std::move(effect.what)); }

void merged_servers::perform(protocol::member_known& effect) {
  self_->send(registry_, server_known{effect.server, std::move(effect.result)});
}

void merged_servers::perform(protocol::name_hidden& effect) { self_->send(registry_, name_omitted{std::move(effect)}); }

void merged_servers::perform(protocol::list_part_failed& effect) {
  auto is_first = failed_lists_.insert(effect.which).second;
  self_->send(registry_,
              list_part_changed{effect.which, list_part_changed::state::failed, std::move(effect.why), !is_first});
}

void merged_servers::perform(protocol::list_part_recovered& effect) {
  failed_lists_.erase(effect.which);
  self_->send(registry_, list_part_changed{effect.which, list_part_changed::state::recovered});
}

void merged_servers::perform(protocol::member_left& effect) {
  auto node = upstreams_.extract(effect.server);
  if (node.empty())
    return;
  node.mapped().drop(self_);
  std::erase_if(speakers_, [&](auto& one) { return one.second == effect.server; });
}

void merged_servers::perform(protocol::end_catalog& effect) {
  events_.emplace_back(server_lost{std::move(effect.why), effect.is_shortage});
}

} // namespace troupe::actors

#include "actors/session/server_changes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

server_changes::server_changes(registry_parts& parts, const lease_keys& keys)
    : parts_{parts}, keys_{keys}, unready_{share_of(parts.self->at(), protocol::metric::unready, {"server"})} {}

void server_changes::enable(const std::string& name, bool is_so) {
  if (is_so ? disabled_.erase(name) != 0 : disabled_.insert(name).second)
    change(enabled());
}

void server_changes::note(server_readiness&& what, const caf::strong_actor_ptr& server) {
  parts_.servers.note(server, std::move(what));
  unready_.set(parts_.servers.count_unready());
}

/// Replaces the configuration. A server that comes back into the configuration is enabled.
void server_changes::configure(actors::configure& msg) {
  configured_ = std::move(msg.servers);
  std::erase_if(disabled_, [this](auto& name) {
    return std::ranges::find(configured_, name, &server_options::name) == configured_.end();
  });
  change(enabled());
}

std::vector<server_options> server_changes::enabled() const {
  std::vector<server_options> result;
  std::ranges::copy_if(configured_, std::back_inserter(result),
                       [this](auto& one) { return !disabled_.contains(one.name); });
  return result;
}

void server_changes::change(std::vector<server_options> wanted) {
  auto gone = parts_.servers.change(std::move(wanted));
  unready_.set(parts_.servers.count_unready());
  parts_.admission.paths().serve(parts_.servers.paths());
  for (auto& one : gone)
    retire(one);
  end_misplaced_leases();
  tell_members();
}

/// Ignores removed servers, which may end. A configured server has failed: the next sessions get a new actor for it.
void server_changes::replace(const caf::actor_addr& gone) {
  auto failed = parts_.admission.stopping().has_begun() ? std::nullopt : parts_.servers.replace(gone);
  if (!failed)
    return;
  end_leases_of(*failed);
  tell_members();
}

void server_changes::tell_members() {
  for (auto& [id, one] : parts_.book.all())
    if (one.binding.is_merged())
      parts_.self->send(one.session, members_changed{parts_.servers.members()});
}

/// Ends sessions for this server alone once their calls have ended.
void server_changes::retire(const gateway_server& gone) {
  parts_.self->send(gone.as_member.actor, server_retired{});
  for (auto& [id, one] : parts_.book.all())
    if (one.binding.server == gone.as_member.server.id)
      parts_.close(one, {.why = "its server was removed from the configuration", .for_good = true});
}

/// A server restarts what several sessions share; each session restarts what it uses alone.
void server_changes::restart(const gateway_server& which) {
  const auto id = which.as_member.server.id;
  parts_.self->send(which.as_member.actor, restart_request{id});
  for (auto& [session, one] : parts_.book.all())
    if (one.binding.is_merged() || one.binding.server == id)
      parts_.self->send(one.session, restart_request{id});
}

/// Ends leases whose path leads to other servers now, or whose servers share leases by other rules.
void server_changes::end_misplaced_leases() {
  for (auto& [id, one] : parts_.book.all()) {
    if (one.binding.via != protocol::transport::stateless)
      continue;
    auto now = parts_.server_at(one.binding.path, protocol::transport::stateless);
    auto is_same = one.binding.server == (now ? now->as_member.server.id : 0);
    if (is_same && one.affinity == keys_.affinity_at(one.binding.path) &&
        one.rule_servers == keys_.rule_servers_at(one.binding.path))
      continue;
    parts_.close(one, {.why = "the configuration has changed", .for_good = true});
  }
}

/// Ends the leases for this server alone: they have no other server.
void server_changes::end_leases_of(std::uint64_t server) {
  for (auto& [id, one] : parts_.book.all())
    if (one.binding.via == protocol::transport::stateless && one.binding.server == server)
      parts_.close(one, {.why = "its server failed", .at_once = true, .for_good = true});
}

void server_changes::note(name_omitted&& what) {
  if (auto text = parts_.servers.note(std::move(what)))
    parts_.setup.session->log(log_level::warning, "two servers share a name", {{"why", *text}});
}

void server_changes::note(list_part_changed&& what) {
  if (auto text = parts_.servers.note(std::move(what), parts_.now()))
    parts_.setup.session->log(log_level::warning, "a merged list lacks a server's part", {{"why", *text}});
}

} // namespace troupe::actors

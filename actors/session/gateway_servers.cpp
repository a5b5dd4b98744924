#include "actors/session/gateway_servers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe::actors {

std::vector<gateway_server> gateway_servers::change(std::vector<server_options> wanted) {
  auto before = std::exchange(all_, {});
  for (auto& options : wanted) {
    auto same = std::find_if(before.begin(), before.end(), [&](auto& one) { return one.options == options; });
    if (same == before.end()) {
      all_.push_back(begin(std::move(options)));
    } else {
      all_.push_back(std::move(*same));
      before.erase(same);
    }
  }
  return before;
}

gateway_server gateway_servers::begin(server_options options) {
  auto setup = make_setup_(options);
  server_actor actor = spawn_linked<configured_server_state>(registry_, registry_->at(), registry_->address(), setup);
  auto ends = options.on_loss == on_loss::end_sessions;
  auto prefix = options.prefixed ? options.prefix.empty() ? setup->name : options.prefix : std::string{};
  protocol::catalog_server listed{++last_, setup->name, std::move(prefix), options.eager, ends, {}};
  return {std::move(options), setup->rules.request, {std::move(listed), std::move(actor)}};
}

bool gateway_servers::replace(const caf::actor_addr& failed) {
  auto found =
      std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.as_member.actor.address() == failed; });
  if (found == all_.end())
    return false;
  *found = begin(std::move(found->options));
  return true;
}

void gateway_servers::remember(server_known&& what) {
  auto found =
      std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.as_member.server.id == what.server; });
  if (found == all_.end())
    return;
  auto& server = found->as_member.server;
  server.slow = what.result.empty();
  if (!server.slow)
    server.known = std::move(what.result);
}

std::vector<member> gateway_servers::members() const {
  std::vector<member> result;
  for (auto& one : all_)
    result.push_back(one.as_member);
  return result;
}

std::vector<protocol::server_paths::server> gateway_servers::paths() const {
  std::vector<protocol::server_paths::server> result;
  for (auto& one : all_)
    result.push_back({one.as_member.server.name, one.options.recovery == recovery::restore});
  return result;
}

std::chrono::milliseconds gateway_servers::longest_request() const {
  std::chrono::milliseconds result{0};
  for (auto& one : all_)
    result = std::max(result, one.request);
  return result;
}

} // namespace troupe::actors

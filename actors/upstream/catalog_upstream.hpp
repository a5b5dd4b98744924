#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "protocol/catalog/catalog.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::actors {

/// UPSTREAM that merges several servers into one for one session: carries out what the machine decides, and asks for
/// each server when it is first used.
class catalog_upstream_state {
public:
  using interface = catalog_actor;
  static constexpr const char* name = "catalog_upstream";

  /// `session` is how logs call it.
  catalog_upstream_state(pinned<interface>* self, registry_actor registry, downstream_actor user, std::string session,
                         const protocol::catalog_limits& limits, const std::vector<member>& members);
  interface::behavior_type make_behavior();

private:
  void change(const std::vector<member>& members);
  void add(const member& one);
  void give(server_given& msg);
  void lose(const caf::actor_addr& who, const std::string& why, bool is_shortage = false);
  void report(const collector_actor& to);
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::catalog_effects effects);
  void apply(protocol::tell_member& effect);
  void apply(protocol::tell_client& effect);
  void apply(protocol::member_known& effect);
  void apply(protocol::member_slow& effect);
  void apply(protocol::member_left& effect);
  void apply(protocol::name_hidden& effect);
  void apply(protocol::end_catalog& effect);

  pinned<interface>* self_;
  registry_actor registry_;
  downstream_actor user_;
  std::string session_;
  protocol::catalog machine_;
  reminder reminder_;
  std::map<std::uint64_t, lazy_upstream> upstreams_;
  /// Which server a message comes from: its SERVER, or the upstream that leads to it.
  std::map<caf::actor_addr, std::uint64_t> speakers_;
};

using catalog_upstream = actor_of<catalog_upstream_state>;

} // namespace troupe::actors

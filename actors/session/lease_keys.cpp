#include "actors/session/lease_keys.hpp"

#include <variant>

namespace troupe::actors {

namespace {

protocol::lease_affinity affinity_of(const gateway_server& one) {
  switch (one.options.affinity) {
  case affinity::principal:
    return protocol::lease_affinity::principal;
  case affinity::none:
    return protocol::lease_affinity::none;
  case affinity::header:
    return protocol::lease_affinity::header;
  }
  return protocol::lease_affinity::principal;
}

} // namespace

std::optional<protocol::lease_key> lease_keys::key_of(const client_post& msg) const {
  const auto& of = msg.head;
  if (of.is_anonymous_remote)
    return std::nullopt;
  const auto owner = protocol::lease_owner(owner_at(of.server, of.caller), of.is_local, msg.envelope->can);
  return protocol::lease_key_by(affinity_at(of.server), of.server, owner, *msg.envelope);
}

protocol::lease_affinity lease_keys::affinity_at(const std::string& path) const {
  auto result = protocol::lease_affinity::none;
  for (auto& one : parts_.servers_at(path, protocol::transport::stateless))
    result = protocol::joined(result, affinity_of(one));
  return result;
}

std::vector<std::uint64_t> lease_keys::rule_servers_at(const std::string& path) const {
  std::vector<std::uint64_t> result;
  for (auto& one : parts_.servers_at(path, protocol::transport::stateless))
    if (one.sharing_key || one.as_member.access)
      result.push_back(one.as_member.server.id);
  return result;
}

bool lease_keys::is_met_again(const std::string& path) const {
  auto one = parts_.server_at(path, protocol::transport::stateless);
  if (!one)
    return false;
  return std::holds_alternative<remote_server>(one->options.source) || (one->is_one_process && !parts_.cluster.router);
}

/// Returns the owner part of a lease's key. Where servers receive their callers' identity, or have access rules, other
/// claims or scopes make another owner. Only the registry finds such keys.
std::string lease_keys::owner_at(const std::string& path, const protocol::caller& who) const {
  auto result = protocol::identity_of(who);
  for (auto& one : parts_.servers_at(path, protocol::transport::stateless)) {
    auto told = one.sharing_key ? one.sharing_key(who) : std::variant<std::string, protocol::unavailable_attribute>{};
    if (auto* owner = std::get_if<std::string>(&told); owner && one.sharing_key)
      result.append("\n").append(*owner);
    if (one.as_member.access)
      result.append("\n").append(rights_key(who));
  }
  return result;
}

} // namespace troupe::actors

#include "protocol/modern_client/lease_key.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Appends a part after its length, so that different lists of parts never give equal texts.
void append_part(std::string& to, std::string_view part) {
  to.append(std::to_string(part.size())).append(":").append(part);
}

std::optional<std::string> state_text_of(const message& request) {
  auto token = request_state_of(request);
  return token ? string_value(*token) : std::nullopt;
}

int rank_of(lease_affinity one) { return one == lease_affinity::header ? 2 : one == lease_affinity::principal ? 1 : 0; }

} // namespace

lease_affinity joined(lease_affinity one, lease_affinity other) {
  return std::max(one, other, [](auto a, auto b) { return rank_of(a) < rank_of(b); });
}

std::string lease_owner(std::string who, bool is_local, const client_profile& can) {
  return is_local && can.roots ? std::move(who).append("\nlocal") : who;
}

lease_key shared_lease_key(std::string_view path, std::string_view owner, const client_profile& can,
                           std::string_view handle) {
  std::string result{"lease "};
  for (auto part : {path, owner, handle})
    append_part(result, part);
  return {result + profile_key(can)};
}

std::optional<lease_key> lease_key_by(lease_affinity affinity, std::string_view path, std::string_view owner,
                                      const request_envelope& envelope) {
  auto lacks_handle = affinity == lease_affinity::header && envelope.affinity.empty();
  if (lacks_handle || affinity == lease_affinity::none)
    return std::nullopt;
  return shared_lease_key(path, owner, envelope.can, affinity == lease_affinity::header ? envelope.affinity : "");
}

std::string lease_of_retry(const message& request) {
  auto state = state_text_of(request);
  return state ? lease_of_request_state(*state) : std::string{};
}

bool has_own_state(const message& retry, const state_seal& seal) {
  auto state = state_text_of(retry);
  return state && read_request_state(*state, seal);
}

} // namespace troupe::protocol

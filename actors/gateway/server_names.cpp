#include "actors/gateway/server_names.hpp"

#include "actors/hosted/shared_offer.hpp"
#include "actors/troupe/server.hpp"

#include <variant>

namespace troupe::actors {

namespace {

std::string name_from(std::monostate) { return {}; }

std::string name_from(const command_server& one) { return one.program.substr(one.program.rfind('/') + 1); }

/// Without the rest of the URL and a user in it, which may be secret.
std::string name_from(const remote_server& one) {
  const auto slashes = one.url.find("//");
  const auto rest = slashes == std::string::npos ? one.url : one.url.substr(slashes + 2);
  const auto place = rest.substr(0, rest.find_first_of("/?#"));
  return place.substr(place.rfind('@') + 1);
}

std::string name_from(const hosted_server& one) {
  return one.server ? std::string{offer_of(*one.server)->now()->offer.info.at("name").as_string()} : std::string{};
}

std::string name_from(const actor_server&) { return {}; }

} // namespace

std::string own_name(const server_source& source) {
  return std::visit([](const auto& one) { return name_from(one); }, source);
}

std::vector<server_options> named(std::vector<server_options> servers) {
  for (auto& one : servers)
    if (one.name.empty())
      one.name = own_name(one.source);
  return servers;
}

} // namespace troupe::actors

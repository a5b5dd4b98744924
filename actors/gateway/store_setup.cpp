#include "actors/gateway/store_setup.hpp"

#include "actors/cluster/redis_store.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/text/url.hpp"

#include <stdexcept>
#include <utility>

namespace troupe::actors {

std::optional<std::string> why_no_store(const cluster_options&) { return std::nullopt; }

std::optional<node_store> make_node_store(const cluster_home& home, const cluster_options& options,
                                          protocol::node_life life) {
  if (options.store.empty())
    return std::nullopt;
  std::string why_not;
  auto address = protocol::parse_redis_address(options.store, why_not);
  if (!address)
    throw std::runtime_error{"the store's URL is wrong: " + why_not};
  redis_store_setup setup;
  if (address->is_secure)
    setup.trust = std::make_shared<net::client_trust>(options.store_ca_file);
  setup.address = std::move(*address);
  setup.prefix = "troupe:";
  setup.owner = protocol::life_text(life);
  setup.tenure_time = options.heartbeat;
  setup.session_time = home.session_time + 2 * protocol::record_age::spoken;
  setup.log = home.log;
  auto begin = [home, setup](const registry_actor& user) {
    return caf::actor_cast<store_actor>(home.system.spawn<redis_store>(std::ref(home.apart), std::ref(home.thread),
                                                                       caf::actor_cast<store_user_actor>(user),
                                                                       redis_store_setup{setup}));
  };
  return node_store{setup.ours, std::move(begin)};
}

} // namespace troupe::actors

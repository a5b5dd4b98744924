#include "actors/gateway/cluster_setup.hpp"

#include "actors/cluster/cluster.hpp"
#include "actors/cluster/members_file.hpp"
#include "actors/cluster/router.hpp"
#include "actors/gateway/store_setup.hpp"
#include "net/crypto.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "protocol/text/base_encodings.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/time.hpp"

#include <caf/io/middleman.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe::actors {

namespace {

/// Shortest safe heartbeat. On two processors, 60 servers that started at once cost no node its membership or tenure.
constexpr std::chrono::seconds safe_heartbeat{2};

/// Time in which another node of this release finds this one again after a restart, or after a link broke.
constexpr std::chrono::seconds return_time{2};

/// CAF's middlemen connect if they have one of these names in common.
std::vector<std::string> names_between_nodes() {
  std::vector<std::string> result;
  const auto spoken = protocol::versions_spoken_here();
  for (auto version = spoken.oldest; version <= spoken.newest; ++version)
    result.push_back("troupe-" + std::to_string(version));
  return result;
}

/// Throws if a host's actor system has no middleman.
void require_middleman(caf::actor_system& system) {
  if (!system.has_middleman())
    throw std::runtime_error{"the actor system was not configured for a cluster: see troupe::configure"};
}

/// Watches the key file. Keys are read and derived on the thread of the links, which nothing waits for.
void keep_up(net::node_link_options& links, const std::shared_ptr<cluster_keys>& keys, const event_log& log) {
  links.keys = keys->for_links();
  links.look_for_keys = [keys, log]() -> std::optional<std::vector<std::string>> {
    const auto why_not = keys->look();
    if (why_not && !why_not->empty())
      log(log_level::error, "the keys of the cluster stay as they were", {{"why", *why_not}});
    return why_not && why_not->empty() ? std::optional(keys->for_links()) : std::nullopt;
  };
  links.on_new_keys = [log](std::size_t known, std::size_t left_over) {
    log(log_level::info, "keys of the cluster changed",
        {{"keys", std::to_string(known)}, {"links by removed keys", std::to_string(left_over)}});
  };
}

void remember_members(cluster_setup& setup, const cluster_options& options, const event_log& log) {
  if (options.members_file.empty())
    return;
  setup.members = std::make_shared<members_file>(options.members_file, options.name, log);
  setup.membership.remembers = true;
  setup.membership.remembered = setup.members->read();
}

std::shared_ptr<cluster_setup> make_cluster_setup(const cluster_home& home, const cluster_options& options,
                                                  const cluster_node& node, std::promise<std::uint16_t>& listening) {
  auto result = std::make_shared<cluster_setup>();
  auto& membership = result->membership;
  membership.self = {protocol::versions_text(protocol::versions_spoken_here()), node.life, options.name};
  membership.address = options.advertise;
  membership.seeds = options.join;
  membership.settle = options.heartbeat;
  membership.alone = return_time;
  remember_members(*result, options, home.log);
  auto& links = result->links;
  links = {options.host, options.port, {}, options.certificate, options.private_key, options.ca_file};
  keep_up(links, node.keys, home.log);
  links.silence = membership.silence = options.heartbeat * 4 / 5;
  membership.store_patience = 3 * options.heartbeat;
  result->open = std::make_shared<open_links>("troupe-" + protocol::hex(net::random_128()));
  result->middleman = spawn_link_middleman(home.system, result->open);
  result->units = home.units;
  result->thread = &home.thread;
  result->log = home.log;
  result->keep_token = token_keeper_of(home.callers, *home.units.front());
  auto place = protocol::host_port_text(options.host, options.port);
  result->on_listening = [&listening, place](std::uint16_t port, const std::string& why_not) {
    if (why_not.empty())
      return listening.set_value(port);
    auto text = "cannot listen for other nodes at " + place + ": " + why_not;
    listening.set_exception(std::make_exception_ptr(std::runtime_error{text}));
  };
  return result;
}

} // namespace

std::optional<std::string> why_no_node(const cluster_options& options) { return why_no_store(options); }

/// Configures CAF. Idle nodes send heartbeats; the links, not CAF, detect silence.
void configure_cluster(caf::actor_system_config& config, const cluster_options& options) {
  config.load<caf::io::middleman>();
  config.set("middleman.app-identifiers", names_between_nodes());
  // Messages are deserialized on the receiving thread: a hop to a worker costs more.
  config.set("middleman.workers", std::size_t{0});
  config.set("middleman.heartbeat-interval", caf::timespan{options.heartbeat / 5});
  config.set("middleman.connection-timeout", caf::timespan{0});
}

cluster_node begin_node(const cluster_options& options, std::shared_ptr<cluster_keys> keys) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  auto incarnation = static_cast<std::uint64_t>(milliseconds) << 16 | (net::random_64() & 0xFFFF);
  protocol::sealed_session_ids ids{[keys](std::string_view text) { return keys->session_seals(text); }};
  return {{net::digest_64(options.name), incarnation}, std::move(ids), std::move(keys)};
}

std::function<cluster_parts(const registry_actor&)> cluster_joiner(const cluster_home& home,
                                                                   const cluster_options& options,
                                                                   const cluster_node& node,
                                                                   std::promise<std::uint16_t>& listening) {
  require_middleman(home.system);
  auto cluster = make_cluster_setup(home, options, node, listening);
  auto store = make_node_store(home, options, node.life);
  if (store)
    cluster->tenure = store->tenure;
  if (options.heartbeat < safe_heartbeat)
    home.log(log_level::warning, "the heartbeat is short: a node that is busy for that long is taken for lost",
             {{"heartbeat", protocol::seconds_text(options.heartbeat)},
              {"safe from", protocol::seconds_text(safe_heartbeat)}});
  using limits = protocol::lost_lives::limits;
  const limits of_lost{return_time, limits::patience_with(options.heartbeat)};
  return [home, node, cluster, store, of_lost, restores = options.restores_per_second](const registry_actor& registry) {
    auto at = std::ref(*home.units.front());
    auto apart = std::ref(home.apart);
    auto token_of = token_finder_of(home.callers, *home.units.front());
    cluster_parts result;
    if (store) {
      result.store = store->begin(registry);
      result.tenure = store->tenure;
    }
    auto others = std::make_shared<open_nodes>();
    result.others = others;
    result.router = home.system.spawn<router>(
        at, registry, router_setup{node.life, node.ids, result.store, restores, of_lost, token_of, others});
    result.cluster = home.system.spawn<actors::cluster>(apart, registry, result.router, cluster);
    return result;
  };
}

} // namespace troupe::actors

#include "actors/cluster_setup.hpp"

#include "net/digest.hpp"
#include "net/random.hpp"
#include "protocol/host_port.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

namespace troupe::actors {

namespace {

/// Of the messages between nodes: grows with every change to what one node says to another.
constexpr const char* version = "1";

bool is_secure(const cluster_options& options) { return !options.certificate.empty(); }

} // namespace

/// A node that is silent is noticed when the time-out is over, which begins with the last beat.
void configure_cluster(caf::actor_system_config& config, const cluster_options& options) {
  config.load<caf::io::middleman>();
  config.set("middleman.app-identifiers", std::vector<std::string>{std::string{"troupe-"} + version});
  config.set("middleman.heartbeat-interval", caf::timespan{options.heartbeat / 5});
  config.set("middleman.connection-timeout", caf::timespan{options.heartbeat * 4 / 5});
  if (!is_secure(options))
    return;
  config.load<caf::openssl::manager>();
  config.set("openssl.certificate", options.certificate);
  config.set("openssl.key", options.private_key);
  config.set("openssl.cafile", options.ca_file);
}

protocol::node_life begin_life(const std::string& name) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return {net::digest_64(name), static_cast<std::uint64_t>(milliseconds) << 16 | (net::random_64() & 0xFFFF)};
}

protocol::owned_ids make_owned_ids(const std::string& key) {
  return protocol::owned_ids{[key](std::string_view text) { return net::keyed_digest(key, text); }};
}

std::shared_ptr<cluster_setup> make_cluster_setup(caf::actor_system& system, const cluster_options& options,
                                                  protocol::node_life life, std::promise<std::uint16_t>& listening) {
  auto result = std::make_shared<cluster_setup>();
  result->membership.name = options.name;
  result->membership.life = life;
  result->membership.version = version;
  result->membership.address = options.advertise;
  result->membership.seeds = options.join;
  result->membership.settle = options.heartbeat;
  result->host = options.host;
  result->port = options.port;
  result->middleman = is_secure(options) ? system.openssl_manager().actor_handle() : system.middleman().actor_handle();
  auto place = protocol::host_port_text(options.host, options.port);
  result->on_listening = [&listening, place](std::uint16_t port, const std::string& why_not) {
    if (why_not.empty())
      return listening.set_value(port);
    auto text = "cannot listen for other nodes at " + place + ": " + why_not;
    listening.set_exception(std::make_exception_ptr(std::runtime_error{text}));
  };
  return result;
}

} // namespace troupe::actors

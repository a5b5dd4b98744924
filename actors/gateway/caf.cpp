#include "actors/troupe/caf.hpp"

#include "actors/gateway/cluster_setup.hpp"
#include "actors/messages.hpp"

namespace troupe {

void configure(caf::actor_system_config& config) {
  actors::register_messages(config);
  config.add_message_type<server_said>("troupe::server_said")
      .add_message_type<session_begun>("troupe::session_begun")
      .add_message_type<client_said>("troupe::client_said")
      .add_message_type<session_ended>("troupe::session_ended");
}

void configure(caf::actor_system_config& config, const cluster_options& options) {
  configure(config);
  actors::configure_cluster(config, options);
}

} // namespace troupe

#include "actors/gateway/actor_system.hpp"

#include "actors/gateway/cluster_setup.hpp"
#include "actors/troupe/caf.hpp"

namespace troupe {

namespace actors {

own_system::own_system(const gateway_options& options) : configuration_{options}, system_{configuration_} {}

/// Keeps CAF's scheduler small: the gateway's actors have threads of their own.
own_system::configuration::configuration(const gateway_options& options) {
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", std::size_t{1});
  if (options.cluster)
    troupe::configure(*this, *options.cluster);
  else
    troupe::configure(*this);
}

} // namespace actors

namespace actors {

root_actor::behavior_type root_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->link_to(registry_);
  return {
      [this](drain& msg) { self_->send(registry_, msg); },
  };
}

/// Exits without an error after a drain, which must not end the host.
void root_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source != registry_.address())
    self_->send(registry_, drain{drain_step::at_once});
  else if (msg.reason == caf::exit_reason::user_shutdown)
    self_->quit();
  else
    self_->quit(msg.reason);
}

} // namespace actors

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

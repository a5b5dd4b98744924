#include "actors/cluster/link_scribe.hpp"

namespace troupe::actors {

namespace network = caf::io::network;

link_scribe::link_scribe(network::default_multiplexer& at, network::native_socket watched,
                         std::shared_ptr<net::node_link_stream> bytes)
    : scribe{network::conn_hdl_from_socket(watched)}, bytes_{bytes}, stream_{at, watched, std::move(bytes)} {}

void link_scribe::configure_read(caf::io::receive_policy::config config) {
  stream_.configure_read(config);
  if (!std::exchange(is_launched_, true))
    launch();
}

/// Of what was received before nothing would tell.
void link_scribe::launch() {
  stream_.start(this);
  if (bytes_->has_unread())
    stream_.backend().post([self = caf::intrusive_ptr<link_scribe>{this}] {
      if (!self->detached())
        self->stream_.handle_event(network::operation::read);
    });
}

void link_scribe::graceful_shutdown() {
  stream_.graceful_shutdown();
  detach(&stream_.backend(), false);
}

} // namespace troupe::actors

#include "actors/cluster/link_middleman.hpp"

#include "net/node/local_sockets.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/scribe_impl.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace troupe::actors {

namespace {

namespace network = caf::io::network;

/// CAF asks for the address of every socket, and takes one that is not of the internet for a fatal error.
constexpr const char* no_address = "link";

class link_scribe : public network::scribe_impl {
public:
  using scribe_impl::scribe_impl;
  std::string addr() const override { return no_address; }
  std::uint16_t port() const override { return 0; }
};

class link_doorman : public network::doorman_impl {
public:
  link_doorman(network::default_multiplexer& at, network::native_socket socket, std::uint16_t number)
      : doorman_impl{at, socket}, number_{number} {}
  std::string addr() const override { return no_address; }
  std::uint16_t port() const override { return number_; }

  bool new_connection() override {
    net::owned_descriptor accepted{acceptor_.accepted_socket()};
    if (detached())
      return false;
    if (!net::is_from_this_process(accepted.get()))
      return true;
    auto& at = acceptor_.backend();
    auto scribe = caf::make_counted<link_scribe>(at, accepted.release());
    auto handle = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&at, handle);
  }

private:
  std::uint16_t number_;
};

class link_middleman : public caf::io::middleman_actor_impl {
public:
  link_middleman(caf::actor_config& config, caf::actor broker, std::shared_ptr<link_sockets> sockets)
      : middleman_actor_impl{config, std::move(broker)}, sockets_{std::move(sockets)} {}

protected:
  caf::expected<caf::io::scribe_ptr> connect(const std::string& host, std::uint16_t) override {
    auto socket = sockets_->take(host);
    if (!socket)
      return caf::make_error(caf::sec::cannot_connect_to_node);
    return caf::io::scribe_ptr{caf::make_counted<link_scribe>(multiplexer(), socket.release())};
  }

  caf::expected<caf::io::doorman_ptr> open(std::uint16_t number, const char*, bool) override {
    auto socket = net::listen_locally(sockets_->listen_name());
    if (!socket)
      return caf::make_error(caf::sec::cannot_open_port);
    return caf::io::doorman_ptr{caf::make_counted<link_doorman>(multiplexer(), socket.release(), number)};
  }

private:
  network::default_multiplexer& multiplexer() {
    return dynamic_cast<network::default_multiplexer&>(system().middleman().backend());
  }

  std::shared_ptr<link_sockets> sockets_;
};

} // namespace

void link_sockets::put(const std::string& name, net::owned_descriptor socket) {
  waiting_.with([&](auto& waiting) { waiting.insert_or_assign(name, std::move(socket)); });
}

net::owned_descriptor link_sockets::take(const std::string& name) {
  return waiting_.with([&](auto& waiting) {
    auto found = waiting.extract(name);
    return found.empty() ? net::owned_descriptor{} : std::move(found.mapped());
  });
}

caf::io::middleman_actor spawn_link_middleman(caf::actor_system& system, std::shared_ptr<link_sockets> sockets) {
  auto broker = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  return system.spawn<link_middleman, caf::hidden>(std::move(broker), std::move(sockets));
}

} // namespace troupe::actors

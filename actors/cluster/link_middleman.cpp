#include "actors/cluster/link_middleman.hpp"

#include "actors/cluster/link_scribe.hpp"
#include "net/node/local_sockets.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace troupe::actors {

namespace {

namespace network = caf::io::network;

/// Null when the process may not open more sockets.
caf::io::scribe_ptr scribe_of(network::default_multiplexer& at, open_links::bytes link) {
  auto watched = link->duplicate();
  if (!watched)
    return nullptr;
  return caf::make_counted<link_scribe>(at, watched.release(), std::move(link));
}

class link_doorman : public network::doorman_impl {
public:
  link_doorman(network::default_multiplexer& at, network::native_socket socket, std::uint16_t number,
               std::shared_ptr<open_links> links)
      : doorman_impl{at, socket}, number_{number}, links_{std::move(links)} {}
  // CAF takes a socket that is not of the internet for a fatal error.
  std::string addr() const override { return "link"; }
  std::uint16_t port() const override { return number_; }

  bool new_connection() override {
    net::owned_descriptor accepted{acceptor_.accepted_socket()};
    if (detached())
      return false;
    if (!net::is_from_this_process(accepted.get()))
      return true;
    auto link = links_->accept();
    auto scribe = link ? scribe_of(acceptor_.backend(), std::move(link)) : nullptr;
    if (!scribe)
      return true;
    auto handle = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&acceptor_.backend(), handle);
  }

private:
  std::uint16_t number_;
  std::shared_ptr<open_links> links_;
};

class link_middleman : public caf::io::middleman_actor_impl {
public:
  link_middleman(caf::actor_config& config, caf::actor broker, std::shared_ptr<open_links> links)
      : middleman_actor_impl{config, std::move(broker)}, links_{std::move(links)} {}

protected:
  caf::expected<caf::io::scribe_ptr> connect(const std::string& host, std::uint16_t) override {
    auto link = links_->take(host);
    auto scribe = link ? scribe_of(multiplexer(), std::move(link)) : nullptr;
    if (!scribe)
      return caf::make_error(caf::sec::cannot_connect_to_node);
    return scribe;
  }

  caf::expected<caf::io::doorman_ptr> open(std::uint16_t number, const char*, bool) override {
    auto socket = net::listen_locally(links_->listen_name());
    if (!socket)
      return caf::make_error(caf::sec::cannot_open_port);
    return caf::io::doorman_ptr{caf::make_counted<link_doorman>(multiplexer(), socket.release(), number, links_)};
  }

private:
  network::default_multiplexer& multiplexer() {
    return dynamic_cast<network::default_multiplexer&>(system().middleman().backend());
  }

  std::shared_ptr<open_links> links_;
};

} // namespace

void open_links::put(const std::string& name, bytes link) {
  called_.with([&](auto& waiting) { waiting.insert_or_assign(name, std::move(link)); });
}

open_links::bytes open_links::take(const std::string& name) {
  return called_.with([&](auto& waiting) {
    auto found = waiting.extract(name);
    return found.empty() ? nullptr : std::move(found.mapped());
  });
}

/// Who accepts it looks for it then.
void open_links::offer(bytes link) {
  offered_.with([&](auto& waiting) { waiting.push_back(link); });
  if (!net::connect_locally(listen_name_))
    offered_.with([&](auto& waiting) { std::erase(waiting, link); });
}

open_links::bytes open_links::accept() {
  return offered_.with([](auto& waiting) -> bytes {
    if (waiting.empty())
      return nullptr;
    auto first = std::move(waiting.front());
    waiting.pop_front();
    return first;
  });
}

caf::io::middleman_actor spawn_link_middleman(caf::actor_system& system, std::shared_ptr<open_links> links) {
  auto broker = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  return system.spawn<link_middleman, caf::hidden>(std::move(broker), std::move(links));
}

} // namespace troupe::actors

#include "actors/cluster/link_middleman.hpp"

#include "net/node/local_sockets.hpp"

#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/middleman_actor_impl.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>
#include <caf/sec.hpp>

#include <utility>
#include <vector>

namespace troupe::actors {

namespace {

namespace network = caf::io::network;

/// Read and write policy of a CAF stream over the bytes of a link.
class link_policy {
public:
  using state = network::rw_state;
  using descriptor = network::native_socket;

  explicit link_policy(std::shared_ptr<net::node_link_stream> of) : bytes_{std::move(of)} {}

  state read_some(std::size_t& result, descriptor, void* to, std::size_t most) {
    return most == 0 ? state::indeterminate : outcome(bytes_->read(static_cast<char*>(to), most), result);
  }
  state write_some(std::size_t& result, descriptor, const void* from, std::size_t size) {
    return size == 0 ? state::indeterminate : outcome(bytes_->write(static_cast<const char*>(from), size), result);
  }
  bool must_read_more(descriptor, std::size_t) const { return bytes_->has_unread(); }

private:
  static state outcome(std::optional<std::size_t> size, std::size_t& result) {
    result = size.value_or(0);
    return size ? state::success : state::failure;
  }

  std::shared_ptr<net::node_link_stream> bytes_;
};

/// BASP's connection to another node, over a link.
class link_scribe : public caf::io::scribe {
public:
  /// `watched` is a duplicate of the link's socket; CAF closes it.
  link_scribe(network::default_multiplexer& at, network::native_socket watched,
              std::shared_ptr<net::node_link_stream> bytes)
      : scribe{network::conn_hdl_from_socket(watched)}, bytes_{bytes}, stream_{at, watched, std::move(bytes)} {}

  void configure_read(caf::io::receive_policy::config config) override {
    stream_.configure_read(config);
    if (!std::exchange(is_launched_, true))
      launch();
  }

  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  void flush() override { stream_.flush(this); }

  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }

  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }
  // CAF treats a connection without an address as a fatal error.
  std::string addr() const override { return "link"; }
  std::uint16_t port() const override { return 0; }

private:
  /// Starts reading. The socket does not signal bytes that were received before, so a read event is posted for them.
  void launch() {
    stream_.start(this);
    if (bytes_->has_unread())
      stream_.backend().post([self = caf::intrusive_ptr<link_scribe>{this}] {
        if (!self->detached())
          self->stream_.handle_event(network::operation::read);
      });
  }

  bool is_launched_ = false;
  std::shared_ptr<net::node_link_stream> bytes_;
  network::stream_impl<link_policy> stream_;
};

/// Returns null if the process cannot open more sockets.
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
  // CAF treats a socket that is not an internet socket as a fatal error.
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
    auto link = links_->extract(host);
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

open_links::bytes open_links::extract(const std::string& name) {
  return called_.with([&](auto& waiting) {
    auto found = waiting.extract(name);
    return found.empty() ? nullptr : std::move(found.mapped());
  });
}

/// Queues the link before the wake-up: the doorman takes it as soon as it accepts.
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

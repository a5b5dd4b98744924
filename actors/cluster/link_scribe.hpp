#pragma once

#include "net/node/node_link_stream.hpp"

#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// How a stream of CAF reads and writes the bytes of a link.
class link_policy {
public:
  using state = caf::io::network::rw_state;
  using descriptor = caf::io::network::native_socket;

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

/// BASP's connection to another node: the bytes of a link.
class link_scribe : public caf::io::scribe {
public:
  /// `watched` is a descriptor of the link's socket, which CAF closes.
  link_scribe(caf::io::network::default_multiplexer& at, caf::io::network::native_socket watched,
              std::shared_ptr<net::node_link_stream> bytes);

  void configure_read(caf::io::receive_policy::config config) override;
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  void flush() override { stream_.flush(this); }
  void graceful_shutdown() override;
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }
  // CAF takes a connection without an address for a fatal error.
  std::string addr() const override { return "link"; }
  std::uint16_t port() const override { return 0; }

private:
  void launch();

  bool is_launched_ = false;
  std::shared_ptr<net::node_link_stream> bytes_;
  caf::io::network::stream_impl<link_policy> stream_;
};

} // namespace troupe::actors

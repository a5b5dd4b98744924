#pragma once

#include "net/byte_stream.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <vector>

namespace troupe::net {

/// Carries bytes between another node and a local stream socket, both ways, until either side closes or nothing has
/// come from the other node for too long.
///
/// Reads no more from the one than the other takes. Lives on one thread, kept alive by its own operations; never
/// blocks. After `close` nobody is told anything. The stream is its owner's to close.
class node_link_pump : public std::enable_shared_from_this<node_link_pump> {
public:
  static constexpr std::size_t most_unsent = 64 * 1024;

  /// `first` came from the other node already. Silence counts only while we listen: a local side that takes nothing is
  /// not the other node's fault.
  node_link_pump(std::shared_ptr<byte_stream> remote, std::string first, std::chrono::milliseconds silence);
  node_link_pump(const node_link_pump&) = delete;
  node_link_pump& operator=(const node_link_pump&) = delete;

  /// Owns the descriptor from now on. Tells when it is over, and the local side is closed.
  void start(int local_descriptor, std::function<void()> on_end);
  void close();

private:
  using error_code = boost::system::error_code;

  void read_remote();
  void write_local(boost::asio::const_buffer what);
  void read_local();
  void write_remote(std::size_t size);
  void watch();
  void on_watched();
  void finish();

  std::shared_ptr<byte_stream> remote_;
  boost::asio::local::stream_protocol::socket local_;
  std::string first_;
  std::vector<char> from_local_;
  std::chrono::milliseconds silence_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer::time_point heard_;
  bool is_listening_ = false;
  std::function<void()> ended_;
};

} // namespace troupe::net

#pragma once

#include "net/reach.hpp"
#include "protocol/text/host_port.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::net {

/// Connects to a host: looks up its name, then tries its addresses in turn.
///
/// Lives on one thread, kept alive by its own operations; never blocks. Calls back once, never from inside a call to
/// it, and not after `cancel`.
class tcp_connect : public std::enable_shared_from_this<tcp_connect> {
public:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;
  /// Receives the connected socket; otherwise the cause, and one line that names the host.
  using on_end = std::function<void(tcp::socket socket, error_code error, std::string why_not)>;

  /// Shares `time` between the addresses; 0 means no limit.
  tcp_connect(const tcp::socket::executor_type& on, protocol::host_port to, std::chrono::milliseconds time, reach may,
              on_end then);
  tcp_connect(const tcp_connect&) = delete;
  tcp_connect& operator=(const tcp_connect&) = delete;

  void start();
  void cancel();

private:
  void look_up();
  void try_each(std::vector<tcp::endpoint> addresses);
  void try_next();
  void pass_over_later();
  void on_tried(error_code error);
  void end(error_code error, std::string why_not);

  protocol::host_port to_;
  std::chrono::milliseconds time_;
  reach may_;
  on_end ended_;
  /// Resolver, only for a host name.
  std::optional<tcp::resolver> resolver_;
  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  /// Addresses not yet tried, the next one last.
  std::vector<tcp::endpoint> addresses_;
};

} // namespace troupe::net

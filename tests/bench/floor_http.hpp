#pragma once

#include "tests/bench/floor_child.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::bench {

class floor_connection;

/// The source of a floor's answers.
enum class answers {
  /// A canned text, with the request's id.
  canned,
  /// A child shared by all connections.
  shared_child,
  /// A child for each connection.
  own_child
};

/// An HTTP server written for this one purpose, as a lower bound of the cost.
class floor_server {
public:
  floor_server(boost::asio::io_context& context, std::uint16_t port, answers from, std::vector<std::string> command);
  ~floor_server();
  floor_server(const floor_server&) = delete;
  floor_server& operator=(const floor_server&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  /// The child for a new connection; null for canned answers.
  std::shared_ptr<floor_child> child();
  bool owns_child() const { return from_ == answers::own_child; }

  void streams(const std::shared_ptr<floor_connection>& connection) { streams_.insert(connection); }
  void streams_no_more(const std::shared_ptr<floor_connection>& connection) { streams_.erase(connection); }
  /// Sends an event to each stream, in turn.
  void publish();

private:
  void do_accept();

  boost::asio::io_context& context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  answers from_;
  std::vector<std::string> command_;
  std::shared_ptr<floor_child> shared_;
  std::set<std::shared_ptr<floor_connection>> streams_;
};

} // namespace troupe::bench

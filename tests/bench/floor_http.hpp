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

/// Where the answers of a floor come from.
enum class answers {
  /// A canned text, with the request's id.
  canned,
  /// The line of one child that all connections share.
  shared_child,
  /// The line of a child that each connection has for itself.
  own_child
};

/// A server of HTTP as a good programmer would write it who has only this to do.
class floor_server {
public:
  floor_server(boost::asio::io_context& context, std::uint16_t port, answers from, std::vector<std::string> command);
  ~floor_server();
  floor_server(const floor_server&) = delete;
  floor_server& operator=(const floor_server&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  /// The child that a new connection asks; none when the answers are canned.
  std::shared_ptr<floor_child> child();
  bool owns_child() const { return from_ == answers::own_child; }

  void streams(const std::shared_ptr<floor_connection>& connection) { streams_.insert(connection); }
  void streams_no_more(const std::shared_ptr<floor_connection>& connection) { streams_.erase(connection); }
  /// Sends an event to each stream, one after the other.
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

#pragma once

#include "net/node/node_link_handshake.hpp"
#include "tests/support/link_node.hpp"

#include <cstdint>
#include <string>

namespace troupe::tests {

/// Tests of links between nodes; the suite is in several files.
class node_link_test : public tidy_test {};

/// Long enough that only a test about it meets it.
inline net::node_link_options patient() {
  net::node_link_options result;
  result.limit = result.silence = patience;
  return result;
}

/// Somebody who calls a node by hand.
class caller {
public:
  explicit caller(std::uint16_t port, const std::string& key = cluster_key) : wire{port}, talk{true, key, "caller"} {}

  /// As far as to the proof of both.
  void prove() {
    wire.send(talk.greeting());
    auto greeting = wire.read_until("\n");
    wire.send(talk.feed(greeting + wire.read(std::stoul(greeting.substr(greeting.rfind(' '))))));
    talk.feed(wire.read_until("\n"));
  }

  tcp_client wire;
  net::node_link_handshake talk;
};

} // namespace troupe::tests

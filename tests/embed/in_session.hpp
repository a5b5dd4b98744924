#pragma once

#include "tests/support/client_hello.hpp"
#include "tests/support/tcp_client.hpp"

#include <troupe/gateway.hpp>
#include <troupe/server.hpp>

#include <future>
#include <memory>
#include <string>
#include <utility>

namespace troupe::tests {

/// The options of a gateway with one server.
inline gateway_options serving(std::shared_ptr<server> what) {
  gateway_options result;
  result.port = 0;
  result.threads = 2;
  result.grace = {};
  result.servers.push_back({.source = hosted(std::move(what))});
  return result;
}

inline std::string post(const std::string& body, const std::string& session = {}) {
  return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Accept: application/json, text/event-stream\r\n" +
         (session.empty() ? "" : "Mcp-Session-Id: " + session + "\r\n") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline const std::string hello = client_hello("1", "2025-11-25");

/// A client with an open session.
struct in_session {
  explicit in_session(const gateway& at) : socket{at.port()} {
    socket.send(post(hello));
    auto head = socket.read_answer().head;
    auto from = head.find("Mcp-Session-Id: ") + 16;
    session = head.substr(from, head.find("\r\n", from) - from);
  }
  /// Opens another connection for the session of the same client.
  in_session(const gateway& at, std::string of) : socket{at.port()}, session{std::move(of)} {}

  void tell(const std::string& what) { socket.send(post(what, session)); }
  void call(const std::string& tool) {
    tell(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":")" + tool + "\"}}");
  }

  tcp_client socket;
  std::string session;
};

/// A server whose only tool stores its call without answering.
struct keeper {
  keeper() {
    what->tool({.name = "keep"}, [this](const call& one) { kept.set_value(one); });
  }

  std::shared_ptr<server> what = std::make_shared<server>(server_info{.name = "keeper"});
  std::promise<call> kept;
};

} // namespace troupe::tests

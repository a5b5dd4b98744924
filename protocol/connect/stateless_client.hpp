#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/modern_client/server_as_modern.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// State of a stateless (2026-07-28) client on stdio, and the adapter (`server_as_modern`) that makes its server look
/// stateless too. Each request is an exchange of its own.
class stateless_client {
public:
  /// Result of a fact: lines for the client, messages for the server.
  struct outcome {
    std::vector<std::string> lines = {};
    std::vector<message> for_server = {};
    /// True if the server must get a new session before `for_server`.
    bool is_anew = false;
  };

  /// `seal`: see `request_state`.
  stateless_client(std::string version, state_seal seal);
  stateless_client(const stateless_client&) = delete;
  stateless_client& operator=(const stateless_client&) = delete;

  outcome client_sent(message what, time_point now);
  outcome server_sent(message what, time_point now);
  outcome tick(time_point now);
  /// The server's session ends: answers all requests in flight; the next request begins a new session.
  outcome end(std::string_view why);

  /// Time at which `tick` is due.
  time_point deadline() const { return adapter_ ? adapter_->deadline() : time_point::max(); }
  /// Whether the server was found to be stateless (2026-07-28), so that requests pass unchanged.
  bool is_passing() const { return adapter_ && adapter_->is_passing(); }
  /// Number of requests that await answers, except listens.
  std::size_t calls_in_flight() const { return adapter_ ? adapter_->calls_in_flight() : 0; }

private:
  /// Request of the client, which may wait for ever.
  struct exchange {
    std::string id;
    static constexpr time_point deadline = time_point::max();
    static constexpr std::optional<std::uint64_t> requester() { return 0; }
  };

  void ask(message&& request, time_point now, outcome& out);
  void begin(const client_profile& can, outcome& out);
  void cancel(const message& cancelled, time_point now, outcome& out);
  void translate(stateless_effects adapted, outcome& out);

  const std::string version_;
  const state_seal seal_;
  /// Created by the first request. Recreated when a later request declares more client capabilities and nothing is in
  /// flight. A server with sessions learns the capabilities only when its session begins.
  std::unique_ptr<server_as_modern> adapter_;
  /// Client capabilities that any request has declared.
  client_profile can_;
  /// Requests in flight; our id of each is its exchange.
  request_table<exchange> under_way_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/connect/remote_connection.hpp"
#include "protocol/modern_server/server_as_legacy.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace troupe::protocol {

/// Connections to one remote server, one after another, of which only the latest is in use. Numbers of HTTP requests
/// are unique across all of them; events of requests of earlier connections are recognised as such.
class remote_connections {
public:
  /// Begins a connection. `seed`: see `remote_server`.
  void connect(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed) {
    ++count_;
    wire_ = std::make_unique<remote_connection>(options, std::move(adapter), seed + count_);
  }

  /// Whether the request is one of the connection in use.
  bool is_current(http_call_id call) const { return wire_ && call >> bits_of_call == count_; }

  // -- facts of the connection in use, if there is one
  remote_connection::effects user_sent(message what, time_point now) {
    return wire_ ? numbered(wire_->user_sent(std::move(what), now)) : remote_connection::effects{};
  }
  void call_waits(http_call_id call) {
    if (is_current(call))
      wire_->call_waits(within_wire(call));
  }
  remote_connection::effects told(call_event news, time_point now) {
    if (!is_current(news.call))
      return {};
    news.call = within_wire(news.call);
    return numbered(wire_->told(news, now));
  }
  remote_connection::effects tick(time_point now) {
    return wire_ ? numbered(wire_->tick(now)) : remote_connection::effects{};
  }
  time_point deadline() const { return wire_ ? wire_->deadline() : time_point::max(); }

  // -- end of the connection in use
  /// The server ended the connection.
  void lost() { wire_.reset(); }
  remote_connection::effects leave() {
    auto wire = std::exchange(wire_, nullptr);
    return wire ? numbered(wire->leave()) : remote_connection::effects{};
  }

private:
  /// Bits of a request number within its connection; the bits above hold the connection's number.
  static constexpr unsigned bits_of_call = 40;

  static http_call_id within_wire(http_call_id call) { return call & ((http_call_id{1} << bits_of_call) - 1); }

  remote_connection::effects numbered(remote_connection::effects those) const {
    auto number = [this](auto& effect) {
      if constexpr (requires { effect.call; })
        effect.call |= count_ << bits_of_call;
    };
    for (auto& one : those)
      std::visit(number, one);
    return those;
  }

  std::unique_ptr<remote_connection> wire_;
  /// Number of connections so far.
  std::uint64_t count_ = 0;
};

} // namespace troupe::protocol

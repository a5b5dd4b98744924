#pragma once

#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/span.hpp"
#include "protocol/trace/trace_position.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a span begins with.
struct span_start {
  span::kind is = span::kind::server;
  /// Of the span; not zero.
  std::uint64_t id = 0;
  std::chrono::system_clock::time_point now = {};
};

/// Begins the span of a request that is sampled, and makes it what the request is a part of from now on.
span begin_span(message& request, const operation& what, const span_start& how);

/// Longer values of attributes are cut: clients and servers choose some of them.
inline constexpr std::size_t longest_span_value = 1024;

/// The spans of the sampled requests of one user to a server, each from when it is sent until it is answered, cancelled
/// or lost.
class client_spans {
public:
  explicit client_spans(std::shared_ptr<const operation_peer> server) : server_{std::move(server)} {}

  /// A request that is sampled goes to the server.
  void sent(message& request, const span_start& how, time_point now);
  /// What the server or its user says ends a span, if it does.
  std::optional<span> heard(const message& what, time_point now);
  /// All that is under way ends like that.
  std::vector<span> end_all(call_outcome how, time_point now);

  std::size_t size() const { return under_way_.size(); }
  /// Of more the first are forgotten.
  static constexpr std::size_t most = 2048;

private:
  struct request {
    std::string id;
    time_point began;
    span what;
  };

  std::optional<span> end(std::string_view id, call_outcome how, time_point now);

  std::shared_ptr<const operation_peer> server_;
  /// Few at a time.
  std::vector<request> under_way_;
};

} // namespace troupe::protocol

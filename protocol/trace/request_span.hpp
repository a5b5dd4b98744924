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

/// Initial data of a span.
struct span_start {
  span::kind is = span::kind::server;
  /// Id of the span; not zero.
  std::uint64_t id = 0;
  std::chrono::system_clock::time_point now = {};
};

/// Begins the span of a sampled request, and makes it the parent of the request's further spans.
span begin_span(message& request, const operation& what, const span_start& how);

/// Longest attribute value, in bytes. Longer ones are cut: clients and servers choose some of them.
inline constexpr std::size_t longest_span_value = 1024;

/// Spans of the sampled requests of one user to a server, each from sending until it is answered or cancelled, or the
/// server exits.
class client_spans {
public:
  explicit client_spans(std::shared_ptr<const operation_peer> server) : server_{std::move(server)} {}

  /// Begins the span of a sampled request that goes to the server.
  void sent(message& request, const span_start& how, time_point now);
  /// Ends the span that a message of the server or of its user completes; nullopt if there is none.
  std::optional<span> heard(const message& what, time_point now);
  /// Ends all open spans with that outcome.
  std::vector<span> end_all(call_outcome how, time_point now);

  std::size_t size() const { return under_way_.size(); }
  /// Maximum number of open spans; if there are more, the oldest are forgotten.
  static constexpr std::size_t most = 2048;

private:
  struct request {
    std::string id;
    time_point began;
    span what;
  };

  std::optional<span> end(std::string_view id, call_outcome how, time_point now);

  std::shared_ptr<const operation_peer> server_;
  /// Open spans; few at a time.
  std::vector<request> under_way_;
};

} // namespace troupe::protocol

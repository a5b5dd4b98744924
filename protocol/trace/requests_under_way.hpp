#pragma once

#include "protocol/message/call_outcome.hpp"
#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/metrics/thread_metrics.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/span.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Requests of one user to a server, each from sending until it is answered or cancelled, or the server exits. Measures
/// those whose id is a number of the gateway's own, and has the spans of sampled ones.
class requests_under_way {
public:
  /// `in` is null if nothing is measured. `server` is null for a user whose requests are followed elsewhere.
  requests_under_way(thread_metrics* in, std::shared_ptr<const operation_peer> server)
      : in_{server ? in : nullptr}, server_{std::move(server)} {}

  /// Processes a message for the server. A sampled request, one with a start for its span, becomes its parent. Returns
  /// the span of a request that the message cancels; nullopt if there is none.
  std::optional<span> sent(message& what, time_point now, const std::optional<span_start>& sampled = {});
  /// Returns the span of the request that a message of the server answers; nullopt if there is none.
  std::optional<span> received(const message& what, time_point now);
  /// Ends all requests with that outcome: the server exited, or its answers are no longer wanted. Returns their spans.
  std::vector<span> end_all(call_outcome how, time_point now);

  /// Null for a user whose requests are followed elsewhere.
  const operation_peer* server() const { return server_.get(); }
  std::size_t size() const { return all_.size(); }
  /// Maximum number of requests; if there are more, the oldest are forgotten.
  static constexpr std::size_t most = 2048;

private:
  /// Number of a request whose id is no number. Such a request is sampled.
  static constexpr auto no_number = std::numeric_limits<std::uint64_t>::max();

  struct sampled_request {
    /// Id, unless it is a number of the gateway's own.
    std::string id;
    protocol::span span;
  };
  struct request {
    request(std::uint64_t own, operation&& asked, time_point now) : number{own}, what{std::move(asked)}, began{now} {}

    std::uint64_t number;
    operation what;
    time_point began;
    /// Null unless the request is sampled.
    std::unique_ptr<sampled_request> sampled = {};
  };

  using requests = std::vector<request>;

  span begin_span(message& what, const operation& of, const span_start& how) const;
  std::optional<span> end(std::string_view id, call_outcome how, time_point now);
  std::optional<span> close(request& one, call_outcome how, time_point now) const;
  /// Removes in constant time, whatever the number of requests.
  void remove(requests::iterator which);

  thread_metrics* in_;
  std::shared_ptr<const operation_peer> server_;
  /// In no order; few at a time.
  requests all_;
};

} // namespace troupe::protocol

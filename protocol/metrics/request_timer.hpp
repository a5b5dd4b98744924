#pragma once

#include "protocol/message/message.hpp"
#include "protocol/metrics/operation.hpp"
#include "protocol/metrics/thread_metrics.hpp"
#include "protocol/time.hpp"

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe::protocol {

/// Timer of the requests of one user to a server, each from sending until it is answered or cancelled, or the server
/// exits. Their ids are numbers of the gateway's own.
class request_timer {
public:
  request_timer(thread_metrics& in, std::shared_ptr<const operation_peer> server)
      : in_{in}, server_{std::move(server)} {}

  void sent(const message& what, time_point now);
  void heard(const message& what, time_point now);
  /// Ends all requests with that outcome: the server exited, or its answers are no longer wanted.
  void end_all(call_outcome how, time_point now);

  std::size_t size() const { return under_way_.size(); }
  /// Maximum number of requests; if there are more, the oldest are forgotten.
  static constexpr std::size_t most = 2048;

private:
  struct request {
    request(std::uint64_t own, operation&& asked, time_point now) : id{own}, what{std::move(asked)}, began{now} {}

    std::uint64_t id;
    operation what;
    time_point began;
  };
  /// Most users have one request at a time.
  using requests = boost::container::small_vector<request, 1>;

  requests::iterator place_of(std::uint64_t id);
  void end(std::string_view id, call_outcome how, time_point now);
  void tell(const request& one, call_outcome how, time_point now);

  thread_metrics& in_;
  std::shared_ptr<const operation_peer> server_;
  /// Requests in flight, sorted by id.
  requests under_way_;
};

} // namespace troupe::protocol

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

/// Times the requests of one user to a server, each from when it is sent until it is answered, cancelled or lost. Their
/// ids are numbers of the gateway's own.
class request_timer {
public:
  request_timer(thread_metrics& in, std::shared_ptr<const operation_peer> server)
      : in_{in}, server_{std::move(server)} {}

  void sent(const message& what, time_point now);
  void heard(const message& what, time_point now);
  /// All that is under way ends like that: the server is lost, or nobody wants to know its answers any more.
  void end_all(call_outcome how, time_point now);

  std::size_t size() const { return under_way_.size(); }
  /// Of more the first are forgotten.
  static constexpr std::size_t most = 2048;

private:
  struct request {
    request(std::uint64_t own, operation&& asked, time_point now) : id{own}, what{std::move(asked)}, began{now} {}

    std::uint64_t id;
    operation what;
    time_point began;
  };
  /// Most have one at a time.
  using requests = boost::container::small_vector<request, 1>;

  requests::iterator place_of(std::uint64_t id);
  void end(std::string_view id, call_outcome how, time_point now);
  void tell(const request& one, call_outcome how, time_point now);

  thread_metrics& in_;
  std::shared_ptr<const operation_peer> server_;
  /// By their ids.
  requests under_way_;
};

} // namespace troupe::protocol

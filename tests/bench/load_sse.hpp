#pragma once

#include "tests/bench/load_loop.hpp"

#include <optional>
#include <string>

namespace troupe::bench {

/// A session of HTTP+SSE: a stream for all answers, and a connection for requests.
class sse_session final : public caller {
public:
  sse_session(poller& all, const load_options& options, tally& seen);

  /// Opens the stream, waits for `endpoint`, and sends `initialize` and `notifications/initialized`.
  void begin(then done) override;
  /// A call ends when its request was accepted and its answer has come on the stream.
  void call(then done) override;
  void end(then done) override;
  void close();

private:
  void heard(reply& part);
  void take_endpoint(std::string_view event);
  void receive_response(std::string_view event);
  void accepted();

  const load_options& options_;
  tally& seen_;
  socket stream_;
  socket requests_;
  target endpoint_;
  then done_;
  std::optional<call_request> call_;
  int awaited_ = 0; // the answer and the acceptance of the request
  bool ends_ = false;
};

} // namespace troupe::bench

#pragma once

#include "tests/bench/load_options.hpp"
#include "tests/bench/load_socket.hpp"

#include <functional>
#include <string>

namespace troupe::bench {

/// A session and the connection of its requests, one at a time.
class session {
public:
  using then = std::function<void()>;

  session(poller& all, const load_options& options, tally& seen);

  /// `initialize` and `notifications/initialized`.
  void begin(then done);
  /// Sends DELETE.
  void end(then done);
  const std::string& id() const { return id_; }
  /// Uses this session from now on.
  void adopt(std::string id) { id_ = std::move(id); }
  socket& connection() { return connection_; }

private:
  const load_options& options_;
  tally& seen_;
  socket connection_;
  std::string id_;
};

/// Records a failure with the answer that was received.
void fail(tally& seen, std::string_view what, const reply& answer);

} // namespace troupe::bench

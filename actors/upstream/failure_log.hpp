#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/upstream_messages.hpp"
#include "net/guarded.hpp"
#include "protocol/server_diagnostics.hpp"
#include "protocol/text/secret_mask.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Diagnostics of one server: its processes add lines, its upstreams add failures, operators read.
using shared_diagnostics = std::shared_ptr<net::guarded<protocol::server_diagnostics>>;
using shared_mask = std::shared_ptr<const protocol::secret_mask>;

/// Failure of an upstream.
struct upstream_failure {
  std::string why;
  ended_run run = {};
  /// Whether the gateway lacked descriptors, memory or processes: says nothing about the server.
  bool is_shortage = false;
  /// Shortened id of the session that was its only user; empty if there was none, or several.
  std::string session = {};
  /// Time until the next start; empty if there is none before a client needs it.
  std::optional<std::chrono::milliseconds> next_try = {};
  /// Whether it failed so often that the pause is a long one.
  bool is_resting = false;
};

/// Record of one server's failures: a line in the log for each, and the last of them in its diagnostics. Lines have no
/// secrets of the server's environment. Callable from any thread.
class failure_log {
public:
  failure_log() = default;
  /// A process that fails in the pool is replaced after `spare_pause`.
  failure_log(std::string server, event_log log, shared_mask mask, std::chrono::milliseconds spare_pause)
      : server_{std::move(server)}, log_{std::move(log)}, mask_{std::move(mask)}, spare_pause_{spare_pause} {}

  /// Writes the one line of a failure.
  void failed(const upstream_failure& what, protocol::time_point now) const;
  /// Writes that no process is started for further sessions for a while.
  void refused(const std::string& why, std::chrono::milliseconds pause, protocol::time_point now) const;
  /// Returns a function that writes why the server cannot work; it may outlive this object.
  std::function<void(std::string why)> obstacle_writer() const;

  /// Removes the secrets from a text of the server.
  std::string masked(std::string text) const { return mask_->masked(std::move(text)); }
  const shared_mask& mask() const { return mask_; }
  const shared_diagnostics& diagnostics() const { return diagnostics_; }
  std::chrono::milliseconds spare_pause() const { return spare_pause_; }

private:
  std::string server_;
  event_log log_;
  shared_mask mask_ = std::make_shared<const protocol::secret_mask>();
  shared_diagnostics diagnostics_ = std::make_shared<net::guarded<protocol::server_diagnostics>>();
  std::chrono::milliseconds spare_pause_{};
};

} // namespace troupe::actors

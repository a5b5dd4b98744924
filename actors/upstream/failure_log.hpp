#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/text/secret_mask.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Record of one server's failures: a line in the log for each, and the last of them in its diagnostics. Lines have no
/// secrets of the server's environment.
class failure_log {
public:
  /// A process that fails in the pool is replaced after `spare_pause`.
  failure_log(std::string server, event_log log, shared_diagnostics diagnostics,
              std::shared_ptr<const protocol::secret_mask> mask, std::chrono::milliseconds spare_pause)
      : server_{std::move(server)}, log_{std::move(log)}, diagnostics_{std::move(diagnostics)}, mask_{std::move(mask)},
        spare_pause_{spare_pause} {}

  /// Writes the one line of a failure. `refused` is for how long starts for further users are refused, if they are.
  void failed(const upstream_failed& what, std::optional<std::chrono::milliseconds> refused,
              protocol::time_point now) const;
  /// Returns a function that writes why the server cannot work; it may outlive this object.
  std::function<void(std::string why)> obstacle_writer() const;

private:
  std::string server_;
  event_log log_;
  shared_diagnostics diagnostics_;
  std::shared_ptr<const protocol::secret_mask> mask_;
  std::chrono::milliseconds spare_pause_;
};

} // namespace troupe::actors

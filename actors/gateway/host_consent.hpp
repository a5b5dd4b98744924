#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/worker_pool.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace troupe::actors {

/// Asks the host of a gateway whether sessions may begin, on threads apart, which that may block.
///
/// Destroying it waits until all that was asked has been answered.
class host_consent {
public:
  explicit host_consent(const gateway_options& options) : judge_{options.refuse_session}, log_{options.log} {}

  /// Asks one question, and sends the answer; see `registry_setup`. Callable from any thread while this is there. Empty
  /// when the host does not want to be asked.
  std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> asker();
  bool is_current() const { return threads_.is_current(); }

private:
  std::optional<protocol::rejection> refuse(const session_request& what) const;

  session_judge judge_;
  event_log log_;
  net::worker_pool threads_{4, 1000};
};

} // namespace troupe::actors

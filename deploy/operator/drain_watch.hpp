#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace troupe::deploy {

/// Progress of a gateway's drain, from repeated answers of `/api/node`.
class drain_progress {
public:
  enum class state {
    /// Sessions leave at the ordered rate.
    moving,
    /// All sessions that can move have left; the gateway ends when calls in flight have finished.
    ending,
    /// The gateway has exited, or another process is in its place.
    ended,
    /// An operator has cancelled the drain.
    stays
  };

  /// Takes the answer of `/api/node`; empty when the gateway does not answer.
  state update(const std::optional<boost::json::value>& node);
  /// Formats the progress for people: `to move 12, moved 88, stay 3, calls 2`.
  std::string text() const;
  std::string json() const;

private:
  state is_ = state::moving;
  std::optional<boost::json::value> first_;
  boost::json::value last_;
  std::size_t misses_ = 0;
};

/// Orders a drain at a rate, and prints a line for each change until the gateway has ended. Throws `operator_failure`,
/// also when the drain is cancelled.
void run_drain(const operator_client& client, const operator_options& options, const drain_gateway& action);

} // namespace troupe::deploy

#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace troupe::deploy {

/// How far a gateway has drained, from what `/api/node` says of it again and again.
class drain_progress {
public:
  enum class state {
    /// Sessions leave at the rate.
    moving,
    /// Those that could have left; it ends when calls have finished.
    ending,
    /// It is gone, or another process is in its place.
    ended,
    /// An operator wants it to stay.
    stays
  };

  /// What it says; nothing when it does not answer.
  state heard(const std::optional<boost::json::value>& node);
  /// `to move 12, moved 88, stay 3, calls 2`
  std::string text() const;
  std::string json() const;

private:
  state is_ = state::moving;
  std::optional<boost::json::value> first_;
  boost::json::value last_;
  std::size_t misses_ = 0;
};

/// Orders the drain at a rate and shows how far it has come, a line for each change, until the gateway has ended.
/// Throws `operator_failure`, also when it is to stay after all.
void run_drain(const operator_client& client, const operator_options& options, const drain_gateway& wish);

} // namespace troupe::deploy

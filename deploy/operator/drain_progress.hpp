#pragma once

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

} // namespace troupe::deploy

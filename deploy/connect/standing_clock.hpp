#pragma once

#include "protocol/time.hpp"

#include <optional>

namespace troupe::deploy {

/// A clock that can be stopped: it says how long others have had time for something. Who asks says what time it is.
class standing_clock {
public:
  bool stands() const { return stopped_at_.has_value(); }
  void stop(protocol::time_point now) {
    if (!stopped_at_)
      stopped_at_ = now;
  }
  void go_on(protocol::time_point now) {
    if (stopped_at_)
      stood_ += now - *stopped_at_;
    stopped_at_.reset();
  }

  protocol::time_point at(protocol::time_point now) const { return stopped_at_.value_or(now) - stood_; }
  /// When it says that, if it goes on; it must not stand.
  protocol::time_point when(protocol::time_point shown) const { return shown + stood_; }

private:
  std::optional<protocol::time_point> stopped_at_;
  protocol::time_point::duration stood_{0};
};

} // namespace troupe::deploy

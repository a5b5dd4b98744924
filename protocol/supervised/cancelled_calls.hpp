#pragma once

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace troupe::protocol {

/// Requests that were cancelled at a server, but that it may still work on: it may ask something on behalf of one yet,
/// and servers that heed a cancellation never answer the request. Each is remembered until the server has answered it,
/// or for 30 seconds.
class cancelled_calls {
public:
  /// `own` is our id for the request, `user` who had sent it.
  void add(std::uint64_t own, user_id user, time_point now);
  void answered(std::uint64_t own) { all_.erase(own); }
  void tick(time_point now);
  void clear() { all_.clear(); }

  /// Whether all of them are of this user; false when there were too many to remember each.
  bool only_of(user_id user) const;

private:
  struct cancelled_call {
    user_id user = 0;
    time_point until = {};
  };
  std::map<std::uint64_t, cancelled_call> all_;
};

} // namespace troupe::protocol

#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string_view>

namespace troupe::protocol {

/// Messages of users that wait until their server has started, in the order in which they came. Bounded in messages for
/// each user, and in bytes for all together.
class start_queue {
public:
  struct entry {
    user_id user = 0;
    message what;
  };

  start_queue(std::size_t most_of_user, std::size_t most_bytes)
      : most_of_user_{most_of_user}, most_bytes_{most_bytes} {}

  /// An `initialize` finds room however many bytes wait: without it a user could not begin.
  bool has_room_for(user_id user, const message& what) const;
  /// There is room for it.
  void add(user_id user, message&& what);
  /// Takes out a request that its user has cancelled; false when none of that id waits, or when it is an `initialize`,
  /// which cannot be cancelled (2025-11-25, cancellation, "Behavior Requirements" 2).
  bool withdraw(user_id user, std::string_view id);
  /// Takes out all that a user has here.
  void drop(user_id user);
  std::deque<entry> take_all();

  /// The `initialize` that came first; null when none waits. Valid until the queue changes.
  const entry* first_initialize() const;
  std::size_t size() const { return entries_.size(); }

private:
  std::size_t most_of_user_;
  std::size_t most_bytes_;
  std::deque<entry> entries_;
  /// How many messages each user has here.
  std::map<user_id, std::size_t> of_users_;
  std::size_t bytes_ = 0;
};

} // namespace troupe::protocol

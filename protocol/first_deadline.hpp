#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::protocol {

/// The first deadline of many things that come and go, without a look at each of them whenever it is asked for. When
/// the first is gone or put off, its deadline may stay the first until an eighth of the things has gone the same way:
/// who wakes up at it may find that nothing is late. Of eight things or less the answer is always exact.
class first_deadline {
public:
  /// A thing is there.
  void add(time_point at) { first_ = std::min(first_, at); }
  /// A thing is gone, or put off.
  void changed() { ++changes_; }
  /// Whether a thing may be late.
  bool may_be_late(time_point now) const { return now >= first_; }

  /// The answer; `deadline_of` gives the deadline of one thing.
  template <class Things, class DeadlineOf>
  time_point of(const Things& all, DeadlineOf deadline_of) {
    if (changes_ > 0 && changes_ * 8 >= all.size())
      look(all, deadline_of);
    return first_;
  }

  /// Looks at all things.
  template <class Things, class DeadlineOf>
  void look(const Things& all, DeadlineOf deadline_of) {
    first_ = time_point::max();
    changes_ = 0;
    for (auto& one : all)
      first_ = std::min(first_, deadline_of(one));
  }

private:
  time_point first_ = time_point::max();
  std::size_t changes_ = 0;
};

} // namespace troupe::protocol

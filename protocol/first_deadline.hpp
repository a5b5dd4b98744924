#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::protocol {

/// The earliest deadline of many things that come and go, cached: may be early, never late. When the thing with the
/// earliest deadline was removed or postponed, all are looked at again only after an eighth of them has changed. Until
/// then a timer may fire for nothing. With eight things or fewer the answer is exact.
class first_deadline {
public:
  /// A thing was added.
  void add(time_point at) { first_ = std::min(first_, at); }
  /// A thing was removed or postponed, perhaps that with the earliest deadline.
  void changed() { ++changes_; }
  /// The same for a thing whose deadline is known: only the earliest makes a difference.
  void changed(time_point from) {
    if (from <= first_)
      changed();
  }
  /// Whether a thing may be late.
  bool may_be_late(time_point now) const { return now >= first_; }

  /// The earliest deadline; `deadline_of` gives that of one thing.
  template <class Things, class DeadlineOf>
  time_point of(const Things& all, DeadlineOf deadline_of) {
    if (changes_ > 0 && changes_ * 8 >= all.size())
      look(all, deadline_of);
    return first_;
  }

  /// Looks at all things, so that the answer is exact.
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

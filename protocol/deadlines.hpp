#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace troupe::protocol {

/// A binary heap of things, the one with the first deadline on top. Does not own them: a `Thing` stays at its address
/// while it is here. It has
/// - `own`, a number that no other has: of those with one deadline the lowest is first;
/// - `deadline()`, which may become later, but never earlier, while the thing is here;
/// - `place`, its index in the heap, which this class alone reads and writes.
///
/// A deadline that becomes later costs nothing until the thing would be on top. Memory is allocated only when more
/// things are here than ever before.
template <class Thing>
class deadline_heap {
public:
  void add(Thing& one) {
    all_.push_back({one.deadline(), &one});
    rise(all_.size() - 1);
  }

  void remove(const Thing& one) {
    auto place = one.place;
    auto last = all_.back();
    all_.pop_back();
    if (last.thing == &one)
      return;
    put(place, last);
    rise(place);
    sink(last.thing->place);
  }

  /// Null when there is none.
  Thing* first() {
    while (!all_.empty() && all_.front().at < all_.front().thing->deadline()) {
      all_.front().at = all_.front().thing->deadline();
      sink(0);
    }
    return all_.empty() ? nullptr : all_.front().thing;
  }

private:
  struct item {
    /// The deadline, or an earlier time that was the deadline.
    time_point at;
    Thing* thing;
    friend bool operator<(const item& a, const item& b) {
      return std::tie(a.at, a.thing->own) < std::tie(b.at, b.thing->own);
    }
  };

  void put(std::size_t place, const item& one) {
    all_[place] = one;
    one.thing->place = place;
  }

  void rise(std::size_t place) {
    auto one = all_[place];
    for (; place > 0 && one < all_[(place - 1) / 2]; place = (place - 1) / 2)
      put(place, all_[(place - 1) / 2]);
    put(place, one);
  }

  void sink(std::size_t place) {
    auto one = all_[place];
    for (auto next = earlier_child(place); next < all_.size() && all_[next] < one; next = earlier_child(place)) {
      put(place, all_[next]);
      place = next;
    }
    put(place, one);
  }

  /// The end when there is no child.
  std::size_t earlier_child(std::size_t place) const {
    auto left = 2 * place + 1;
    return left + 1 < all_.size() && all_[left + 1] < all_[left] ? left + 1 : left;
  }

  /// None is before the one at half its index.
  std::vector<item> all_;
};

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

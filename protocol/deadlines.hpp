#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace troupe::protocol {

/// Binary heap of things, the one with the earliest deadline on top. Does not own them: a `Thing` stays at its address
/// while it is in the heap. Members of a `Thing`:
/// - `own`, a unique number: of things with equal deadlines, the lowest number is first;
/// - `deadline()`, which may become later, but never earlier, while the thing is in the heap;
/// - `place`, its index in the heap, which only this class reads and writes.
///
/// Postponing a deadline costs nothing until the thing would be on top. Memory is allocated only when the heap is
/// larger than ever before.
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

  /// Returns the thing with the earliest deadline; null if the heap is empty.
  Thing* first() {
    while (!all_.empty() && all_.front().at < all_.front().thing->deadline()) {
      all_.front().at = all_.front().thing->deadline();
      sink(0);
    }
    return all_.empty() ? nullptr : all_.front().thing;
  }

private:
  struct item {
    /// Deadline of the thing, or an earlier value of that deadline.
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

  /// Returns the index of the earlier child; at least the heap's size if there is no child.
  std::size_t earlier_child(std::size_t place) const {
    auto left = 2 * place + 1;
    return left + 1 < all_.size() && all_[left + 1] < all_[left] ? left + 1 : left;
  }

  /// Items in heap order: no item is before its parent, at half its index.
  std::vector<item> all_;
};

/// Cached earliest deadline of many things that come and go: may be early, never late. After the earliest thing was
/// removed or postponed, all things are examined again only once an eighth of them has changed. Until then a timer may
/// fire for nothing. Exact for up to eight things.
class first_deadline {
public:
  /// Notes that a thing was added.
  void add(time_point at) { first_ = std::min(first_, at); }
  /// Notes that a thing was removed or postponed, perhaps the one with the earliest deadline.
  void changed() { ++changes_; }
  /// Notes a change of a thing whose deadline was `from`; ignored unless that was the earliest.
  void changed(time_point from) {
    if (from <= first_)
      changed();
  }
  /// Whether a deadline may have passed.
  bool may_be_late(time_point now) const { return now >= first_; }

  /// Returns the earliest deadline; `deadline_of` returns the deadline of one thing.
  template <class Things, class DeadlineOf>
  time_point of(const Things& all, DeadlineOf deadline_of) {
    if (changes_ > 0 && changes_ * 8 >= all.size())
      look(all, deadline_of);
    return first_;
  }

  /// Examines all things, so that the result is exact.
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

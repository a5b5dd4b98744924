#pragma once

#include "protocol/time.hpp"

#include <cstddef>
#include <tuple>
#include <vector>

namespace troupe::protocol {

/// The things of a collection by their deadlines: which is first is known without a look at the others. A `Thing` stays
/// at its address while it is here, and has
/// - `own`, a number that no other has: of those with one deadline the lowest is first;
/// - `deadline()`;
/// - `place`, which is for this class alone.
///
/// A deadline may be put off without a word to this class, which notices when the thing would be first; but not brought
/// forward. Takes no memory for a thing once as many have been here before.
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

  /// The deadline of a thing may have been brought forward.
  void may_be_earlier(Thing& one) {
    if (one.deadline() >= all_[one.place].at)
      return;
    all_[one.place].at = one.deadline();
    rise(one.place);
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

  /// A binary heap: none is before the one at half its place.
  std::vector<item> all_;
};

} // namespace troupe::protocol

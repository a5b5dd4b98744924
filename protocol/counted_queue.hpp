#pragma once

#include "protocol/byte_budget.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace troupe::protocol {

/// Queue of messages or requests that counts its bytes, so that they can be limited. It never refuses an item: its
/// owner checks `fits`, or adds what must not be refused. `SizeOf` returns the bytes of an item, which stay the same
/// while the item is in the queue: a function or a member. `Items` is a standard sequence.
template <class Items, auto SizeOf>
class counted_queue {
public:
  using item = typename Items::value_type;

  /// `total` counts the bytes of this queue and others; may be null.
  explicit counted_queue(std::shared_ptr<byte_total> total = nullptr) : bytes_{std::move(total)} {}

  /// Whether so many bytes more are within the limit.
  bool fits(std::size_t more, std::size_t most) const { return bytes() + more <= most; }
  /// Adds an item behind the others, or before them with `ahead`.
  void push(item one, bool ahead = false) {
    bytes_.add(size_of(one));
    items_.insert(ahead ? items_.begin() : items_.end(), std::move(one));
  }
  /// Removes and returns the first item; there must be one.
  item pop() {
    auto result = std::move(items_.front());
    items_.pop_front();
    bytes_.remove(size_of(result));
    return result;
  }
  /// Removes the first item that matches; false if none does.
  template <class Condition>
  bool remove_first(Condition matches) {
    const auto found = std::find_if(items_.begin(), items_.end(), matches);
    if (found == items_.end())
      return false;
    bytes_.remove(size_of(*found));
    items_.erase(found);
    return true;
  }
  /// Removes and returns all items, in order.
  Items extract_all() {
    bytes_.remove(bytes());
    return std::exchange(items_, {});
  }

  const Items& items() const { return items_; }
  Items& items() { return items_; }
  std::size_t size() const { return items_.size(); }
  bool is_empty() const { return items_.empty(); }
  std::size_t bytes() const { return bytes_.bytes(); }
  /// See `counted_bytes`.
  std::size_t allowed(std::size_t most, std::size_t least) const { return bytes_.allowed(most, least); }

private:
  static std::size_t size_of(const item& one) { return std::invoke(SizeOf, one); }

  counted_bytes bytes_;
  Items items_;
};

} // namespace troupe::protocol

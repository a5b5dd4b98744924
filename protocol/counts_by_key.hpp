#pragma once

#include <cstddef>
#include <unordered_map>

namespace troupe::protocol {

/// Count for each key. A key whose count is zero takes no memory.
template <class Key>
class counts_by_key {
public:
  void add(const Key& key) { ++counts_[key]; }
  /// Takes one from the key's count; false if there was none.
  bool remove(const Key& key) {
    const auto found = counts_.find(key);
    if (found == counts_.end())
      return false;
    if (--found->second == 0)
      counts_.erase(found);
    return true;
  }
  /// Sets the key's count to zero; false if it was.
  bool forget(const Key& key) { return counts_.erase(key) != 0; }
  void clear() { counts_.clear(); }

  std::size_t of(const Key& key) const {
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second;
  }
  /// Keys with a count, in no order.
  const std::unordered_map<Key, std::size_t>& all() const { return counts_; }

private:
  std::unordered_map<Key, std::size_t> counts_;
};

} // namespace troupe::protocol

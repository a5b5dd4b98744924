#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace troupe::protocol {

/// Weight of values of which only the number is limited.
struct weightless {
  template <class Value>
  constexpr std::size_t operator()(const Value&) const {
    return 0;
  }
};

/// Values by their keys, of which the most recently used stay. They are in two generations: when the young one is full,
/// it becomes the old one, and the previous old one is dropped. An old value that is used becomes young again. So each
/// use costs the same, however many values there are. Holds up to twice `most` values, and twice `most_weight`.
template <class Key, class Value, class Hash = std::hash<Key>, class Weigh = weightless>
class two_generations {
public:
  explicit two_generations(std::size_t most, std::size_t most_weight = std::numeric_limits<std::size_t>::max())
      : most_{most}, most_weight_{most_weight} {}

  /// Returns null when there is no value. Does not count as a use.
  const Value* find(const Key& key) const {
    for (const auto* one : {&young_, &old_})
      if (const auto found = one->values.find(key); found != one->values.end())
        return &found->second;
    return nullptr;
  }

  /// Returns the value, a new one if there was none. Its weight must stay, see `change`.
  Value& use(const Key& key) {
    if (const auto found = young_.values.find(key); found != young_.values.end())
      return found->second;
    auto before = old_.values.extract(key);
    const auto weight = before ? Weigh{}(before.mapped()) : 0;
    old_.weight -= weight;
    if (young_.values.size() >= most_)
      age_generations();
    young_.weight += weight;
    return before ? young_.values.insert(std::move(before)).position->second : young_.values[key];
  }

  /// Uses the value, and calls `how` to change it.
  template <class How>
  void change(const Key& key, How how) {
    auto& value = use(key);
    young_.weight -= Weigh{}(value);
    how(value);
    young_.weight += Weigh{}(value);
    if (young_.weight > most_weight_)
      age_generations();
  }

  void erase(const Key& key) {
    for (auto* one : {&young_, &old_})
      if (const auto gone = one->values.extract(key))
        one->weight -= Weigh{}(gone.mapped());
  }

  std::size_t size() const { return young_.values.size() + old_.values.size(); }
  std::size_t weight() const { return young_.weight + old_.weight; }

private:
  struct generation {
    std::unordered_map<Key, Value, Hash> values = {};
    std::size_t weight = 0;
  };

  void age_generations() { old_ = std::exchange(young_, {}); }

  std::size_t most_, most_weight_;
  generation young_, old_;
};

} // namespace troupe::protocol

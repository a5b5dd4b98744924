#pragma once

#include <mutex>
#include <utility>

namespace troupe::net {

/// A value with its mutex: `with` runs a function under the lock. The function must not call anything that may use the
/// same value.
template <class T>
class guarded {
public:
  guarded() = default;
  explicit guarded(T value) : value_{std::move(value)} {}

  template <class F>
  auto with(F use) {
    std::lock_guard lock{mutex_};
    return use(value_);
  }

private:
  std::mutex mutex_;
  T value_{};
};

} // namespace troupe::net

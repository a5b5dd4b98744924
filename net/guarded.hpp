#pragma once

#include <mutex>
#include <utility>

namespace troupe::net {

/// A value that several threads share: whoever uses it has it alone meanwhile, and must not call what may come back.
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

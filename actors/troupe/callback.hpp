#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace troupe {

/// A function of the host's that returns nothing. One that returns something does not compile: it would be lost.
template <class... Args>
class callback : public std::function<void(Args...)> {
public:
  callback() = default;

  template <class F>
  requires(!std::derived_from<F, callback>) && std::is_void_v<std::invoke_result_t<F&, Args...>> callback(F then)
      : std::function<void(Args...)>{std::move(then)} {} // NOLINT: as a function is
};

} // namespace troupe

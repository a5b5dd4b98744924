#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace troupe {

/// Function of the host that returns nothing. A function with a result does not compile: the result would be lost.
template <class... Args>
class callback : public std::function<void(Args...)> {
public:
  callback() = default;

  template <class F>
  requires(!std::derived_from<F, callback>) && std::is_void_v<std::invoke_result_t<F&, Args...>> callback(F then)
      : std::function<void(Args...)>{std::move(then)} {} // NOLINT: as a function is
};

} // namespace troupe

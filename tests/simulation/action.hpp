#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace troupe::tests::simulation {

/// A call that is made once, later. Unlike `std::function`, which allocates memory for each captured pointer that is
/// counted, it keeps small captures in itself, and cannot be copied.
class action {
public:
  template <class Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, action>) action(Function what) : use_{&use<Function>} {
    if constexpr (fits<Function>)
      new (room_) Function(std::move(what));
    else
      new (room_) Function*(new Function(std::move(what)));
  }
  action(action&& other) noexcept : use_{std::exchange(other.use_, nullptr)} {
    if (use_)
      use_(task::move, other.room_, room_);
  }
  action& operator=(action&& other) noexcept {
    if (this != &other) {
      std::destroy_at(this);
      std::construct_at(this, std::move(other));
    }
    return *this;
  }
  ~action() {
    if (use_)
      use_(task::destroy, room_, nullptr);
  }

  void operator()() { use_(task::call, room_, nullptr); }

private:
  enum class task { call, move, destroy };
  static constexpr std::size_t size = 48;
  template <class Function>
  static constexpr bool
      fits = sizeof(Function) <= size &&
             alignof(Function) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Function>;

  template <class Function>
  static void use(task what, void* room, void* to) {
    if constexpr (fits<Function>)
      use_inside(what, *static_cast<Function*>(room), to);
    else
      use_outside(what, *static_cast<Function**>(room), to);
  }
  template <class Function>
  static void use_inside(task what, Function& function, void* to) {
    if (what == task::call)
      return static_cast<void>(function());
    if (what == task::move)
      new (to) Function(std::move(function));
    std::destroy_at(&function);
  }
  template <class Function>
  static void use_outside(task what, Function* function, void* to) {
    if (what == task::call)
      (*function)();
    else if (what == task::move)
      new (to) Function*(function);
    else
      delete function;
  }

  void (*use_)(task what, void* room, void* to);
  alignas(std::max_align_t) std::byte room_[size];
};

} // namespace troupe::tests::simulation

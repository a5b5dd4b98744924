#pragma once

#include "actors/runtime/pinned.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace troupe::actors {

/// What an actor waits for that gathers reports: one from each actor that was asked, or a time limit, since an actor
/// may end before it has answered. Keeps its own actor alive meanwhile: actors that end may have the last other handle.
template <class Interface>
class awaited_reports {
public:
  awaited_reports(pinned<Interface>* self, std::size_t asked) : missing_{asked}, reminder_{self->at()} {}

  /// The actor begins. It gets a `tick` when the time is over; at once when nobody was asked.
  void begin(pinned<Interface>* self) {
    constexpr std::chrono::milliseconds patience{500};
    alive_ = caf::actor_cast<Interface>(self);
    reminder_.set(self->address(), self->at().now() + (missing_ == 0 ? patience.zero() : patience));
  }
  /// One has come, and says that `more` will. True when it was the last.
  bool took_last(std::size_t more = 0) {
    missing_ += more;
    return --missing_ == 0;
  }
  /// The `tick` has come.
  void are_late() { reminder_.arrived(); }

private:
  Interface alive_;
  std::size_t missing_;
  reminder reminder_;
};

} // namespace troupe::actors

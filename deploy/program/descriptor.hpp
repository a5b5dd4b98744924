#pragma once

#include <unistd.h>
#include <utility>

namespace troupe::deploy {

/// Owner of a file descriptor; -1 is none.
class descriptor {
public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  /// Releases ownership.
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
};

} // namespace troupe::deploy

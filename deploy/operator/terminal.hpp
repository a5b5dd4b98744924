#pragma once

#include <chrono>
#include <cstddef>

namespace troupe::deploy {

/// The size of the terminal that stdout is; 0 when it is none.
struct terminal_size {
  std::size_t columns = 0;
  std::size_t rows = 0;
};

terminal_size size_of_stdout();

/// While it lives, keys that are pressed arrive at once and are not shown; also an end by a signal puts the terminal
/// back as it was, and Ctrl-C is an end as wanted, with status 0. One at a time.
class pressed_keys {
public:
  pressed_keys();
  ~pressed_keys();
  pressed_keys(const pressed_keys&) = delete;
  pressed_keys& operator=(const pressed_keys&) = delete;

  /// Waits for that long; true as soon as `q` is pressed, or nobody can press anything any more.
  bool quit_within(std::chrono::milliseconds time);

private:
  bool is_terminal_;
};

} // namespace troupe::deploy

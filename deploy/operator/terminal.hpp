#pragma once

#include <chrono>
#include <cstddef>

namespace troupe::deploy {

/// Size of the terminal on stdout; 0 when stdout is no terminal.
struct terminal_size {
  std::size_t columns = 0;
  std::size_t rows = 0;
};

terminal_size size_of_stdout();

/// Terminal mode in which pressed keys arrive at once and are not echoed; the destructor and fatal signals restore the
/// terminal. Ctrl-C exits with status 0. Only one object at a time.
class pressed_keys {
public:
  pressed_keys();
  ~pressed_keys();
  pressed_keys(const pressed_keys&) = delete;
  pressed_keys& operator=(const pressed_keys&) = delete;

  /// Waits for `time`. Returns true as soon as `q` is pressed or stdin has ended.
  bool quit_within(std::chrono::milliseconds time);

private:
  bool is_terminal_;
};

} // namespace troupe::deploy

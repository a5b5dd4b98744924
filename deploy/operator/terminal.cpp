#include "deploy/operator/terminal.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Original terminal settings; global because the signal handler needs them.
termios terminal_before{};

void put_terminal_back() { ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before); }

/// Signal handler; calls only async-signal-safe functions.
void end_by_signal(int number) {
  put_terminal_back();
  if (number == SIGINT)
    ::_exit(0);
  if (::getpid() == 1)
    ::_exit(128 + number); // pid 1 of a container ends by no signal
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void hear_of_ends(void (*by)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    ::signal(number, by);
}

} // namespace

terminal_size size_of_stdout() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0)
    return {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {80, 24};
  return {size.ws_col, size.ws_row};
}

pressed_keys::pressed_keys() : is_terminal_(::tcgetattr(STDIN_FILENO, &terminal_before) == 0) {
  if (is_terminal_)
    hear_of_ends(end_by_signal);
}

pressed_keys::~pressed_keys() {
  if (!is_terminal_)
    return;
  put_terminal_back();
  hear_of_ends(SIG_DFL);
}

bool pressed_keys::quit_within(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  auto asked = terminal_before;
  asked.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  if (is_terminal_) // again each time: a shell that stopped and continued us has changed the settings
    ::tcsetattr(STDIN_FILENO, TCSANOW, &asked);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd keys{is_terminal_ ? STDIN_FILENO : -1, POLLIN, 0};
    if (left.count() <= 0)
      return false;
    if (::poll(&keys, 1, static_cast<int>(left.count())) <= 0)
      continue; // time is over, or a signal arrived
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) <= 0 || std::string_view{"qQ\x04"}.find(key) != std::string_view::npos)
      return true;
  }
}

} // namespace troupe::deploy

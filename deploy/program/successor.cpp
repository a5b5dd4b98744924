#include "deploy/program/successor.hpp"

#include "deploy/program/descriptor.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

/// Each part of a text that ends with a zero byte.
std::vector<std::string> started_with() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  const std::string all{std::istreambuf_iterator<char>{file}, {}};
  std::vector<std::string> result;
  for (std::size_t at = 0; at < all.size(); at += result.back().size() + 1)
    result.emplace_back(all.c_str() + at);
  return result;
}

std::string told_to(const listening_sockets& sockets, int link, std::size_t server_descriptors) {
  auto result = std::to_string(::getpid());
  for (const auto& [name, number] :
       {std::pair{" clients=", sockets.clients}, {" admin=", sockets.admin}, {" link=", link}})
    if (number >= 0)
      result += name + std::to_string(number);
  return result + " limit=" + std::to_string(server_descriptors);
}

/// That of this process, and what the other is told.
std::vector<std::string> environment_with(const std::string& told) {
  const auto name = std::string{handed_over_variable} + '=';
  std::vector<std::string> result{name + told};
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view{*one}.starts_with(name))
      result.emplace_back(*one);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& one : texts)
    result.push_back(one.data());
  result.push_back(nullptr);
  return result;
}

/// A connection of a client, say, would stay open for as long as the other process has it, too.
void close_others_on_exec() {
  constexpr unsigned first = STDERR_FILENO + 1;
  if (::close_range(first, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
    return;
  const auto most = ::sysconf(_SC_OPEN_MAX); // a kernel before 5.11
  for (int one = first; one < most; ++one)
    ::fcntl(one, F_SETFD, FD_CLOEXEC);
}

/// What the process becomes that is to be the program. After a fork, so that only what signal handlers may do is done.
[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         const std::vector<int>& descriptors) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  close_others_on_exec();
  for (const int one : descriptors)
    ::fcntl(one, F_SETFD, 0);
  ::execvpe(arguments.front(), arguments.data(), environment.data());
  ::_exit(127);
}

/// Starts it as nobody's child, so that it becomes that of who looks after this process: systemd waits for no other.
/// Gives its process id; none when it cannot be started.
pid_t start_apart(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                  const std::vector<int>& descriptors) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return -1;
  const descriptor from{ends[0]};
  descriptor to{ends[1]};
  const pid_t between = ::fork();
  if (between == 0) {
    const pid_t last = ::fork();
    if (last == 0)
      become(arguments, environment, descriptors);
    const auto written = ::write(to.number(), &last, sizeof last);
    ::_exit(written == sizeof last ? 0 : 1);
  }
  ::close(to.release());
  pid_t result = -1;
  if (between > 0 && ::read(from.number(), &result, sizeof result) != sizeof result)
    result = -1;
  if (between > 0)
    ::waitpid(between, nullptr, 0);
  return result;
}

} // namespace

pid_t start_successor(const listening_sockets& sockets, int link, std::size_t server_descriptors) {
  auto arguments = started_with();
  if (arguments.empty())
    throw std::runtime_error("/proc/self/cmdline does not say how this process was started");
  auto environment = environment_with(told_to(sockets, link, server_descriptors));
  std::vector<int> descriptors{sockets.clients, link};
  if (sockets.admin >= 0)
    descriptors.push_back(sockets.admin);
  const auto result = start_apart(pointers_to(arguments), pointers_to(environment), descriptors);
  if (result < 0)
    throw std::runtime_error("cannot start another process: " + std::string{std::strerror(errno)});
  return result;
}

} // namespace troupe::deploy

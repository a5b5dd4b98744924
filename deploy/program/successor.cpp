#include "deploy/program/successor.hpp"

#include "deploy/program/descriptor.hpp"
#include "deploy/program/handed_environment.hpp"
#include "deploy/program/orphans.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
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

std::string told_to(const listening_sockets& sockets, int link, int environment, std::size_t server_descriptors) {
  auto result = std::to_string(::getpid());
  for (const auto& [name, number] : {std::pair{" clients=", sockets.clients},
                                     {" admin=", sockets.admin},
                                     {" link=", link},
                                     {" environment=", environment}})
    if (number >= 0)
      result += name + std::to_string(number);
  return result + " limit=" + std::to_string(server_descriptors);
}

/// Whether a variable counts before there is a program that could be handed it: for who loads it, for its allocator,
/// and for sanitizers. None of these is a secret.
bool is_for_loader(std::string_view variable) {
  const auto name = variable.substr(0, variable.find('='));
  return name.starts_with("LD_") || name.ends_with("SAN_OPTIONS") || name == "GLIBC_TUNABLES" || name == "MALLOC_CONF";
}

bool is_any(std::string_view) { return true; }

/// Of that of this process what is taken.
std::vector<std::string> variables_handed(bool (&takes)(std::string_view variable)) {
  const auto told = std::string{handed_over_variable} + '=';
  std::vector<std::string> result;
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view{*one}.starts_with(told) && takes(*one))
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

/// Where the other process reads the environment of this one.
descriptor handed_environment() {
  std::array<int, 2> both{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) != 0)
    throw std::runtime_error{"cannot make a pair of sockets: " + std::string{std::strerror(errno)}};
  const descriptor here{both[0]};
  descriptor there{both[1]};
  hand_environment(here.number());
  return there;
}

/// Longest time that the program takes to say what it knows, in seconds.
constexpr unsigned say_limit = 10;

/// Whether the program that is to be started takes its environment as this one hands it over.
bool takes_environment(const std::string& program) {
  std::vector<std::string> words{program, std::string{takes_environment_flag}};
  auto variables = variables_handed(is_for_loader);
  const auto arguments = pointers_to(words), environment = pointers_to(variables);
  const descriptor nowhere{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  const pid_t asked = ::fork();
  if (asked == 0) {
    for (const int one : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(nowhere.number(), one);
    ::alarm(say_limit);
    become(arguments, environment, {});
  }
  int status = -1;
  return asked > 0 && ::waitpid(asked, &status, 0) == asked && WIFEXITED(status) && WEXITSTATUS(status) == 0;
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
  const no_adoption meanwhile;
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

started_successor start_successor(const listening_sockets& sockets, int link, std::size_t server_descriptors) {
  auto arguments = started_with();
  if (arguments.empty())
    throw std::runtime_error("/proc/self/cmdline does not say how this process was started");
  const auto is_readable = !takes_environment(arguments.front());
  const auto handed = is_readable ? descriptor{-1} : handed_environment();
  auto environment = variables_handed(is_readable ? is_any : is_for_loader);
  environment.push_back(std::string{handed_over_variable} + '=' +
                        told_to(sockets, link, handed.number(), server_descriptors));
  std::vector<int> descriptors{sockets.clients, link};
  for (const int one : {sockets.admin, handed.number()})
    if (one >= 0)
      descriptors.push_back(one);
  const auto process = start_apart(pointers_to(arguments), pointers_to(environment), descriptors);
  if (process < 0)
    throw std::runtime_error("cannot start another process: " + std::string{std::strerror(errno)});
  return {process, is_readable};
}

} // namespace troupe::deploy

#include "deploy/program/successor.hpp"

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <spawn.h>
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

/// How a process begins: with some descriptors, and with signals as they are by default.
class spawn_plan {
public:
  spawn_plan() {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_plan() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;

  /// One that is put in its own place is not closed.
  void keep(int descriptor) {
    if (descriptor >= 0)
      ::posix_spawn_file_actions_adddup2(&files_, descriptor, descriptor);
  }
  pid_t run(std::vector<std::string> arguments, std::vector<std::string> environment) {
    pid_t result = 0;
    const auto error = ::posix_spawnp(&result, arguments.front().c_str(), &files_, &attributes_,
                                      pointers_to(arguments).data(), pointers_to(environment).data());
    if (error != 0)
      throw std::runtime_error("cannot start " + arguments.front() + ": " + std::strerror(error));
    return result;
  }

private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

} // namespace

pid_t start_successor(const listening_sockets& sockets, int link, std::size_t server_descriptors) {
  auto arguments = started_with();
  if (arguments.empty())
    throw std::runtime_error("/proc/self/cmdline does not say how this process was started");
  spawn_plan plan;
  for (const int one : {sockets.clients, sockets.admin, link})
    plan.keep(one);
  return plan.run(std::move(arguments), environment_with(told_to(sockets, link, server_descriptors)));
}

void reap_successor(pid_t process) { ::waitpid(process, nullptr, WNOHANG); }

} // namespace troupe::deploy

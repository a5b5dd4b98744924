#include "deploy/program/handed_over.hpp"

#include "deploy/log/write_out.hpp"
#include "deploy/program/handover.hpp"
#include "net/child/server_mark.hpp"
#include "net/other_process.hpp"
#include "net/owned_descriptor.hpp"
#include "net/server/listening_socket.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

std::runtime_error environment_failure(const char* what) {
  return std::runtime_error{std::string{what} + ": " + std::strerror(errno)};
}

/// Returns all variables, each with a zero byte behind it.
std::string whole_environment() {
  std::string result;
  for (char** one = environ; *one != nullptr; ++one)
    result.append(*one).push_back('\0');
  return result;
}

std::string read_from_start(int from) {
  std::string result;
  char buffer[16 * 1024];
  for (::off_t at = 0;; at = static_cast<::off_t>(result.size())) {
    const auto count = ::pread(from, buffer, sizeof buffer, at);
    if (count > 0)
      result.append(buffer, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return result;
  }
}

/// Message of one byte, with room for one descriptor.
struct descriptor_message {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr head{};

  descriptor_message() {
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = control;
    head.msg_controllen = sizeof control;
  }
};

int received_descriptor(int socket) {
  descriptor_message message;
  if (::recvmsg(socket, &message.head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1)
    throw environment_failure("the old process does not hand over its environment");
  const auto* const control = CMSG_FIRSTHDR(&message.head);
  if (!control || control->cmsg_type != SCM_RIGHTS)
    throw std::runtime_error{"the old process hands over no environment"};
  int result = -1;
  std::memcpy(&result, CMSG_DATA(control), sizeof result);
  return result;
}

/// Sets the variables. Of several with one name the first counts, as for `getenv`.
void take_variables(std::string_view all) {
  while (!all.empty()) {
    const std::string one{all.substr(0, all.find('\0'))};
    all.remove_prefix(one.size() + 1);
    if (const auto end = one.find('='); end != std::string::npos && end != 0)
      ::setenv(one.substr(0, end).c_str(), one.c_str() + end + 1, 0);
  }
}

/// Byte that confirms that the environment was taken.
constexpr char taken = '+';

/// Number of the first descriptor, SD_LISTEN_FDS_START.
constexpr int first_handed = 3;

/// Returns a variable and unsets it, as children must not inherit it.
std::string environment_value(const char* variable) {
  const char* const value = std::getenv(variable);
  std::string result = value ? value : "";
  ::unsetenv(variable);
  return result;
}

template <class Options>
void listen_at(int socket, Options& to) {
  auto place = net::place_of(socket);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  std::tie(to.host, to.port, to.socket) = std::tie(place.host, place.port, socket);
}

} // namespace

void hand_environment(int socket) {
  const net::owned_descriptor memory{::memfd_create("environment", MFD_CLOEXEC)};
  if (!write_out(memory.get(), whole_environment()).empty())
    throw environment_failure("cannot keep the environment for another process");
  descriptor_message message;
  auto* const control = CMSG_FIRSTHDR(&message.head);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = memory.get();
  std::memcpy(CMSG_DATA(control), &number, sizeof number);
  if (::sendmsg(socket, &message.head, MSG_NOSIGNAL) != 1)
    throw environment_failure("cannot hand the environment to another process");
}

std::string why_not_taken(int socket) {
  char word = 0;
  const auto size = ::recv(socket, &word, 1, MSG_DONTWAIT);
  if (size == 1 && word == taken)
    return {};
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return "the other program takes its environment no way that is safe from servers, as release 1.0.0: restart the "
           "gateway instead";
  return "the other process has ended before it took its environment";
}

void take_handed_environment() {
  const char* const told = std::getenv(handed_over_variable);
  const auto handed = told ? read_handed_over(told) : handed_sockets{};
  if (handed.environment < 0)
    return;
  const net::owned_descriptor socket{handed.environment};
  ::prctl(PR_SET_NAME, program_invocation_short_name); // a copy in memory would have a number as its name
  ::prctl(PR_SET_DUMPABLE, 0);
  const net::owned_descriptor memory{received_descriptor(socket.get())};
  take_variables(read_from_start(memory.get()));
  ::send(socket.get(), &taken, 1, MSG_NOSIGNAL); // the link reports an old process that has ended
}

handed_sockets read_handed_sockets(const std::string& count, const std::string& names) {
  handed_sockets result;
  std::istringstream all{names};
  const int end = first_handed + std::atoi(count.c_str());
  for (int socket = first_handed; socket < end; ++socket) {
    std::string name;
    std::getline(all, name, ':');
    auto& which = name == "admin" ? result.admin : result.clients;
    if (which >= 0)
      throw std::runtime_error("systemd hands over more than one socket for " +
                               std::string{name == "admin" ? "operators" : "clients"} + ": give one ListenStream=");
    which = socket;
  }
  return result;
}

handed_sockets read_handed_over(const std::string& text) {
  handed_sockets result;
  std::istringstream all{text};
  all >> result.origin.before;
  for (std::string word; all >> word;)
    for (auto [name, to] : {std::pair{"clients=", &result.clients},
                            {"admin=", &result.admin},
                            {"link=", &result.link},
                            {"environment=", &result.environment},
                            {"limit=", &result.limit}})
      if (word.starts_with(name))
        *to = std::atoi(word.c_str() + std::strlen(name));
      else if (word.starts_with(locks_word))
        result.origin.lock_limit = std::strtoull(word.c_str() + locks_word.size(), nullptr, 10);
  for (const int one : {result.clients, result.admin, result.link, result.environment})
    if (one > STDERR_FILENO)
      ::fcntl(one, F_SETFD, FD_CLOEXEC);
  const auto from = result.origin.before;
  return result.link > STDERR_FILENO && from > 0 && from == net::maker_of(result.link) ? result : handed_sockets{};
}

bool is_for_one_process(std::string_view variable) {
  return variable == handed_over_variable || variable == "NOTIFY_SOCKET" || variable.starts_with("LISTEN_") ||
         variable.starts_with("WATCHDOG_");
}

void adopt_handed_sockets(serve_command& command) {
  const auto process = environment_value("LISTEN_PID"), count = environment_value("LISTEN_FDS"),
             names = environment_value("LISTEN_FDNAMES");
  auto handed = read_handed_over(environment_value(handed_over_variable));
  ::unsetenv(handed_over_variable); // not for servers
  if (handed.link < 0 && process == std::to_string(::getpid()))
    handed = read_handed_sockets(count, names);
  command.gateway.predecessor = handed.link;
  command.origin = handed.origin;
  if (command.origin.lock_limit == 0) // release 1.0.0 passes none
    command.origin.lock_limit = net::lock_limit();
  if (handed.limit > 0)
    command.gateway.server_descriptors = static_cast<std::size_t>(handed.limit);
  if (handed.clients >= 0) {
    listen_at(handed.clients, command.gateway);
    command.given.erase("--host");
    command.given.erase("--port");
    command.given.insert("--listen");
  }
  if (handed.admin >= 0) {
    listen_at(handed.admin, command.gateway.admin ? *command.gateway.admin : command.gateway.admin.emplace());
    command.given.insert("--admin-listen");
  }
}

} // namespace troupe::deploy

#include "deploy/program/handed_environment.hpp"

#include "deploy/program/descriptor.hpp"
#include "deploy/program/handed_sockets.hpp"
#include "deploy/program/handover_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

std::runtime_error environment_failure(const char* what) {
  return std::runtime_error{std::string{what} + ": " + std::strerror(errno)};
}

/// Each variable with a zero byte behind it.
std::string whole_environment() {
  std::string result;
  for (char** one = environ; *one != nullptr; ++one)
    result.append(*one).push_back('\0');
  return result;
}

void write_whole(int to, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(to, text.data(), text.size());
    if (count > 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      throw environment_failure("cannot keep the environment for another process");
  }
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

/// A message of one byte that bears one descriptor.
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
    throw environment_failure("the process before does not hand over its environment");
  const auto* const control = CMSG_FIRSTHDR(&message.head);
  if (!control || control->cmsg_type != SCM_RIGHTS)
    throw std::runtime_error{"the process before hands over no environment"};
  int result = -1;
  std::memcpy(&result, CMSG_DATA(control), sizeof result);
  return result;
}

/// As `getenv` does, the first of several with one name counts.
void take_variables(std::string_view all) {
  while (!all.empty()) {
    const std::string one{all.substr(0, all.find('\0'))};
    all.remove_prefix(one.size() + 1);
    if (const auto end = one.find('='); end != std::string::npos && end != 0)
      ::setenv(one.substr(0, end).c_str(), one.c_str() + end + 1, 0);
  }
}

/// What the other process says when it has taken the environment.
constexpr char taken = '+';

} // namespace

void hand_environment(int socket) {
  const descriptor memory{::memfd_create("environment", MFD_CLOEXEC)};
  write_whole(memory.number(), whole_environment());
  descriptor_message message;
  auto* const control = CMSG_FIRSTHDR(&message.head);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = memory.number();
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
  const descriptor socket{handed.environment};
  ::prctl(PR_SET_NAME, program_invocation_short_name); // of a copy in memory it is a number
  ::prctl(PR_SET_DUMPABLE, 0);
  const descriptor memory{received_descriptor(socket.number())};
  take_variables(read_from_start(memory.number()));
  ::send(socket.number(), &taken, 1, MSG_NOSIGNAL); // a process before that has ended is noticed at the link
}

} // namespace troupe::deploy

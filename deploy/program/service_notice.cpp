#include "deploy/program/service_notice.hpp"

#include "net/owned_descriptor.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace troupe::deploy {

namespace {

/// Sends a notice. A socket name that begins with `@` is abstract: its first byte is zero.
void notice(const std::string& text) {
  const char* const variable = std::getenv("NOTIFY_SOCKET");
  const std::string_view name = variable ? variable : "";
  sockaddr_un to{};
  if (name.size() < 2 || name.size() >= sizeof to.sun_path)
    return;
  to.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), to.sun_path);
  if (name.front() == '@')
    to.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const net::owned_descriptor from{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ::sendto(from.get(), text.data(), text.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), size);
}

} // namespace

void notice_ready(const std::string& status) { notice("READY=1\nSTATUS=" + status); }

void notice_reloading() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch(); // CLOCK_MONOTONIC
  notice("RELOADING=1\nMONOTONIC_USEC=" +
         std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void notice_stopping(const std::string& status) { notice("STOPPING=1\nSTATUS=" + status); }

void notice_main_process(pid_t process) { notice("MAINPID=" + std::to_string(process)); }

void notice_status(const std::string& status) { notice("STATUS=" + status); }

} // namespace troupe::deploy

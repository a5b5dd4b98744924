#include "deploy/program/handed_sockets.hpp"

#include "deploy/program/handover_process.hpp"
#include "net/child/server_mark.hpp"
#include "net/server/listening_socket.hpp"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

/// SD_LISTEN_FDS_START
constexpr int first_handed = 3;

/// What this process was told, which those that it starts are not.
std::string told(const char* variable) {
  const char* const value = std::getenv(variable);
  std::string result = value ? value : "";
  ::unsetenv(variable);
  return result;
}

/// Which process has made the pair of sockets; 0 when it is none.
pid_t maker_of(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : 0;
}

template <class Options>
void listen_at(int socket, Options& to) {
  auto place = net::place_of(socket);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  std::tie(to.host, to.port, to.socket) = std::tie(place.host, place.port, socket);
}

} // namespace

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
  return result.link > STDERR_FILENO && from > 0 && from == maker_of(result.link) ? result : handed_sockets{};
}

bool is_for_one_process(std::string_view variable) {
  return variable == handed_over_variable || variable == "NOTIFY_SOCKET" || variable.starts_with("LISTEN_") ||
         variable.starts_with("WATCHDOG_");
}

void adopt_handed_sockets(serve_command& command) {
  const auto process = told("LISTEN_PID"), count = told("LISTEN_FDS"), names = told("LISTEN_FDNAMES");
  auto handed = read_handed_over(told(handed_over_variable));
  ::unsetenv(handed_over_variable); // it is not for servers
  if (handed.link < 0 && process == std::to_string(::getpid()))
    handed = read_handed_sockets(count, names);
  command.gateway.predecessor = handed.link;
  command.origin = handed.origin;
  if (command.origin.lock_limit == 0) // release 1.0.0 does not tell
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

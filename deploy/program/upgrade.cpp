#include "deploy/program/upgrade.hpp"

#include "deploy/program/service_notice.hpp"
#include "deploy/program/successor.hpp"

#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

/// A container ends with its first process, whatever else lives in it.
constexpr pid_t first_of_container = 1;

/// Whether it is readable because the other end is closed, which may have left something unread.
bool is_closed(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

} // namespace

upgrade::upgrade(log_sink log)
    : log_{std::move(log)}, over_{std::make_shared<descriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))} {}

void upgrade::begin(const gateway& running) {
  try {
    if (link_)
      throw std::runtime_error("process " + std::to_string(process_) + " is starting already");
    if (::getpid() == first_of_container)
      throw std::runtime_error("a container ends with its first process, which is this one: start another container");
    if (process_ > 0)
      reap_successor(process_);
    const auto sockets = running.sockets();
    const descriptor clients{sockets.clients};
    const descriptor admin{sockets.admin};
    const auto link = make_process_link();
    auto here = std::make_unique<descriptor>(link.here);
    const descriptor there{link.there};
    process_ = start_successor(sockets, link.there);
    link_ = std::move(here);
    log_({log_level::info, "another process starts to take over", {{"process", std::to_string(process_)}}});
  } catch (const std::runtime_error& error) {
    abandon(error.what());
  }
}

void upgrade::abandon(const std::string& why) {
  log_({log_level::error, "no upgrade: this process serves on", {{"reason", why}}});
}

void upgrade::complete(gateway& running) {
  const auto link = std::exchange(link_, nullptr);
  if (is_closed(link->number()))
    return abandon("process " + std::to_string(process_) + " has ended before it served, its log tells why");
  try {
    notice_main_process(process_);
    running.hand_over(link->release(), [over = over_] { ::eventfd_write(over->number(), 1); });
    has_handed_over_ = true;
    log_({log_level::info, "another process has taken over", {{"process", std::to_string(process_)}}});
  } catch (const std::runtime_error& error) {
    notice_main_process(::getpid());
    abandon(error.what());
  }
}

bool upgrade::is_over() const {
  pollfd over{over_->number(), POLLIN, 0};
  return ::poll(&over, 1, 0) > 0;
}

} // namespace troupe::deploy
